package deployment

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// standaloneLeft is a standalone cluster that the Java operator left, and that runs.
func standaloneLeft(t *testing.T, spec string) *world {
	t.Helper()
	spec = strings.Replace(spec, `"image":`, `"mode":"standalone","image":`, 1)
	status := deployed(record(t, spec, nil, true))
	hasJob := strings.Contains(spec, `"job":`)
	if !hasJob {
		status = status.with(map[string]any{"jobStatus": nil})
	}
	w := takeOver(t, spec, status, 1).flinkSays(v1beta1.FlinkJobRunning)
	if !hasJob {
		w.s.Flink.Jobs = plan.Present([]job.Job{})
	}
	w.s.TaskManagerDeployment = plan.Present(plan.ObjectVersion{
		Name: "demo-taskmanager", UID: "tm", ResourceVersion: "7",
	})
	return w
}

// Nobody makes the objects of a standalone cluster yet: a change and a loss of one that was taken over are told to a
// person, and what is there stays.
func TestAStandaloneClusterIsLeftAlone(t *testing.T) {
	change := func(w *world) { w.edit(upgradeImage) }
	lose := func(w *world) { w.lose() }
	rows := map[string]struct {
		spec    string
		happens func(w *world)
		stalled string
	}{
		"a stateless job is changed":        {application, change, "CannotRender"},
		"a job with savepoints is changed":  {stateful, change, "CannotRender"},
		"a job by last state is changed":    {highlyAvailable, change, "CannotRender"},
		"a session cluster is changed":      {session, change, "CannotRender"},
		"a stateless job's JobManager":      {application, lose, "CannotRender"},
		"a job's JobManager, by last state": {highlyAvailable, lose, "CannotRender"},
		"a job's JobManager, with no state": {stateful, lose, "RestoreFailed"},
		"a session cluster's JobManager":    {session, lose, "CannotRender"},
		"a change, and then the JobManager": {
			highlyAvailable, func(w *world) { change(w); w.run(); lose(w) }, "CannotRender",
		},
		"it is told to restart": {application, func(w *world) {
			nonce := int64(1)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.RestartNonce = &nonce })
		}, "CannotRender"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := standaloneLeft(t, row.spec)
			w.s.HAData = haMaps(takenOverJob)
			w.run()
			if c := w.condition(summary.Stalled); c.Reason != "" {
				t.Fatalf("Stalled %+v before anything happened", c)
			}
			before := w.status().ReconciliationStatus
			row.happens(w)
			for range 5 {
				p := w.run()
				for _, a := range p.Effects() {
					if a.Disruptive() || strings.HasPrefix(a.String(), "prepare") {
						t.Errorf("%s", a)
					}
				}
				w.s.Now = w.s.Now.Add(time.Minute)
			}
			c := w.condition(summary.Stalled)
			if c.Reason != row.stalled || (c.Reason == "CannotRender" && !strings.Contains(c.Message, "standalone")) {
				t.Errorf("Stalled %+v, want %s; rounds %q", c, row.stalled, w.log)
			}
			if got := w.status(); got.ReconciliationStatus != before || got.Intent != nil {
				t.Errorf("recorded %+v, was %+v; intent %+v", got.ReconciliationStatus, before, got.Intent)
			}
			if p := w.round(); !p.IsQuiet() || p.Status != nil {
				t.Errorf("it is told once, got %s", p)
			}
		})
	}
}
