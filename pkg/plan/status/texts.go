package status

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Starting tells people of a start and, of an application's, which state its job begins from. The first words are the
// Java operator's.
func Starting(from v1beta1.StartPoint, application bool) string {
	const words = "Starting deployment"
	if from.RepeatsWork {
		const repeated = "; the job had FINISHED, and what it had done since its start is done again"
		from.RepeatsWork = false
		return Starting(from, application) + repeated
	}
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
