package apply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// with is a resource of a kind whose status has these fields: name, text, and so on.
func with(kind string, fields ...string) *unstructured.Unstructured {
	status := map[string]any{}
	for i := 0; i < len(fields); i += 2 {
		status[fields[i]] = fields[i+1]
	}
	return &unstructured.Unstructured{Object: map[string]any{"kind": kind, "status": status}}
}

func TestAStatusInTheLogOfChanges(t *testing.T) {
	const job, sessionJob = v1beta1.KindFlinkDeployment, v1beta1.KindFlinkSessionJob
	const snapshot, blueGreen = v1beta1.KindFlinkStateSnapshot, v1beta1.KindFlinkBlueGreenDeployment
	for name, row := range map[string]struct {
		before, after *unstructured.Unstructured
		want          string
	}{
		"the first": {
			with(job), with(job, "lifecycleState", "UPGRADING"),
			">>> Status[Job]      | Info    | UPGRADING       | a new spec is being brought in",
		},
		"another state": {
			with(sessionJob, "lifecycleState", "DEPLOYED"), with(sessionJob, "lifecycleState", "STABLE"),
			">>> Status[Job]      | Info    | STABLE          | the spec is deployed and stable",
		},
		"another state, with an error": {
			with(job, "lifecycleState", "STABLE"), with(job, "lifecycleState", "FAILED", "error", "out of memory"),
			">>> Status[Job]      | Error   | FAILED          | out of memory",
		},
		"another error": {
			with(job, "lifecycleState", "FAILED"), with(job, "lifecycleState", "FAILED", "error", "out of memory"), "",
		},
		"a snapshot": {
			with(snapshot), with(snapshot, "state", "COMPLETED", "path", "s3://s/1"),
			">>> Status[Snapshot] | COMPLETED | s3://s/1",
		},
		"a snapshot that failed": {
			with(snapshot, "state", "IN_PROGRESS"), with(snapshot, "state", "FAILED", "error", "no room"),
			">>> Status[Snapshot] | FAILED  | no room",
		},
		"a snapshot as it was": {with(snapshot, "state", "FAILED"), with(snapshot, "state", "FAILED"), ""},
		"blue and green":       {with(blueGreen), with(blueGreen, "lifecycleState", "STABLE"), ""},
	} {
		if got := auditStatus(row.before, row.after).message; got != row.want {
			t.Errorf("%s:\n%q, want\n%q", name, got, row.want)
		}
	}
}

// What is told twice is one object that counts, and two lines; what is told once is one line.
func TestEventsInTheLogOfChanges(t *testing.T) {
	s, _ := tells(t)
	core, lines := observer.New(zap.InfoLevel)
	s.c.Events.Audit = zap.New(core).Sugar()
	missing := plan.Event{Reason: "Missing", Component: "Job", Message: "it is gone", Warning: true}
	for range 2 {
		s.tell(plan.Plan{Events: []plan.Event{missing}})
		s.tell(plan.Plan{Events: []plan.Event{{Reason: "Submit", Component: "Job", Message: "started", Once: true}}})
	}
	var got []string
	for _, line := range lines.All() {
		got = append(got, line.Message)
		if key := line.ContextMap()[telemetry.Key]; !strings.HasPrefix(key.(string), "flink/FlinkDeployment/") {
			t.Errorf("the line is about %v", key)
		}
	}
	want := []string{
		">>> Event[Job]       | Warning | MISSING         | it is gone",
		">>> Event[Job]       | Info    | SUBMIT          | started",
		">>> Event[Job]       | Warning | MISSING         | it is gone",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
