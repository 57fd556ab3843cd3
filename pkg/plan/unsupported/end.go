package unsupported

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// finalizers of the Java operator that hold the kinds that are not run here. It sets none on a
// FlinkBlueGreenDeployment; one that is there all the same is held by nobody else.
var finalizers = map[string]string{
	v1beta1.KindFlinkSessionJob:          v1beta1.FinalizerFlinkSessionJob,
	v1beta1.KindFlinkBlueGreenDeployment: v1beta1.FinalizerFlinkBlueGreenDeployment,
}

// Held reports whether the resource is being deleted and the Java operator's finalizer holds it.
func Held(resource *unstructured.Unstructured) bool {
	finalizer := finalizers[resource.GetKind()]
	return resource.GetDeletionTimestamp() != nil && slices.Contains(resource.GetFinalizers(), finalizer)
}

// end ends a resource that is held. A job is cancelled, as its user asked when he deleted it; what cannot be done in
// time is told.
//
//	held by the Java operator's finalizer               then
//	no                                                  nothing
//	a FlinkBlueGreenDeployment                          let it go: the garbage collector deletes its children
//	a job that was never submitted, or has ended        let it go
//	its cluster is gone, or does not list the job       let it go
//	a savepoint was asked for                           let it go; its job runs on, a Warning says how to stop it
//	waited for longer than kubernetes.operator.         let it go; a Warning says that its job may run on
//	resource.cleanup.timeout
//	its cluster lists the job, not as CANCELLING        cancel it, and look again
//	otherwise                                           wait
func end(s Snapshot) plan.Plan {
	p := plan.Plan{Situation: plan.Deleting}
	if !Held(s.Resource) {
		return p
	}
	j := readJob(s)
	state, listed := s.Job.Get()
	switch {
	case j == nil, s.Cluster.IsAbsent(), s.Job.IsAbsent(), listed && state.IsTerminal():
		return goes(s, "")
	case j.saves:
		return goes(s, fmt.Sprintf("kubernetes.operator.job.savepoint-on-deletion is true, and kn-flink takes no "+
			"savepoint of a"+
			" session job yet: job %s runs on in session cluster %s; stop it with: flink stop %s", j.id, j.cluster,
			j.id))
	case s.Now.After(s.until(j)):
		return goes(s, fmt.Sprintf("job %s could not be cancelled within %s, so it may run on in session cluster %s: %s",
			j.id, j.timeout, j.cluster, s.why()))
	}
	message := fmt.Sprintf("job %s is being cancelled in session cluster %s", j.id, j.cluster)
	if !listed {
		message = fmt.Sprintf("job %s is to be cancelled in session cluster %s, which is waited for until %s: %s",
			j.id, j.cluster, s.until(j).UTC().Format(time.RFC3339), s.why())
	} else if state != v1beta1.FlinkJobCancelling {
		p.Actions = []plan.Action{plan.CancelJob{JobID: j.id, Endpoint: j.endpoint}}
	}
	if listed {
		p.Requeue = plan.RequeueSoon
	}
	if !told(s.Resource, summary.Reconciling, message) {
		p.Status = waiting(s, message)
	}
	return p
}

// cancelling is the reason of the condition Reconciling while the job's end is waited for.
const cancelling = "CancellingJob"

// until is when the wait for the job's end is over. It begins with the first look, however late that is: the job was
// not asked before.
func (s Snapshot) until(j *sessionJob) time.Time {
	for _, c := range conditionsOf(s.Resource) {
		if c.Type == summary.Reconciling && c.Reason == cancelling {
			return c.LastTransitionTime.Add(j.timeout)
		}
	}
	return s.Now.Truncate(time.Second).Add(j.timeout)
}

// why is why nothing is known of the job.
func (s Snapshot) why() string {
	switch hide := Hider(s); {
	case s.Cluster.IsUnknown():
		return hide("its FlinkDeployment cannot be read: " + s.Cluster.Why())
	case s.Job.IsUnknown():
		return hide("Flink does not respond: " + s.Job.Why())
	}
	return "Flink still lists it"
}

