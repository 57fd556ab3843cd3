package job

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// Report writes status.error and tells the events that go with it, once for each cause.
type Report Life

// Shows reports whether this round shows the error of a spec that is invalid, or of a change that is refused: it is
// what a person asked for last, and two errors that take turns would be told again by each pass.
func (v Report) Shows() bool { return v.Problem != "" || v.Refused != nil }

// Fail shows why an operation cannot go on, once.
func (v Report) Fail(reason plan.Reason, message string) {
	text := v.errorText(status.TypeUpgradeFailed, message, "")
	if v.Want.Error != text {
		v.Tell(plan.Event{Warning: true, Reason: reason, Component: plan.ComponentJobManager, Message: message})
	}
	v.Want.Error = text
}

// Rejected tells once that the spec does not validate.
func (v Report) Rejected() {
	text := v.errorText(summary.TypeValidation, v.Headline, "")
	if v.Want.Error != text {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonValidationError, Component: plan.ComponentOperator, Message: v.Headline,
		})
	}
	v.Want.Error = text
}

// StalledAlready reports whether the stored status says the same, so that it is not told again.
func (v Report) StalledAlready(message string) bool {
	told, stalled := v.toldStalled()
	return stalled && told.Message == summary.OneLine(v.Hide(message), summary.MaxMessageLength)
}

// toldStalled is the condition Stalled as it is stored.
func (v Report) toldStalled() (metav1.Condition, bool) {
	for _, c := range v.Resource().Status.Conditions {
		if c.Type == summary.Stalled {
			return c, true
		}
	}
	return metav1.Condition{}, false
}

// errorText is status.error of one cause.
func (v Report) errorText(kind, message, reason string) string {
	return v.bounded(summary.Cause{Type: kind, Message: &message, Reason: reason}, "")
}

// jobFailed is status.error of a job that failed, with Flink's stack trace where the options ask for it.
func (v Report) jobFailed(cause string) string {
	return v.bounded(summary.Cause{Type: status.TypeJobFailed, Message: &cause}, v.Seen.Flink.FailureTrace)
}

// tellsJobFailed reports whether a stored status.error is that of a job that failed.
func tellsJobFailed(text string) bool {
	return strings.Contains(text, `"type":"`+status.TypeJobFailed+`"`)
}

func (v Report) bounded(cause summary.Cause, trace string) string {
	message := v.Hide(*cause.Message)
	cause.Message = &message
	text, err := summary.ErrorText([]summary.Cause{cause}, trace, v.errorBounds())
	if err != nil {
		return message
	}
	return text
}

// errorBounds are the options that bound status.error.
func (v Report) errorBounds() summary.ErrorBounds { return plan.ErrorBounds(v.Config()) }

// podFailure shows why the JobManager cannot start.
func (v Report) podFailure() Result {
	failure := v.Host.PodFailure()
	if failure == nil {
		return Result{Situation: plan.Waiting}
	}
	v.tellPodFailure()
	return Result{Situation: plan.Broken, Stall: failure}
}

// tellPodFailure tells once why the JobManager does not start.
func (v Report) tellPodFailure() {
	failure := v.Host.PodFailure()
	if v.Shows() {
		return
	}
	text := v.errorText(status.TypeDeploymentFailed, failure.Message, string(failure.Reason))
	if v.Want.Error != text {
		v.Tell(plan.Event{
			Warning: true, Reason: failure.Reason, Component: plan.ComponentJobManager, Message: failure.Message,
		})
	}
	v.Want.Error = text
}
