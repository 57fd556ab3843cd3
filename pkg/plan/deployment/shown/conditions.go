package shown

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
)

// setConditions derives every condition from the result and the status. Ready follows from the others.
func setConditions(v *subject.Subject, o Verdict) {
	wanted := []metav1.Condition{accepted(v), clusterAvailable(v, o)}
	if running, ok := summary.MakeRunning(&v.Want); ok {
		wanted = append(wanted, running)
	}
	if !v.IsSession() {
		wanted = append(wanted, jobRunning(v))
	}
	if why, unsafe := stateUnsafe(o); unsafe {
		wanted = append(wanted, condition(summary.StateSafe, false, why.Reason, why.Message))
	} else if lost := v.ProgressLost(); lost != "" {
		wanted = append(wanted, condition(summary.StateSafe, false, plan.ReasonJobRestarted, lost))
	}
	if asked, ok := autoscaling(v); ok {
		wanted = append(wanted, asked)
	}
	if v.Ingress != nil {
		wanted = append(wanted, *v.Ingress)
	}
	switch {
	case o.Stall != nil:
		wanted = append(wanted, condition(summary.Stalled, true, o.Stall.Reason, o.Stall.Message))
	case moving[o.Situation]:
		reason, message := plan.Reason(o.Situation), movingMessage[o.Situation]
		if o.Wait.Reason != "" {
			reason, message = o.Wait.Reason, o.Wait.Message
		}
		wanted = append(wanted, condition(summary.Reconciling, true, reason, message))
	}
	for i := range wanted {
		wanted[i].Message = v.Hide(wanted[i].Message)
	}
	v.Want.Conditions = summary.SetConditions(v.Resource().Status.Conditions, summary.At{
		Now: v.Seen.Now, Generation: v.Resource().Generation,
	}, wanted...)
}

// WithIngress are the conditions of the resource with that of its Ingress as this round leaves it.
func WithIngress(v *subject.Subject) []metav1.Condition {
	wanted := []metav1.Condition{*v.Ingress}
	for _, c := range v.Resource().Status.Conditions {
		if c.Type != summary.IngressReady {
			wanted = append(wanted, c)
		}
	}
	return summary.SetConditions(v.Resource().Status.Conditions, summary.At{
		Now: v.Seen.Now, Generation: v.Resource().Generation,
	}, wanted...)
}

// needsAPerson are the reasons, beside the situations Unaccounted and StateLost, for which a person says from which
// state the job starts.
var needsAPerson = map[plan.Reason]bool{
	plan.ReasonLastStateUnknown: true, plan.ReasonUpgradeFailed: true, plan.ReasonRollbackImpossible: true,
}

// stateUnsafe reports whether it is not known which state the job would start from, and why.
func stateUnsafe(o Verdict) (Cause, bool) {
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

func accepted(v *subject.Subject) metav1.Condition {
	if v.Problem != "" {
		return condition(summary.SpecAccepted, false, plan.ReasonValidationFailed, v.Problem)
	}
	return condition(summary.SpecAccepted, true, plan.ReasonAccepted, "the spec is valid")
}

// clusterAvailable tells how the JobManager is doing, with the reason why it is not.
func clusterAvailable(v *subject.Subject, o Verdict) metav1.Condition {
	jm := v.Want.JobManagerDeploymentStatus
	switch {
	case jm == v1beta1.JobManagerReady:
		return condition(summary.ClusterAvailable, true, plan.ReasonJobManagerReady, "the JobManager can be reached")
	case v.PodFailure != nil:
		return condition(summary.ClusterAvailable, false, v.PodFailure.Reason, v.PodFailure.Message)
	case o.Situation == plan.Suspended || o.Situation == plan.NeverStarted:
		return condition(summary.ClusterAvailable, false, summary.ReasonSuspended, "the job is suspended, as specified")
	case v.Want.JobStatus.State == v1beta1.FlinkJobFinished && o.Situation == plan.Ended:
		return condition(summary.ClusterAvailable, false, summary.ReasonFinished, "the job has finished")
	case jm == v1beta1.JobManagerMissing || jm == "":
		return condition(summary.ClusterAvailable, false, plan.ReasonJobManagerMissing, "there is no JobManager")
	default:
		return condition(
			summary.ClusterAvailable, false, plan.ReasonJobManagerNotReady, fmt.Sprintf("the JobManager is %s", jm),
		)
	}
}

func jobRunning(v *subject.Subject) metav1.Condition {
	state := v.Want.JobStatus.State
	switch {
	case state == v1beta1.FlinkJobCreated:
		return condition(summary.JobRunning, false, tasksNotRunning.Reason, tasksNotRunning.Message)
	case state == v1beta1.FlinkJobRunning:
		return condition(summary.JobRunning, true, plan.ReasonRunning, "the job is RUNNING")
	case !v.LastRunning() && v.Last != nil, v.Last == nil && !v.WantsRunning():
		return condition(summary.JobRunning, false, summary.ReasonSuspended, "the job is suspended, as specified")
	case state == v1beta1.FlinkJobFinished:
		return condition(summary.JobRunning, false, summary.ReasonFinished, "the job has finished")
	case state == "":
		return condition(summary.JobRunning, false, plan.ReasonNotSubmitted, "there is no job yet")
	default:
		return condition(summary.JobRunning, false, plan.ReasonNotRunning, fmt.Sprintf("the job is %s", state))
	}
}

func condition(name string, ok bool, reason plan.Reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if ok {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: name, Status: status, Reason: string(reason), Message: message}
}
