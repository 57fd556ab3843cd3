package subject

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
)

// StalledAlready reports whether the stored status says the same, so that it is not told again.
func (v *Subject) StalledAlready(message string) bool {
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
func (v *Subject) ErrorText(kind, message, reason string) string {
	text, err := summary.ErrorText([]summary.Cause{{Type: kind, Message: &message, Reason: reason}}, "", v.errorBounds())
	if err != nil {
		return message
	}
	return text
}

// StoresIntent reports whether this round stores an intent of its own.
func (v *Subject) StoresIntent() bool {
	stored := v.Resource().Status.Intent
	return v.Want.Intent != nil && (stored == nil || stored.OperationID != v.Want.Intent.OperationID)
}
