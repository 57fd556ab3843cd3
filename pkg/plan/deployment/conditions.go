package deployment

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// setConditions derives every condition from the outcome and the status. Ready follows from the others.
func (v *view) setConditions(o outcome) {
	wanted := []metav1.Condition{v.accepted(), v.clusterAvailable(o)}
	if running, ok := summary.MakeRunning(&v.want); ok {
		wanted = append(wanted, running)
	}
	if !v.isSession() {
		wanted = append(wanted, v.jobRunning())
	}
	if o.situation == plan.Unaccounted {
		wanted = append(wanted, condition(summary.StateSafe, false, o.stall.reason, o.stall.message))
	}
	switch {
	case o.stall != nil:
		wanted = append(wanted, condition(summary.Stalled, true, o.stall.reason, o.stall.message))
	case moving[o.situation]:
		reason, message := string(o.situation), movingMessage[o.situation]
		if o.wait.reason != "" {
			reason, message = o.wait.reason, o.wait.message
		}
		wanted = append(wanted, condition(summary.Reconciling, true, reason, message))
	}
	v.want.Conditions = summary.SetConditions(v.resource().Status.Conditions, summary.At{Now: v.s.Now, Generation: v.resource().Generation}, wanted...)
}

// movingMessage says what is under way in each situation that has no words of its own.
var movingMessage = map[plan.Situation]string{
	plan.Deleting: "the cluster is being deleted", plan.Stopping: "the old cluster is being stopped",
	plan.Starting:   "the new cluster is being prepared",
	plan.FirstStart: "the first start is being prepared", plan.Upgrade: "the old cluster is being stopped for an upgrade",
	plan.Suspend: "the job is being suspended", plan.Resume: "the job is being resumed", plan.Lost: "the JobManager Deployment is gone",
	plan.Waiting: "the cluster is not running yet", plan.Unobservable: "the cluster cannot be looked at",
}

func (v *view) accepted() metav1.Condition {
	if v.problem != "" {
		return condition(summary.SpecAccepted, false, "ValidationFailed", v.problem)
	}
	return condition(summary.SpecAccepted, true, "Accepted", "the spec is valid")
}

// clusterAvailable tells how the JobManager is doing, with the reason why it is not.
func (v *view) clusterAvailable(o outcome) metav1.Condition {
	jm := v.want.JobManagerDeploymentStatus
	switch {
	case jm == v1beta1.JobManagerReady:
		return condition(summary.ClusterAvailable, true, "JobManagerReady", "the JobManager answers")
	case v.broken != nil:
		return condition(summary.ClusterAvailable, false, v.broken.reason, v.broken.message)
	case o.situation == plan.Suspended || o.situation == plan.NeverStarted:
		return condition(summary.ClusterAvailable, false, summary.ReasonSuspended, "the job is suspended, as the spec asks")
	case v.want.JobStatus.State == v1beta1.FlinkJobFinished && o.situation == plan.Ended:
		return condition(summary.ClusterAvailable, false, summary.ReasonFinished, "the job has finished")
	case jm == v1beta1.JobManagerMissing || jm == "":
		return condition(summary.ClusterAvailable, false, "JobManagerMissing", "there is no JobManager")
	default:
		return condition(summary.ClusterAvailable, false, "JobManagerNotReady", fmt.Sprintf("the JobManager is %s", jm))
	}
}

func (v *view) jobRunning() metav1.Condition {
	state := v.want.JobStatus.State
	switch {
	case state == v1beta1.FlinkJobRunning && v.job != nil && !v.job.runs():
		return condition(summary.JobRunning, false, "TasksNotRunning", "the job waits for its tasks to run")
	case state == v1beta1.FlinkJobRunning:
		return condition(summary.JobRunning, true, "Running", "the job is RUNNING")
	case !v.lastRunning() && v.last != nil, v.last == nil && !v.wantsRunning():
		return condition(summary.JobRunning, false, summary.ReasonSuspended, "the job is suspended, as the spec asks")
	case state == v1beta1.FlinkJobFinished:
		return condition(summary.JobRunning, false, summary.ReasonFinished, "the job has finished")
	case state == "":
		return condition(summary.JobRunning, false, "NotSubmitted", "there is no job yet")
	default:
		return condition(summary.JobRunning, false, "NotRunning", fmt.Sprintf("the job is %s", state))
	}
}

func condition(name string, ok bool, reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if ok {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: name, Status: status, Reason: reason, Message: message}
}

// stalledAlready reports whether the stored status says the same, so that it is not told again.
func (v *view) stalledAlready(message string) bool {
	for _, c := range v.resource().Status.Conditions {
		if c.Type == summary.Stalled && c.Message == summary.OneLine(message, summary.MaxMessageLength) {
			return true
		}
	}
	return false
}

// Types of status.error, as users of the Java operator know them.
const (
	typeDeploymentFailed = "org.apache.flink.kubernetes.operator.exception.DeploymentFailedException"
	typeReconciliation   = "org.apache.flink.kubernetes.operator.exception.ReconciliationException"
	typeJobFailed        = "org.apache.flink.runtime.client.JobExecutionException"
)

// errorText is status.error of one cause.
func (v *view) errorText(kind, message, reason string) string {
	text, err := summary.ErrorText([]summary.Cause{{Type: kind, Message: &message, Reason: reason}}, "", v.errorBounds())
	if err != nil {
		return message
	}
	return text
}
