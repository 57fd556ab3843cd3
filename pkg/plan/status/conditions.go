package status

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Facts are what the conditions of a resource follow from, beside what a rule decided.
type Facts struct {
	// Now is the time of the look.
	Now time.Time
	// Generation is that of the resource.
	Generation int64
	// Stored are the conditions that status has.
	Stored []metav1.Condition
	// Problem says why the spec is invalid; empty when it is valid.
	Problem string
	// ProblemReason is the reason of the condition that says so.
	ProblemReason plan.Reason
	// JobManager is how the JobManager is doing, as status says it from now on.
	JobManager v1beta1.JobManagerDeploymentStatus
	// Job is the state of the job, the same.
	Job v1beta1.FlinkJobState
	// Session is true for a cluster without a job of its own.
	Session bool
	// Suspended is true when the spec wants the job not to run.
	Suspended bool
	// StateSafe says that the job began again without its newest state, or maybe without, or left state out as it was
	// told to; nil when it did not.
	StateSafe *metav1.Condition
	// More are conditions of what a rule alone knows.
	More []metav1.Condition
	// Hide leaves secrets out of a text.
	Hide func(string) string
}

// makers make the conditions that follow from the facts and the verdict, one each, where it is shown. Package summary
// has their names and their order.
var makers = []func(Facts, Verdict) (c metav1.Condition, shown bool){
	accepted, clusterAvailable, jobRunning, stateSafe, stalled, reconciling,
}

// Conditions derives every condition from the facts and the verdict. Ready follows from the others.
func Conditions(f Facts, o Verdict) []metav1.Condition {
	var wanted []metav1.Condition
	for _, made := range makers {
		if c, shown := made(f, o); shown {
			wanted = append(wanted, c)
		}
	}
	wanted = append(wanted, f.More...)
	for i := range wanted {
		wanted[i].Message = f.Hide(wanted[i].Message)
	}
	return summary.SetConditions(f.Stored, summary.At{Now: f.Now, Generation: f.Generation}, wanted...)
}

// With are stored conditions with one of them replaced.
func With(stored []metav1.Condition, one metav1.Condition, at summary.At) []metav1.Condition {
	wanted := []metav1.Condition{one}
	for _, c := range stored {
		if c.Type != one.Type {
			wanted = append(wanted, c)
		}
	}
	return summary.SetConditions(stored, at, wanted...)
}

// needsAPerson are the reasons, beside the situations Unaccounted and StateLost, for which a person says from which
// state the job starts.
var needsAPerson = map[plan.Reason]bool{
	plan.ReasonLastStateUnknown: true, plan.ReasonUpgradeFailed: true, plan.ReasonRollbackImpossible: true,
	plan.ReasonRestoreFailed: true, plan.ReasonCheckpointNotFound: true,
}

// stateUnsafe reports whether it is not known which state the job would start from, and why.
func stateUnsafe(o Verdict) (plan.Cause, bool) {
	why := o.Wait
	if o.Stall != nil {
		why = *o.Stall
	}
	return why, o.Situation == plan.Unaccounted || o.Situation == plan.StateLost || needsAPerson[why.Reason]
}

// movingMessage says what is under way in each situation that has no words of its own.
var movingMessage = map[plan.Situation]string{
	plan.Deleting: "the cluster is being deleted", plan.Stopping: "the old cluster is being stopped",
	plan.Starting:   "the new cluster is being prepared",
	plan.FirstStart: "the first start is being prepared", plan.Upgrade: "the old cluster is being stopped for an upgrade",
	plan.Suspend: "the job is being suspended", plan.Resume: "the job is being resumed",
	plan.Lost:    "the JobManager Deployment is missing",
	plan.Waiting: "the cluster is not running yet", plan.Unobservable: "the cluster cannot be observed",
}

func accepted(f Facts, _ Verdict) (metav1.Condition, bool) {
	if f.Problem != "" {
		return Condition(summary.SpecAccepted, false, f.ProblemReason, f.Problem), true
	}
	return Condition(summary.SpecAccepted, true, plan.ReasonAccepted, "the spec is valid"), true
}

