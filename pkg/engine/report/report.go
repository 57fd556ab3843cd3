package report

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// Shows reports whether this round shows the error of a spec that is invalid, or of a change that is refused: it is
// what a person asked for last, and two errors that take turns would be told again by each pass.
func Shows(v *world.Look) bool { return v.Problem != "" || v.Found.Refused != nil }

// Failure says why an operation cannot go on.
func Failure(v *world.Look, reason plan.Reason, message string) *decision.Shown {
	return &decision.Shown{
		Error: ErrorText(v, status.TypeUpgradeFailed, message, ""),
		Event: &plan.Event{Warning: true, Reason: reason, Component: plan.ComponentJobManager, Message: message},
	}
}

// Rejection says that the spec does not validate.
func Rejection(v *world.Look) *decision.Shown {
	return &decision.Shown{
		Error: ErrorText(v, summary.TypeValidation, v.Headline, ""),
		Event: &plan.Event{
			Warning: true, Reason: plan.ReasonValidationError, Component: plan.ComponentOperator, Message: v.Headline,
		},
	}
}

// StalledAlready reports whether the stored status says the same, so that it is not told again.
func StalledAlready(v *world.Look, message string) bool {
	told, stalled := ToldStalled(v)
	return stalled && told.Message == summary.OneLine(v.Shown(message), summary.MaxMessageLength)
}

// ToldStalled is the condition Stalled as it is stored.
func ToldStalled(v *world.Look) (metav1.Condition, bool) {
	for _, c := range v.Resource().Status.Conditions {
		if c.Type == summary.Stalled {
			return c, true
		}
	}
	return metav1.Condition{}, false
}

// ErrorText is status.error of one cause.
func ErrorText(v *world.Look, kind, message, reason string) string {
	return bounded(v, summary.Cause{Type: kind, Message: &message, Reason: reason}, "")
}

// JobFailed is status.error of a job that failed, with Flink's stack trace where the options ask for it.
func JobFailed(v *world.Look, cause string) string {
	return bounded(v, summary.Cause{Type: status.TypeJobFailed, Message: &cause}, v.Seen.Flink.FailureTrace)
}

// TellsJobFailed reports whether a stored status.error is that of a job that failed.
func TellsJobFailed(text string) bool {
	return strings.Contains(text, `"type":"`+status.TypeJobFailed+`"`)
}

func bounded(v *world.Look, cause summary.Cause, trace string) string {
	message := v.Shown(*cause.Message)
	cause.Message = &message
	text, err := summary.ErrorText([]summary.Cause{cause}, v.Shown(trace), errorBounds(v))
	if err != nil {
		return message
	}
	return text
}

// errorBounds are the options that bound status.error.
func errorBounds(v *world.Look) summary.ErrorBounds { return plan.ErrorBounds(v.Config()) }

// PodFailure says why the JobManager does not start; nil while status shows the error of a spec.
func PodFailure(v *world.Look) *decision.Shown {
	failure := v.Host.PodFailure()
	if Shows(v) {
		return nil
	}
	return &decision.Shown{
		Error: ErrorText(v, status.TypeDeploymentFailed, failure.Message, string(failure.Reason)),
		Event: &plan.Event{
			Warning: true, Reason: failure.Reason, Component: plan.ComponentJobManager, Message: failure.Message,
		},
	}
}

// EffectFailed says, of the status that a round left behind, that an effect failed. Its caller says whether it waits
// for a user or for the next attempt.
func EffectFailed(v *world.Look, reason, message string) decision.Decision {
	return decision.Decision{
		Shown: &decision.Shown{
			Error: ErrorText(v, status.TypeReconciliation, message, reason),
			Event: &plan.Event{
				Warning: true, Reason: plan.ReasonError, Component: plan.ComponentJobManager, Message: message,
			},
		},
		Result: decision.Result{
			Situation: TriedIn(v), Stall: &plan.Cause{Reason: plan.Reason(reason), Message: message}, KeepsRefusal: true,
		},
	}
}

// TriedIn is the situation in which an effect failed: the one that the round before left, unless nothing is tried in
// that one, or a steady job may have lost what it had done. Then this round has found another.
func TriedIn(v *world.Look) plan.Situation {
	switch s := plan.Situation(v.Resource().Status.Situation); {
	case s == plan.StateLost, s == plan.Unaccounted, s == "", s == plan.Steady && facts.Suspected(v.Want.LostProgress):
		return plan.Waiting
	default:
		return s
	}
}