// Hider leaves the secrets of the resource, of its cluster and of the operator out of texts.
func Hider(s Snapshot) func(text string) string {
	cluster, _ := s.Cluster.Get()
	var j *v1beta1.FlinkSessionJob
	if s.Resource.GetKind() == v1beta1.KindFlinkSessionJob {
		if r, _, err := v1beta1.DecodeSessionJob(s.Resource.Object); err == nil {
			j = &r
		}
	}
	return flinkconf.SecretsOf(s.Operator, cluster, j).Text
}

// waiting is the status while the job's end is waited for. A pace of fast makes each sweep look again.
func waiting(s Snapshot, message string) *map[string]any {
	status := statusWith(s, metav1.Condition{
		Type: summary.Reconciling, Status: metav1.ConditionTrue, Reason: cancelling, Message: message,
	})
	(*status)["pace"], (*status)["lifecycleState"] = string(v1beta1.PaceFast), string(v1beta1.LifecycleDeleting)
	return status
}

// goes lets the resource go, and tells what stays behind.
func goes(s Snapshot, left string) plan.Plan {
	kind := s.Resource.GetKind()
	p := plan.Plan{
		Situation: plan.Deleting, Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: finalizers[kind]}},
		Events: []plan.Event{
			{Reason: plan.ReasonCleanup, Component: plan.ComponentOperator, Once: true, Message: "Cleaning up " + kind},
		},
	}
	if left != "" {
		p.Events = append(p.Events, plan.Event{
			Warning: true, Reason: plan.ReasonJobLeftRunning, Component: plan.ComponentJob, Once: true, Message: left,
		})
	}
	return p
}

// sessionJob is what is known of a job that may run.
type sessionJob struct {
	id, cluster string
	endpoint    plan.Endpoint
	timeout     time.Duration
	saves       bool
}

// readJob is the job of a FlinkSessionJob; nil when it has none that may run, or nobody could tell where.
func readJob(s Snapshot) *sessionJob {
	if s.Resource.GetKind() != v1beta1.KindFlinkSessionJob {
		return nil
	}
	r, _, err := v1beta1.DecodeSessionJob(s.Resource.Object)
	submitted := r.Status.JobStatus
	if err != nil || r.Spec.DeploymentName == "" || submitted.JobID == "" || submitted.State.IsTerminal() {
		return nil
	}
	j := &sessionJob{id: submitted.JobID, cluster: r.Spec.DeploymentName}
	c := s.Operator.Default(r.Namespace, "")
	if session, found := s.Cluster.Get(); found {
		v := cluster.New(cluster.Snapshot{Seen: job.Seen{Now: s.Now, Operator: s.Operator, Resource: session}})
		j.endpoint = v.Endpoint()
		c = with(s.Operator.Default(r.Namespace, session.Spec.FlinkVersion), session.Spec.FlinkConfiguration)
	}
	c = with(c, r.Spec.FlinkConfiguration)
	o := options.Of(func() flinkconf.Config { return c })
	j.timeout = o.CleanupTimeout()
	j.saves = o.SavepointOnDeletion()
	return j
}

// with is a configuration with another over it, as far as that one can be read.
func with(c flinkconf.Config, more v1beta1.FlinkConfiguration) flinkconf.Config {
	over, err := flinkconf.Flatten(more)
	if err != nil {
		return c
	}
	return c.Merge(over)
}

// AskCluster is the name of the FlinkDeployment that the decision needs; empty when it needs none.
func AskCluster(s Snapshot) string {
	if j := readJob(s); j != nil && Held(s.Resource) {
		return j.cluster
	}
	return ""
}

// AskJob is the job to find among those that a JobManager lists, and where that answers, once the cluster was looked
// at; false when nothing is asked.
func AskJob(s Snapshot) (id string, at plan.Endpoint, wanted bool) {
	j := readJob(s)
	if j == nil || !Held(s.Resource) || !s.Cluster.IsPresent() {
		return "", plan.Endpoint{}, false
	}
	return j.id, j.endpoint, true
}
