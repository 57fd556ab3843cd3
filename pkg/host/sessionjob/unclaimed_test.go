package sessionjob_test

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// TestAStartThatMayDropStateIsTold: as of an application, it is told once, and lasts until the next start.
func TestAStartThatMayDropStateIsToldOfASessionJob(t *testing.T) {
	const begin = `{"deploymentName":"session","job":{"jarURI":"https://repo/etl.jar","parallelism":2,` +
		`"initialSavepointPath":"file:///s/1","upgradeMode":`
	rows := map[string]struct {
		spec, version string
		told          bool
		reason        string
	}{
		"last-state": {begin + `"last-state","allowNonRestoredState":true}}`, "", true, "no savepoint has it"},
		"savepoint":  {begin + `"savepoint","allowNonRestoredState":true}}`, "", false, "one has it"},
		"by Flink's option": {
			begin + `"last-state"},"flinkConfiguration":{"execution.state-recovery.ignore-unclaimed-state":"true"}}`,
			"",
			true,
			"the same",
		},
		"in a cluster that does not know the option": {
			begin + `"last-state"},"flinkConfiguration":{"execution.state-recovery.ignore-unclaimed-state":"true"}}`,
			"v1_19",
			false,
			"Flink refuses to start",
		},
		"not allowed": {begin + `"last-state"}}`, "", false, "Flink refuses to start"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, row.spec)
			if row.version != "" {
				d := enginetest.SessionCluster()
				d.Spec.FlinkVersion = v1beta1.FlinkVersion(row.version)
				record, err := v1beta1.ReconciledDeployment{Spec: d.Spec}.Text()
				if err != nil {
					t.Fatal(err)
				}
				d.Status.ReconciliationStatus.LastReconciledSpec, d.Status.ReconciliationStatus.LastStableSpec = record, record
				w.Snapshot.Cluster = plan.Present(d)
			}
			w.UntilSteady()
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.AllowNonRestoredState = nil })
			w.Run()
			events := slices.DeleteFunc(
				w.Events,
				func(e plan.Event) bool { return e.Reason != plan.ReasonStateMayBeDropped },
			)
			shown := slices.ContainsFunc(w.Status().Conditions, func(c metav1.Condition) bool {
				return c.Type == summary.StateSafe && c.Status == metav1.ConditionTrue &&
					c.Reason == "UnclaimedStateIgnored"
			})
			if want := map[bool]int{true: 1}[row.told]; len(events) != want || shown != row.told {
				t.Errorf("told %+v, and shown %t, want %t: %s", events, shown, row.told, row.reason)
			}
		})
	}
}
