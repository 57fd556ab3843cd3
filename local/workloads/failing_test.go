package workloads

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/local/tenant"
	corev1 "k8s.io/api/core/v1"
)

// TestWrongArgumentsAreTold: a job whose main method throws is FAILED with the cause, and starts with the right
// argument.
func TestWrongArgumentsAreTold(t *testing.T) {
	const name, cause = "wrong-arguments", "RuntimeExecutionMode.QUICK"
	ns.Apply(t, ns.File(t, "wrong-arguments.yaml")...)
	failed := ns.Until(t, name, "has FAILED", func(v tenant.View) bool {
		return v.Job == "FAILED" && v.Lifecycle == "FAILED"
	})
	if !strings.Contains(failed.Message, cause) {
		t.Errorf("status.error does not tell the cause, %s: %s", cause, failed.Message)
	}
	told(t, name, "JobRunning", "False NotRunning: the job is FAILED")
	told(t, name, "ClusterAvailable", "True JobManagerReady: the JobManager can be reached")
	if event := ns.Event(t, name, "JobException", cause); event.Type != corev1.EventTypeWarning {
		t.Errorf("the event is %s: %s", event.Type, event.Message)
	}
	ns.Change(t, name, `{"spec":{"job":{"args":["--execution-mode","BATCH"]}}}`)
	ended := finished(t, name, failed.ID)
	if ended.Message != "" {
		t.Errorf("the job runs, and status.error is still %q", ended.Message)
	}
}
