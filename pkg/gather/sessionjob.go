package gather

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"golang.org/x/sync/errgroup"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan/sessionjob"
)

// Host reads what the jobs of one session cluster have in common.
type Host interface {
	// Cluster reads the FlinkDeployment and the Deployment of its JobManager.
	Cluster(ctx context.Context, namespace, name string) Hosting
	// Jobs asks a JobManager for its jobs.
	Jobs(ctx context.Context, at plan.Endpoint) (Jobs, error)
	// Autoscaled looks for what the autoscaler keeps of one of its jobs.
	Autoscaled(ctx context.Context, resource metav1.Object) plan.Observed[deployment.Autoscaled]
}

// Hosting is a session cluster as it was read.
type Hosting struct {
	// Resource is the FlinkDeployment.
	Resource plan.Observed[*v1beta1.FlinkDeployment]
	// Recorded is what it records; nil when it is not there, or not known.
	Recorded *deployment.Recorded
	// JobManager is the Deployment of its JobManager.
	JobManager plan.Observed[*appsv1.Deployment]
}

// Jobs are those of one JobManager, and the client that asked it.
type Jobs struct {
	listed []deployment.Job
	client *flinkrest.Client
}

// SessionJob looks at a FlinkSessionJob that was read already, and at its cluster for it alone.
func (g *Gatherer) SessionJob(ctx context.Context, object *unstructured.Unstructured) (sessionjob.Snapshot, error) {
	return g.SessionJobOf(ctx, object, g)
}

// SessionJobOf looks at a FlinkSessionJob that was read already. Protocol, each step after the answers of the one
// before, and only as far as asked for:
//
//  1. its session cluster: the FlinkDeployment | the Deployment of the JobManager
//  2. what an autoscaler had set | the other session jobs
//  3. Flink's jobs
//  4. Flink's jars | the job's FlinkStateSnapshots | the high-availability data | what else the jobs make worth a
//     question
func (g *Gatherer) SessionJobOf(
	ctx context.Context, object *unstructured.Unstructured, host Host,
) (sessionjob.Snapshot, error) {
	resource, specErr, err := v1beta1.DecodeSessionJob(object.Object)
	if err != nil {
		return sessionjob.Snapshot{}, fail.As(
			fail.Invalid, "read FlinkSessionJob "+object.GetNamespace()+"/"+object.GetName(), "Unreadable", err,
		)
	}
	s := sessionjob.Snapshot{Now: g.Now(), Operator: g.Operator, Resource: &resource, Uploads: g.Uploads}
	s.Recorded = sessionjob.ReadRecorded(&resource)
	if specErr != nil {
		s.SpecProblem = fail.Message(specErr)
	}
	if name := sessionjob.ClusterOf(s.Resource); name != "" {
		read := host.Cluster(ctx, resource.Namespace, name)
		s.Cluster, s.ClusterRecorded, s.JobManager = read.Resource, read.Recorded, read.JobManager
	} else {
		s.Cluster, s.JobManager = plan.Absent[*v1beta1.FlinkDeployment](), plan.Absent[*appsv1.Deployment]()
	}
	if sessionjob.AskAutoscaled(s) {
		s.Autoscaled = host.Autoscaled(ctx, &resource)
	}
	if sessionjob.AskValidators(s) {
		s.Judged = g.judged(ctx, judging{
			kind: v1beta1.KindFlinkSessionJob, resource: &resource, gvr: v1beta1.FlinkSessionJobGVR, spec: resource.Spec,
			stored: resource.Status.Verdict,
		})
	}
	q := g.Revise.sessionJob(sessionjob.Ask(s), s)
	if q.Others {
		s.Others = g.otherSessionJobs(ctx, &resource)
	}
	if q.Flink == nil {
		g.highAvailabilityOf(ctx, q, &s)
		return s, nil
	}
	jobs, err := host.Jobs(ctx, *q.Flink)
	if err != nil {
		s.Flink = unanswered(err)
		g.highAvailabilityOf(ctx, q, &s)
		return s, nil
	}
	var group errgroup.Group
	flink, before := deployment.Flink{}, s
	group.Go(func() error { g.highAvailabilityOf(ctx, q, &s); return nil }) // an end that the jobs show is stored later
	if q.Jars {
		group.Go(func() error { s.Jars = jarsOf(ctx, jobs.client); return nil })
	}
	if q.Snapshots {
		group.Go(func() error {
			job := v1beta1.JobReference{Kind: v1beta1.JobKindFlinkSessionJob, Name: resource.Name}
			s.Snapshots = g.Snapshots(ctx, resource.Namespace, job)
			return nil
		})
	}
	group.Go(func() error {
		flink = g.flinkOf(ctx, jobs.client, jobs.listed, nil, asked{
			seen: sessionjob.Seen(before), stop: q.Stop, more: func(f deployment.Flink) deployment.More {
				before.Flink = f
				return sessionjob.AskFlink(before)
			},
		})
		return nil
	})
	_ = group.Wait() // every look reports its failure in the part that it fills
	s.Flink = flink
	return s, nil
}