// stateSafe is shown while it is not known which state the job would start from, and where the facts say what it lost.
func stateSafe(f Facts, o Verdict) (metav1.Condition, bool) {
	if why, unsafe := stateUnsafe(o); unsafe {
		return Condition(summary.StateSafe, false, why.Reason, why.Message), true
	}
	if f.StateSafe != nil {
		return *f.StateSafe, true
	}
	return metav1.Condition{}, false
}

func stalled(_ Facts, o Verdict) (metav1.Condition, bool) {
	if o.Stall == nil {
		return metav1.Condition{}, false
	}
	return Condition(summary.Stalled, true, o.Stall.Reason, o.Stall.Message), true
}

// reconciling is shown while something is under way and nothing stalls it.
func reconciling(_ Facts, o Verdict) (metav1.Condition, bool) {
	reason, message := plan.Reason(o.Situation), movingMessage[o.Situation]
	if o.Wait.Reason != "" {
		reason, message = o.Wait.Reason, o.Wait.Message
	}
	return Condition(summary.Reconciling, true, reason, message), o.Stall == nil && Moving(o.Situation)
}

// clusterAvailable tells how the JobManager is doing, with the reason why it is not.
func clusterAvailable(f Facts, o Verdict) (metav1.Condition, bool) {
	return available(f, o), true
}

func available(f Facts, o Verdict) metav1.Condition {
	jm := f.JobManager
	switch {
	case jm == v1beta1.JobManagerReady:
		return Condition(summary.ClusterAvailable, true, plan.ReasonJobManagerReady, "the JobManager can be reached")
	case o.Situation == plan.Suspended || o.Situation == plan.NeverStarted:
		return Condition(summary.ClusterAvailable, false, summary.ReasonSuspended, "the job is suspended, as specified")
	case f.Job == v1beta1.FlinkJobFinished && o.Situation == plan.Ended:
		return Condition(summary.ClusterAvailable, false, summary.ReasonFinished, "the job has finished")
	case o.PodFailure != nil:
		return Condition(summary.ClusterAvailable, false, o.PodFailure.Reason, o.PodFailure.Message)
	case jm == v1beta1.JobManagerMissing || jm == "":
		return Condition(summary.ClusterAvailable, false, plan.ReasonJobManagerMissing, "there is no JobManager")
	default:
		return Condition(
			summary.ClusterAvailable, false, plan.ReasonJobManagerNotReady, fmt.Sprintf("the JobManager is %s", jm),
		)
	}
}

// jobRunning is shown of what has a job.
func jobRunning(f Facts, _ Verdict) (metav1.Condition, bool) {
	return running(f), !f.Session
}

func running(f Facts) metav1.Condition {
	state := f.Job
	switch {
	case state == v1beta1.FlinkJobCreated:
		return Condition(summary.JobRunning, false, TasksNotRunning.Reason, TasksNotRunning.Message)
	case state == v1beta1.FlinkJobRunning:
		return Condition(summary.JobRunning, true, plan.ReasonRunning, "the job is RUNNING")
	case f.Suspended:
		return Condition(summary.JobRunning, false, summary.ReasonSuspended, "the job is suspended, as specified")
	case state == v1beta1.FlinkJobFinished:
		return Condition(summary.JobRunning, false, summary.ReasonFinished, "the job has finished")
	case state == "":
		return Condition(summary.JobRunning, false, plan.ReasonNotSubmitted, "there is no job yet")
	default:
		return Condition(summary.JobRunning, false, plan.ReasonNotRunning, fmt.Sprintf("the job is %s", state))
	}
}

// TasksNotRunning is the wait for the tasks of a job that the JobManager has taken on.
var TasksNotRunning = plan.Cause{
	Reason: plan.ReasonTasksNotRunning, Message: "the job waits for its tasks to run",
}

// Condition is a condition with a reason of the catalogue.
func Condition(name string, ok bool, reason plan.Reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if ok {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: name, Status: status, Reason: string(reason), Message: message}
}
