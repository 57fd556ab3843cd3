package workloads

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/local/testsuite"
)

// TestWrongArgumentsAreTold: a job whose main method throws is FAILED with the cause, and starts with the right argument.
func TestWrongArgumentsAreTold(t *testing.T) {
	const name, cause = "wrong-arguments", "RuntimeExecutionMode.QUICK"
	tenant.Apply(t, "wrong-arguments.yaml")
	failed := tenant.Until(t, name, "has FAILED", func(v testsuite.View) bool {
		return v.Job == "FAILED" && v.Lifecycle == "FAILED"
	})
	if !strings.Contains(failed.Message, cause) {
		t.Errorf("status.error does not tell the cause, %s: %s", cause, failed.Message)
	}
	for kind, is := range tenant.Conditions(t, name) {
		t.Logf("%s=%s", kind, is)
	}
	event := tenant.Event(t, name, "JobException", cause)
	t.Logf("%s %s", event.Type, event.Message)
	tenant.Change(t, name, `{"spec":{"job":{"args":["--execution-mode","BATCH"]}}}`)
	ended := finished(t, name, failed.ID)
	if ended.Message != "" {
		t.Errorf("the job runs, and status.error is still %q", ended.Message)
	}
}
