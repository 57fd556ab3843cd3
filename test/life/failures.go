package life

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/watch"
)

// RolledBack changes the job to an image that is nowhere. The functions are killed while the last stable spec is
// brought back, and its JobManager, too.
var RolledBack = Chapter{"an upgrade that fails is rolled back, functions and JobManager killed",
	func(t *testing.T, l *Life) {
		spec := by("last-state")
		spec["image"] = "flink:no-such-tag"
		spec["flinkConfiguration"] = map[string]any{"kubernetes.operator.deployment.readiness.timeout": "10 s"}
		l.apply(t, change{spec: spec})
		jobManager, resource := l.jobManager(t), l.resource(t)
		failed := jobManager.Until("is the one that cannot start", Released)
		resource.Until("is being rolled back", State("ROLLING_BACK"))
		l.whileFunctionsDie(t, func() {
			jobManager.Until("is the last stable one, released", Replaced(failed))
			l.killStarting(t)
			l.rolledBack(t, resource)
		})
	}}

// rolledBack waits until the rollback is done, and for what tells of it.
func (l *Life) rolledBack(t *testing.T, resource *watch.Watcher) {
	t.Helper()
	rolled := resource.Until("is rolled back", State("ROLLED_BACK"))
	if why := watch.Text(rolled.Unstructured, "status", "reconciliationStatus", "state"); why != "ROLLED_BACK" {
		t.Errorf("reconciliationStatus.state is %q", why)
	}
}

var failedRolledBack = Chapter{"an upgrade whose job fails for good is rolled back", func(t *testing.T, l *Life) {
	spec := map[string]any{"job": map[string]any{"upgradeMode": "savepoint", "args": []any{"--rps", "0"}}}
	spec["flinkConfiguration"] = map[string]any{
		"restart-strategy.type": "disable", "kubernetes.operator.deployment.readiness.timeout": "90 s",
	}
	l.apply(t, change{spec: spec})
	resource := l.resource(t)
	resource.Until("tells the failure", func(o watch.Object) (bool, string) {
		is := watch.Text(o.Unstructured, "status", "jobStatus", "state")
		return is == "FAILED" && watch.Text(o.Unstructured, "status", "error") != "", "the job is " + is
	})
	l.rolledBack(t, resource)
}}

var failedBeginsAgain = Chapter{"a job that failed for good begins again where it was", func(t *testing.T, l *Life) {
	spec := map[string]any{"job": map[string]any{"upgradeMode": "savepoint", "args": nil}}
	spec["flinkConfiguration"] = map[string]any{
		"restart-strategy.type": "disable", "kubernetes.operator.deployment.readiness.timeout": nil,
	}
	l.apply(t, change{spec: spec})
	kept := l.Flink.Kept(t, l.Stable(t))
	l.KillAll(t, "taskmanager")
	at := l.Flink.Failed(t)
	told := l.resource(t).Until("tells the failure and the state that it left", func(o watch.Object) (bool, string) {
		is, from := watch.Text(
			o.Unstructured, "status", "jobStatus", "state",
		), watch.Text(o.Unstructured, "status", "jobStatus", "upgradeSavepointPath")
		return is == "FAILED" && strings.Contains(from, "/chk-") && watch.Text(o.Unstructured, "status", "error") != "",
			fmt.Sprintf("the job is %s, its last state %q", is, from)
	})
	l.figure("a job with state fails for good: Flink to status", 66*time.Second, max(0, told.At.Sub(at)))
	l.apply(t, change{spec: map[string]any{"restartNonce": 1}})
	l.Flink.GoesOn(t, l.Stable(t), kept)
}}

var failedRestarted = Chapter{"a job that failed is restarted where that is asked for", func(t *testing.T, l *Life) {
	spec := by("savepoint")
	spec["flinkConfiguration"] = map[string]any{"kubernetes.operator.job.restart.failed": "true"}
	l.apply(t, change{spec: spec})
	kept := l.Flink.Kept(t, l.Stable(t))
	jobManager := l.jobManager(t)
	old := jobManager.Until("exists", Released)
	l.KillAll(t, "taskmanager")
	jobManager.Until("is a new one, released", Replaced(old))
	l.Flink.GoesOn(t, l.Stable(t), kept)
}}
