package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// What fails again and again is tried ever more seldom, and the functions sleep in between.

// stops are the requests to stop a job with a savepoint.
func stops(r wire.Request) bool {
	return r.System == "flink" && r.Method == "POST" && strings.HasSuffix(r.Path, "/stop")
}

// preparations are the Deployments that were made.
func preparations(r wire.Request) bool {
	return r.Verb == "create" && r.Resource == "deployments" && r.Effect != ""
}

func TestFailedSavepointsBackOff(t *testing.T) {
	for name, act := range map[string]func(h *harness){
		"for an upgrade":   func(h *harness) { h.edit(demo, parallelism(4)) },
		"for a suspension": func(h *harness) { h.edit(demo, jobState("suspended")) },
		"beside a recovery": func(h *harness) {
			h.edit(demo, parallelism(4))
			h.pass(2 * time.Minute)
			h.loseDeployment(demo)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.apply(demo, application(stateful("savepoint"), highlyAvailable))
			h.untilStable(demo)
			h.checkpoints(demo)
			h.w.Flink.ScriptJob(demo, job.Script{SnapshotFails: "the store is full"})
			h.w.Tap.Forget()
			begin := h.w.Clock.Now()
			act(h)
			h.until("ten minutes are over", func() bool { return h.w.Clock.Now().Sub(begin) >= 10*time.Minute })
			ticks := h.ticks
			h.until("twenty minutes are over", func() bool { return h.w.Clock.Now().Sub(begin) >= 20*time.Minute })
			if n := h.w.Tap.Count(stops); n > 8 || n < 4 {
				t.Errorf("%d stops in 20 minutes, want at most 8", n)
			}
			if n := h.ticks - ticks; n > 60 {
				t.Errorf("%d ticks in the last 10 minutes, want no more than a wait of minutes needs", n)
			}
			if r := h.status(demo).Retry; r == nil || r.Attempts < 4 {
				t.Errorf("status.retry %+v, want it to count the attempts", r)
			}
			h.says(demo, "Reconciling", "next attempt at")
			h.w.Flink.ScriptJob(demo, job.Script{})
			h.edit(demo, jobState("running"), parallelism(6))
			if took := h.took("a newer spec is tried at once", func() bool {
				return len(h.w.Flink.Starts(namespace, demo)) > 1 && h.settled(demo, "STABLE")()
			}); took > 2*time.Minute {
				t.Errorf("the newer spec took %s", took)
			}
			h.untilStable(demo)
			if r := h.status(demo).Retry; r != nil {
				t.Errorf("status.retry %+v after the change came about", r)
			}
		})
	}
}

func TestRecoveriesBackOff(t *testing.T) {
	rows := map[string]struct {
		changes []change
		lose    func(h *harness)
	}{
		"its Deployment is deleted": {[]change{stateful("last-state"), highlyAvailable}, func(h *harness) {
			if h.w.Kube.Get(kubesim.Deployments, namespace, demo) != nil {
				h.loseDeployment(demo)
			}
		}},
		"a session's Deployment is deleted": {[]change{func(spec map[string]any) { delete(spec, "job") }},
			func(h *harness) {
				if h.w.Kube.Get(kubesim.Deployments, namespace, demo) != nil {
					h.loseDeployment(demo)
				}
			}},
		"it is cancelled with the CLI": {nil, func(h *harness) {
			if h.running(demo) == "RUNNING" {
				h.flink(demo, func(j *job.Job) { j.Cancel(h.w.Clock.Now()) })
			}
		}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.apply(demo, application(row.changes...))
			h.untilStable(demo)
			h.w.Tap.Forget()
			for begin := h.w.Clock.Now(); h.w.Clock.Now().Sub(begin) < 10*time.Minute; h.step() {
				row.lose(h)
			}
			if n := h.w.Tap.Count(preparations); n > 12 || n < 3 {
				t.Errorf("%d starts in 10 minutes, want at most 12", n)
			}
			h.until("it waits", func() bool { return strings.Contains(h.condition(demo, "Reconciling"), "RestartPending") })
			h.until("the clock calms down", func() bool { return h.pace() != clock.Transition })
			h.until("it runs again", func() bool {
				return h.settled(demo, "STABLE")() &&
					h.status(demo).Situation == "Steady"
			})
		})
	}
}
