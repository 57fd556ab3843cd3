package gather

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// Host reads what the jobs of one session cluster have in common.
type Host interface {
	// Cluster reads the FlinkDeployment and the Deployment of its JobManager.
	Cluster(ctx context.Context, namespace, name string) Hosting
	// Jobs asks a JobManager for its jobs.
	Jobs(ctx context.Context, at plan.Endpoint) (Jobs, error)
	// Autoscaled looks for what the autoscaler keeps of one of its jobs.
	Autoscaled(ctx context.Context, resource metav1.Object) plan.Observed[autoscaled.Store]
}

// Hosting is a session cluster as it was read.
type Hosting struct {
	// Resource is the FlinkDeployment.
	Resource plan.Observed[*v1beta1.FlinkDeployment]
	// Recorded is what it records; nil when it is not there, or not known.
	Recorded *world.Recorded
	// JobManager is the Deployment of its JobManager.
	JobManager plan.Observed[*appsv1.Deployment]
}

// Jobs are those of one JobManager, and the client that asked it.
type Jobs struct {
	listed []world.Job
	client *flinkrest.Client
}

// SessionJob looks at a FlinkSessionJob that was read already, and at its cluster for it alone.
func (g *Gatherer) SessionJob(ctx context.Context, object *unstructured.Unstructured) (*sessionjob.Inquiry, error) {
	return g.SessionJobOf(ctx, object, g)
}

// SessionJobOf looks at a FlinkSessionJob that was read already. Protocol, each step after the answers of the one
// before, and only as far as asked for:
//
//  1. its session cluster: the FlinkDeployment | the Deployment of the JobManager
//  2. what an autoscaler had set | the other session jobs
//  3. Flink's jobs
//     and the other session jobs, when one of these may be this resource's
//  4. Flink's jars | the job's FlinkStateSnapshots | the high-availability data | what else the jobs make worth a
//     question
func (g *Gatherer) SessionJobOf(
	ctx context.Context, object *unstructured.Unstructured, host Host,
) (*sessionjob.Inquiry, error) {
	resource, specErr, err := v1beta1.DecodeSessionJob(object.Object)
	if err != nil {
		return nil, fail.As(
			fail.Invalid, "read FlinkSessionJob "+object.GetNamespace()+"/"+object.GetName(), "Unreadable", err,
		)
	}
	known := session.Snapshot{Now: g.Now(), Operator: g.Operator, Resource: &resource, Uploads: g.Uploads}
	if specErr != nil {
		known.SpecProblem = fail.Message(specErr)
	}
	if name := session.ClusterOf(&resource); name != "" {
		read := host.Cluster(ctx, resource.Namespace, name)
		known.Cluster, known.ClusterRecorded, known.JobManager = read.Resource, read.Recorded, read.JobManager
	} else {
		known.Cluster, known.JobManager = plan.Absent[*v1beta1.FlinkDeployment](), plan.Absent[*appsv1.Deployment]()
	}
	known.Recorded = session.ReadRecorded(&resource)
	inquiry := sessionjob.Open(known)
	s := inquiry.Seen
	if inquiry.AsksAutoscaled() {
		inquiry.SeeAutoscaled(host.Autoscaled(ctx, &resource))
	}
	if inquiry.AsksValidators() {
		s.Judged = g.judged(ctx, judging{
			kind: v1beta1.KindFlinkSessionJob, resource: &resource, gvr: v1beta1.FlinkSessionJobGVR, spec: resource.Spec,
			stored: resource.Status.Verdict,
		})
	}
	s.Revisions = g.revisionsIf(ctx, inquiry.AsksRevisions, &resource)
	q := g.Revise.sessionJob(inquiry.First(), inquiry)
	g.others(ctx, q.Others, s)
	if q.Flink == nil {
		g.highAvailabilityOf(ctx, q, s)
		return inquiry, nil
	}
	jobs, err := host.Jobs(ctx, *q.Flink)
	if err != nil {
		s.Flink = unanswered(err)
		g.highAvailabilityOf(ctx, q, s)
		return inquiry, nil
	}
	g.others(ctx, !q.Others && inquiry.AsksWhose(jobs.listed), s)
	var looks sync.WaitGroup
	apart := inquiry.Apart()
	looks.Go(func() { g.highAvailabilityOf(ctx, q, s) }) // an end that the jobs show is stored later
	if q.Jars {
		looks.Go(func() { s.Jars = jarsOf(ctx, jobs.client) })
	}
	if q.Snapshots {
		looks.Go(func() {
			job := v1beta1.JobReference{Kind: v1beta1.JobKindFlinkSessionJob, Name: resource.Name}
			s.Snapshots = g.Snapshots(ctx, resource.Namespace, job)
		})
	}
	looks.Go(func() {
		s.Flink = g.flinkOf(ctx, jobs.client, jobs.listed, nil, asked{
			seen: apart.Life(), stop: q.Stop, more: func(f world.Flink) ask.More {
				apart.Seen.Flink = f
				return apart.Flink()
			},
		})
	})
	looks.Wait() // each reports its failure in the part that it fills
	s.Readers = g.readers(ctx, &resource, inquiry.Readers())
	return inquiry, nil
}

