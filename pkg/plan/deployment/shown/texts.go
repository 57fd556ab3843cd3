package shown

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
)

// StalledAlready reports whether the stored status says the same, so that it is not told again.
func StalledAlready(v *subject.Subject, message string) bool {
	for _, c := range v.Resource().Status.Conditions {
		if c.Type == summary.Stalled && c.Message == summary.OneLine(message, summary.MaxMessageLength) {
			return true
		}
	}
	return false
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
	text, err := summary.ErrorText([]summary.Cause{{Type: kind, Message: &message, Reason: reason}}, "", v.ErrorBounds())
	if err != nil {
		return message
	}
	return text
}