// highAvailabilityOf looks at the high-availability data of the session cluster, as far as asked for.
func (g *Gatherer) highAvailabilityOf(ctx context.Context, q sessionjob.Questions, s *sessionjob.Snapshot) {
	if q.HAData {
		s.HAData = g.haData(ctx, s.Resource.Namespace, sessionjob.ClusterOf(s.Resource))
	}
	if q.HANodes != nil {
		s.HANodes = g.haNodes(ctx, *q.HANodes)
	}
}

// otherSessionJobs lists the FlinkSessionJobs of a namespace beside one. One that cannot be read has no job.
func (g *Gatherer) otherSessionJobs(
	ctx context.Context, one *v1beta1.FlinkSessionJob,
) plan.Observed[[]sessionjob.Other] {
	found := []sessionjob.Other{}
	query := kube.Query{Resource: v1beta1.FlinkSessionJobGVR, Namespace: one.Namespace, Limit: listed}
	err := pages(ctx, g.Kube, query, func(u *unstructured.Unstructured) error {
		id, _, _ := unstructured.NestedString(u.Object, "status", "jobStatus", "jobId")
		if id != "" && u.GetUID() != one.UID {
			found = append(found, sessionjob.Other{UID: u.GetUID(), JobID: id})
		}
		return nil
	})
	if err != nil {
		return plan.Unknown[[]sessionjob.Other](oneLine(err))
	}
	return plan.Present(found)
}

// Cluster reads a session cluster.
func (g *Gatherer) Cluster(ctx context.Context, namespace, name string) Hosting {
	var h Hosting
	var group errgroup.Group
	group.Go(func() error {
		u, found, err := g.Kube.Get(
			ctx, kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: namespace, Name: name},
		)
		h.Resource = observe(u, found, err, decodedDeployment)
		if d, ok := h.Resource.Get(); ok {
			h.Recorded = deployment.ReadRecorded(d)
		}
		return nil
	})
	group.Go(func() error { h.JobManager = g.JobManager(ctx, namespace, name); return nil })
	_ = group.Wait() // both report their failure in what they answer
	return h
}

func decodedDeployment(u *unstructured.Unstructured) (*v1beta1.FlinkDeployment, error) {
	d, _, err := v1beta1.DecodeDeployment(u.Object)
	return &d, err
}

// Jobs asks a JobManager for its jobs.
func (g *Gatherer) Jobs(ctx context.Context, at plan.Endpoint) (Jobs, error) {
	client, err := g.Flink(at)
	if err != nil {
		return Jobs{}, err
	}
	jobs, err := jobsOf(ctx, client)
	return Jobs{listed: jobs, client: client}, err
}

func jarsOf(ctx context.Context, client *flinkrest.Client) plan.Observed[[]sessionjob.Jar] {
	answer, err := client.Jars(ctx)
	if err != nil {
		return plan.Unknown[[]sessionjob.Jar](oneLine(err))
	}
	jars := make([]sessionjob.Jar, 0, len(answer))
	for _, j := range answer {
		jars = append(jars, sessionjob.Jar{ID: j.ID, Name: j.Name})
	}
	return plan.Present(jars)
}
