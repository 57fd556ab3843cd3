package shown

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
)

// StalledAlready reports whether the stored status says the same, so that it is not told again.
func StalledAlready(v *subject.Subject, message string) bool {
	message = v.Hide(message)
	for _, c := range v.Resource().Status.Conditions {
		if c.Type == summary.Stalled && c.Message == summary.OneLine(message, summary.MaxMessageLength) {
			return true
		}
	}
	return false
}

// Starting tells people of a start and, of an application's, which state its job begins from. The first words are the
// Java operator's.
func Starting(from v1beta1.StartPoint, application bool) string {
	const words = "Starting deployment"
	taken := ""
	if from.Taken != nil {
		taken = " of " + from.Taken.UTC().Format(time.RFC3339)
	}
	switch {
	case !application:
		return words
	case from.Kind == v1beta1.StartSavepoint:
		return fmt.Sprintf("%s from %s%s (%s)", words, from.Path, taken, from.Reason)
	case from.Kind == v1beta1.StartLastState:
		if taken != "" {
			taken += " or later"
		}
		return fmt.Sprintf("%s from the high-availability data%s (%s)", words, taken, from.Reason)
	}
	return fmt.Sprintf("%s without state (%s)", words, from.Reason)
}

// Types of status.error, as users of the Java operator know them.
const (
	TypeDeploymentFailed = "org.apache.flink.kubernetes.operator.exception.DeploymentFailedException"
	TypeReconciliation   = "org.apache.flink.kubernetes.operator.exception.ReconciliationException"
	TypeUpgradeFailed    = "org.apache.flink.kubernetes.operator.exception.UpgradeFailureException"
	TypeJobFailed        = "org.apache.flink.runtime.client.JobExecutionException"
)

// ErrorText is status.error of one cause.
func ErrorText(v *subject.Subject, kind, message, reason string) string {
	return errorText(v, summary.Cause{Type: kind, Message: &message, Reason: reason}, "")
}

// JobFailure is status.error of a job that failed, with Flink's stack trace where the options ask for it.
func JobFailure(v *subject.Subject, cause string) string {
	return errorText(v, summary.Cause{Type: TypeJobFailed, Message: &cause}, v.Seen.Flink.FailureTrace)
}

func errorText(v *subject.Subject, cause summary.Cause, trace string) string {
	message := v.Hide(*cause.Message)
	cause.Message = &message
	text, err := summary.ErrorText([]summary.Cause{cause}, trace, v.ErrorBounds())
	if err != nil {
		return message
	}
	return text
}