// highAvailabilityOf looks at the high-availability data of the session cluster, as far as asked for.
func (g *Gatherer) highAvailabilityOf(ctx context.Context, q sessionjob.Questions, s *session.Snapshot) {
	if q.HAData {
		s.HAData = g.haData(ctx, s.Resource.Namespace, session.ClusterOf(s.Resource))
	}
	if q.HANodes != nil {
		s.HANodes = g.haNodes(ctx, *q.HANodes)
	}
}

// others looks at the FlinkSessionJobs of the namespace beside this one, if wanted.
func (g *Gatherer) others(ctx context.Context, wanted bool, s *session.Snapshot) {
	if wanted {
		s.Others = g.otherSessionJobs(ctx, s.Resource)
	}
}

// otherSessionJobs lists the FlinkSessionJobs of a namespace beside one. One that cannot be read has no job.
func (g *Gatherer) otherSessionJobs(
	ctx context.Context, one *v1beta1.FlinkSessionJob,
) plan.Observed[[]session.Other] {
	found := []session.Other{}
	query := kube.Query{Resource: v1beta1.FlinkSessionJobGVR, Namespace: one.Namespace, Limit: listed}
	err := pages(ctx, g.Kube, query, func(u *unstructured.Unstructured) error {
		id, _, _ := unstructured.NestedString(u.Object, "status", "jobStatus", "jobId")
		if id != "" && u.GetUID() != one.UID {
			found = append(found, session.Other{UID: u.GetUID(), JobID: id})
		}
		return nil
	})
	if err != nil {
		return plan.Unknown[[]session.Other](oneLine(err))
	}
	return plan.Present(found)
}

// Cluster reads a session cluster.
func (g *Gatherer) Cluster(ctx context.Context, namespace, name string) Hosting {
	var h Hosting
	var looks sync.WaitGroup
	looks.Go(func() {
		u, found, err := g.Kube.Get(
			ctx, kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: namespace, Name: name},
		)
		h.Resource = observe(u, found, err, decodedDeployment)
		if d, ok := h.Resource.Get(); ok {
			h.Recorded = world.ReadRecorded(d)
		}
	})
	looks.Go(func() { h.JobManager = g.JobManager(ctx, namespace, name) })
	looks.Wait() // both report their failure in what they answer
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

func jarsOf(ctx context.Context, client *flinkrest.Client) plan.Observed[[]session.Jar] {
	answer, err := client.Jars(ctx)
	if err != nil {
		return plan.Unknown[[]session.Jar](oneLine(err))
	}
	jars := make([]session.Jar, 0, len(answer))
	for _, j := range answer {
		jars = append(jars, session.Jar{ID: j.ID, Name: j.Name})
	}
	return plan.Present(jars)
}
