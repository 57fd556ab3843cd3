package gather

import (
	"context"
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshot"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// StateSnapshotOf looks at a FlinkStateSnapshot that was read already. Protocol, each step after the answers of the one
// before, and only as far as asked for:
//
//  1. the job's resource; for a session job its cluster after it
//  2. Flink's jobs | the request in flight
//  3. the details of the checkpoint that it made
func (g *Gatherer) StateSnapshotOf(ctx context.Context, object *unstructured.Unstructured) (snapshot.Snapshot, error) {
	return g.StateSnapshotBeside(ctx, object, nil)
}

// StateSnapshotBeside is StateSnapshotOf where the FlinkDeployment of the job was read already; nil reads it.
func (g *Gatherer) StateSnapshotBeside(
	ctx context.Context, object *unstructured.Unstructured, beside *v1beta1.FlinkDeployment,
) (snapshot.Snapshot, error) {
	resource, specErr, err := v1beta1.DecodeStateSnapshot(object.Object)
	if err != nil {
		return snapshot.Snapshot{}, fail.As(
			fail.Invalid, "read FlinkStateSnapshot "+object.GetNamespace()+"/"+object.GetName(), "Unreadable", err,
		)
	}
	s := snapshot.Snapshot{Now: g.Now(), Operator: g.Operator, Resource: &resource}
	if specErr != nil {
		s.SpecProblem = fail.Message(specErr)
	}
	switch job := snapshot.AskJob(s); {
	case job != nil && beside != nil:
		s.Deployment = plan.Present(beside)
	case job != nil:
		g.snapshotJob(ctx, &s, *job)
	}
	s.Readers = g.readers(ctx, s.Resource, snapshot.AskReaders(s))
	if q := snapshot.Ask(s); q != nil {
		g.snapshotFlink(ctx, &s, *q)
	}
	return s, nil
}

// snapshotJob reads the job's resource.
func (g *Gatherer) snapshotJob(ctx context.Context, s *snapshot.Snapshot, job v1beta1.JobReference) {
	namespace, cluster := s.Resource.Namespace, job.Name
	if job.Kind == v1beta1.JobKindFlinkSessionJob {
		u, found, err := g.Kube.Get(
			ctx, kube.Object{Resource: v1beta1.FlinkSessionJobGVR, Namespace: namespace, Name: job.Name},
		)
		s.SessionJob = observe(u, found, err, func(u *unstructured.Unstructured) (*v1beta1.FlinkSessionJob, error) {
			j, _, err := v1beta1.DecodeSessionJob(u.Object)
			return &j, err
		})
		j, ok := s.SessionJob.Get()
		if !ok {
			return
		}
		if cluster = session.ClusterOf(j); cluster == "" {
			return
		}
	}
	u, found, err := g.Kube.Get(
		ctx, kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: namespace, Name: cluster},
	)
	s.Deployment = observe(u, found, err, func(u *unstructured.Unstructured) (*v1beta1.FlinkDeployment, error) {
		d, _, err := v1beta1.DecodeDeployment(u.Object)
		return &d, err
	})
}

// snapshotFlink asks the JobManager.
func (g *Gatherer) snapshotFlink(ctx context.Context, s *snapshot.Snapshot, q snapshot.Query) {
	client, err := g.Flink(q.Endpoint)
	if err != nil {
		s.Flink.Job = plan.Unknown[snapshot.Job](oneLine(err))
		return
	}
	var looks sync.WaitGroup
	looks.Go(func() { s.Flink.Job = g.snapshotListed(ctx, client, q.JobID) })
	if q.Request != nil {
		looks.Go(func() { s.Flink.Operation = g.operation(ctx, client, *q.Request) })
	}
	looks.Wait() // each reports its failure in the part that it fills
	if id, wanted := snapshot.AskCheckpoint(*s); wanted && q.Request != nil {
		s.Flink.Checkpoint = g.checkpoint(ctx, client, q.Request.JobID, id)
	}
}

