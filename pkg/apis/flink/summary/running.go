package summary

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// MakeRunning makes the condition Running that the Java operator sets on a
// FlinkDeployment; ok is false before the first deployment, when there is none.
// Whether it is an application is read from lastReconciledSpec:
//
//	cluster     | status                | reason                        | message
//	application | True iff job RUNNING  | job state, one capital        | Job status <STATE>
//	session     | True iff READY        | that of the JobManager status | that of the JobManager status
func MakeRunning(status *v1beta1.FlinkDeploymentStatus) (condition metav1.Condition, ok bool) {
	text := status.ReconciliationStatus.LastReconciledSpec
	if text == "" {
		return metav1.Condition{}, false
	}
	running := status.JobManagerDeploymentStatus == v1beta1.JobManagerReady
	reason, message := jobManagerReason(status.JobManagerDeploymentStatus)
	if v1beta1.ReconciledJobState(text) != "" {
		state := status.JobStatus.State
		if state == "" {
			state = v1beta1.FlinkJobReconciling
		}
		running = state == v1beta1.FlinkJobRunning
		reason = string(state[:1]) + strings.ToLower(string(state[1:]))
		message = "Job status " + string(state)
	}
	condition = metav1.Condition{Type: Running, Status: metav1.ConditionFalse, Reason: reason, Message: message}
	if running {
		condition.Status = metav1.ConditionTrue
	}
	return condition, true
}

func jobManagerReason(status v1beta1.JobManagerDeploymentStatus) (reason, message string) {
	switch status {
	case v1beta1.JobManagerReady:
		return "JobManagerReady", "JobManager is running and ready to receive REST API calls"
	case v1beta1.JobManagerDeployedNotReady:
		return "DeployedNotReady", "JobManager is running but not yet ready to receive REST API calls"
	case v1beta1.JobManagerDeploying:
		return "JobManagerIsDeploying", "JobManager process is starting up"
	case v1beta1.JobManagerError:
		return "Error", "JobManager deployment failed"
	default: // MISSING, and what is not known
		return "JobManagerDeploymentMissing", "JobManager deployment not found"
	}
}
