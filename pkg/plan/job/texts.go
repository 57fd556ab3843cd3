package job

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// StalledAlready reports whether the stored status says the same, so that it is not told again.
func (v *Life) StalledAlready(message string) bool {
	told, stalled := v.toldStalled()
	return stalled && told.Message == summary.OneLine(v.Hide(message), summary.MaxMessageLength)
}

// toldStalled is the condition Stalled as it is stored.
func (v *Life) toldStalled() (metav1.Condition, bool) {
	for _, c := range v.Resource().Status.Conditions {
		if c.Type == summary.Stalled {
			return c, true
		}
	}
	return metav1.Condition{}, false
}

// ErrorText is status.error of one cause.
func (v *Life) ErrorText(kind, message, reason string) string {
	return v.errorText(summary.Cause{Type: kind, Message: &message, Reason: reason}, "")
}

// jobFailure is status.error of a job that failed, with Flink's stack trace where the options ask for it.
func (v *Life) jobFailure(cause string) string {
	return v.errorText(summary.Cause{Type: status.TypeJobFailed, Message: &cause}, v.Seen.Flink.FailureTrace)
}

func (v *Life) errorText(cause summary.Cause, trace string) string {
	message := v.Hide(*cause.Message)
	cause.Message = &message
	text, err := summary.ErrorText([]summary.Cause{cause}, trace, v.errorBounds())
	if err != nil {
		return message
	}
	return text
}

// reportPodFailure shows why the JobManager cannot start.
func (v *Life) reportPodFailure() Result {
	failure := v.Host.PodFailure()
	if failure == nil {
		return Result{Situation: plan.Waiting}
	}
	v.tellPodFailure()
	return Result{Situation: plan.Broken, Stall: failure}
}

// tellPodFailure tells once why the JobManager does not start.
func (v *Life) tellPodFailure() {
	failure := v.Host.PodFailure()
	if v.Shows() {
		return
	}
	text := v.ErrorText(status.TypeDeploymentFailed, failure.Message, string(failure.Reason))
	if v.Want.Error != text {
		v.Tell(plan.Event{
			Warning: true, Reason: failure.Reason, Component: plan.ComponentJobManager, Message: failure.Message,
		})
	}
	v.Want.Error = text
}