func (g *Gatherer) snapshotListed(
	ctx context.Context, client *flinkrest.Client, jobID string,
) plan.Observed[snapshot.Job] {
	jobs, err := client.Jobs(ctx)
	if err != nil {
		return plan.Unknown[snapshot.Job](oneLine(err))
	}
	for _, j := range jobs {
		if j.ID == jobID {
			job := jobOf(j)
			// Flink takes no snapshot before the tasks run
			return plan.Present(snapshot.Job{State: job.Shown(), StartTime: job.StartTime})
		}
	}
	return plan.Absent[snapshot.Job]()
}

// operationStates are Flink's words for how far a request is.
var operationStates = map[flinkrest.OperationState]snapshots.OperationState{
	flinkrest.OperationInProgress: snapshots.OperationInProgress,
	flinkrest.OperationCompleted:  snapshots.OperationCompleted,
	flinkrest.OperationFailed:     snapshots.OperationFailed,
	flinkrest.OperationNotKnown:   snapshots.OperationNotKnown,
}

// operation asks how far a savepoint or checkpoint request is.
func (g *Gatherer) operation(
	ctx context.Context, client *flinkrest.Client, r snapshots.Request,
) plan.Observed[snapshots.Operation] {
	ask := client.SavepointStatus
	if r.Type == snapshots.Checkpoint {
		ask = client.CheckpointStatus
	}
	answer, err := ask(ctx, r.JobID, r.TriggerID)
	if err != nil {
		return plan.Unknown[snapshots.Operation](oneLine(err))
	}
	return plan.Present(snapshots.Operation{
		State: operationStates[answer.State], Location: answer.Location, CheckpointID: answer.CheckpointID,
		Failure: answer.Failure.Summary(),
	})
}

// checkpoint reads where a checkpoint lies.
func (g *Gatherer) checkpoint(
	ctx context.Context, client *flinkrest.Client, jobID string, id int64,
) plan.Observed[snapshot.Checkpoint] {
	details, err := client.CheckpointDetails(ctx, jobID, id)
	switch {
	case errors.Is(err, flinkrest.ErrNotFound):
		return plan.Absent[snapshot.Checkpoint]()
	case err != nil:
		return plan.Unknown[snapshot.Checkpoint](oneLine(err))
	}
	found := snapshot.Checkpoint{Done: details.Status != flinkrest.CheckpointInProgress, Failure: details.FailureMessage}
	if details.Status == flinkrest.CheckpointCompleted && details.ExternalPath != flinkrest.NotAddressable {
		found.Path = details.ExternalPath
	}
	return plan.Present(found)
}

// PendingOperations asks how far the requests are that the status of a job without FlinkStateSnapshots records.
func (g *Gatherer) PendingOperations(
	ctx context.Context, client *flinkrest.Client, status v1beta1.JobStatus,
) snapshots.Answers {
	var answers snapshots.Answers
	for _, r := range snapshots.Pending(status) {
		answers.Set(r.Type, g.operation(ctx, client, r))
	}
	return answers
}

// Snapshots lists the FlinkStateSnapshots of a namespace that may be a job's: by the labels that each has since its
// first pass, or, when the name is too long for a label, all of them.
func (g *Gatherer) Snapshots(
	ctx context.Context, namespace string, job v1beta1.JobReference,
) plan.Observed[[]v1beta1.FlinkStateSnapshot] {
	query := kube.Query{Resource: v1beta1.FlinkStateSnapshotGVR, Namespace: namespace, Limit: listed}
	if labels := snapshots.Labels(nil, snapshots.Savepoint, "", &job); labels[v1beta1.LabelJobReferenceName] != "" {
		query.Labels = v1beta1.LabelJobReferenceKind + "=" + string(job.Kind) + "," + v1beta1.LabelJobReferenceName + "=" +
			job.Name
	}
	found := []v1beta1.FlinkStateSnapshot{}
	for {
		list, err := g.Kube.List(ctx, query)
		if err != nil {
			return plan.Unknown[[]v1beta1.FlinkStateSnapshot](oneLine(err))
		}
		for i := range list.Items {
			s, _, err := v1beta1.DecodeStateSnapshot(list.Items[i].Object)
			if err != nil {
				return plan.Unknown[[]v1beta1.FlinkStateSnapshot](oneLine(err))
			}
			found = append(found, s)
		}
		if query.Continue = list.GetContinue(); query.Continue == "" {
			return plan.Present(found)
		}
	}
}
