package enginetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Delete marks the resource for deletion.
func (w *SessionJob) Delete() {
	w.Snapshot.Resource.DeletionTimestamp = &metav1.Time{Time: w.Snapshot.Now}
	w.Bump()
}

// Told are the messages of the Warnings of a reason, in their order.
func (w *SessionJob) Told(reason plan.Reason) []string {
	var all []string
	for _, e := range w.Events {
		if e.Warning && e.Reason == reason {
			all = append(all, e.Message)
		}
	}
	return all
}

// HostedOptions sets the configuration of a session job.
func HostedOptions(content string) func(*v1beta1.FlinkSessionJobSpec) {
	return func(s *v1beta1.FlinkSessionJobSpec) { s.FlinkConfiguration = v1beta1.FlinkConfiguration(content) }
}

// Condition is the message of a condition; empty when it is not there.
func (w *SessionJob) Condition(kind string) string {
	for _, c := range w.Status().Conditions {
		if c.Type == kind {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}

// Checkpointed has Flink show a completed checkpoint.
func (w *SessionJob) Checkpointed(path string) {
	w.Snapshot.Flink.Checkpoints = plan.Present(
		world.Checkpoints{Path: path, Completed: w.Snapshot.Now, Kind: world.KindCheckpoint},
	)
}

// HostedStateful is a session job with an upgradeMode.
func HostedStateful(mode string) string {
	return strings.Replace(HostedStateless, `"stateless"`, `"`+mode+`"`, 1)
}

// HostedOverrides is the option that an autoscaler sets.
const HostedOverrides = "pipeline.jobvertex-parallelism-overrides"

// HostedRollsBack switches rollbacks on.
const HostedRollsBack = `{"kubernetes.operator.deployment.rollback.enabled":"true",` +
	`"kubernetes.operator.deployment.readiness.timeout":"60s"}`

// HostedChanged is a job with rollbacks on that runs, and was then changed: Flink runs the new one, whose tasks have
// not begun yet. A stop takes savepoint-1.
func HostedChanged(t *testing.T, mode, options string) *SessionJob {
	t.Helper()
	w := NewSessionJob(t, HostedStateful(mode))
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.FlinkConfiguration = v1beta1.FlinkConfiguration(options) })
	w.UntilSteady()
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for i := 0; i < 100 && len(w.Runs) < 2; i++ {
		w.Round()
		w.Sleep(time.Second)
	}
	if len(w.Runs) < 2 {
		t.Fatalf("Flink was not asked: %q", w.Log)
	}
	w.Set(w.Runs[1].JobID, v1beta1.FlinkJobCreated)
	w.Run()
	if s := w.Status(); s.ReconciliationStatus.State != v1beta1.ReconciliationDeployed || s.Intent != nil ||
		s.ReconciliationStatus.LastStableSpec == s.ReconciliationStatus.LastReconciledSpec {
		t.Fatalf("not deployed, or stable already: %+v\n%q", s, w.Log)
	}
	return w
}

// RolledBack reports whether it was told that the job is taken back.
func (w *SessionJob) RolledBack() bool {
	return slices.ContainsFunc(w.Events, func(e plan.Event) bool { return e.Reason == plan.ReasonRollback })
}

// Opens makes rounds until a start is stored.
func (w *SessionJob) Opens() {
	for w.Status().Intent == nil {
		w.Round()
	}
}

// Releases makes rounds until it is released.
func (w *SessionJob) Releases() {
	for w.Status().Intent == nil || w.Status().Intent.Step != v1beta1.StepReleased {
		w.Round()
	}
}

// Asks makes rounds until Flink is asked to run the jar. It does not list the job yet.
func (w *SessionJob) Asks() {
	for len(w.Runs) == 0 {
		w.Round()
	}
	w.Jobs = nil
}

// Replaces lets another process of the JobManager become ready.
func (w *SessionJob) Replaces() {
	w.Jars = nil
	w.ReadyAgain()
}

// ReadyAgain lets the JobManager's pod become ready anew, by the clock of its node.
func (w *SessionJob) ReadyAgain() {
	w.Sleep(time.Second)
	d := JobManager()
	d.Status.Conditions[0].LastTransitionTime = metav1.NewTime(w.Snapshot.Now)
	w.Snapshot.JobManager = plan.Present(d)
}

// Messages are those of the events of a reason, in their order.
func (w *SessionJob) Messages(reason plan.Reason) []string {
	var all []string
	for _, e := range w.Events {
		if e.Reason == reason {
			all = append(all, e.Message)
		}
	}
	return all
}
