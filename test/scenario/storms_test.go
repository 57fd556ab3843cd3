package scenario

import (
	"net/http"
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

// submissions are the requests to run a jar on a session cluster.
func submissions(r wire.Request) bool { return r.System == "flink" && r.Resource == "run" }

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
		for host, onSession := range map[string]bool{"an application": false, "a session job": true} {
			t.Run(name+", "+host, func(t *testing.T) { failsToSave(t, onSession, act) })
		}
	}
}

// failsToSave holds how seldom savepoints that fail are tried again.
func failsToSave(t *testing.T, onSession bool, act func(h *harness)) {
	h := newHarness(t)
	h.onSession = onSession
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
	starts := len(h.startsOf(demo))
	h.edit(demo, jobState("running"), parallelism(6))
	if took := h.took("a newer spec is tried at once", func() bool {
		return len(h.startsOf(demo)) > starts && h.settled(demo, "STABLE")()
	}); took > 2*time.Minute {
		t.Errorf("the newer spec took %s", took)
	}
	h.untilStable(demo)
	if r := h.status(demo).Retry; r != nil {
		t.Errorf("status.retry %+v after the change came about", r)
	}
}

func TestRecoveriesBackOff(t *testing.T) {
	loses := func(h *harness) {
		if h.w.Kube.Get(kubesim.Deployments, namespace, demo) != nil {
			h.loseDeployment(demo)
		}
	}
	cancels := func(h *harness) {
		if h.running(demo) == "RUNNING" {
			h.flink(demo, func(j *job.Job) { j.Cancel(h.w.Clock.Now()) })
		}
	}
	kills := func(h *harness) {
		if h.running(demo) == "RUNNING" {
			h.killJobManager(demo)
		}
	}
	rows := map[string]struct {
		changes   []change
		onSession bool
		lose      func(h *harness)
		starts    func(wire.Request) bool
	}{
		"its Deployment is deleted": {[]change{stateful("last-state"), highlyAvailable}, false, loses, preparations},
		"a session's Deployment is deleted": {
			[]change{func(spec map[string]any) { delete(spec, "job") }}, false, loses, preparations,
		},
		"it is cancelled with the CLI":              {nil, false, cancels, preparations},
		"a session job is cancelled with the CLI":   {nil, true, cancels, submissions},
		"the JobManager of a session job is killed": {nil, true, kills, submissions},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.onSession = row.onSession
			h.apply(demo, application(row.changes...))
			h.untilStable(demo)
			h.w.Tap.Forget()
			for begin := h.w.Clock.Now(); h.w.Clock.Now().Sub(begin) < 10*time.Minute; h.step() {
				row.lose(h)
			}
			if n := h.w.Tap.Count(row.starts); n > 12 || n < 3 {
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

// A session job that cannot be submitted asks for its jar, and asks Flink, ever more seldom.
func TestSubmissionsBackOff(t *testing.T) {
	rows := map[string]struct {
		fails, ends func(h *harness)
		says        string
		runs        bool // Flink is asked to run the jar each time
	}{
		"Flink refuses the run": {
			func(h *harness) {
				h.w.Flink.ScriptJob(demo, job.Script{MainFails: "java.lang.IllegalStateException: no such topic"})
			},
			func(h *harness) { h.w.Flink.ScriptJob(demo, job.Script{}) }, "no such topic", true,
		},
		"its jar is not there": {
			func(h *harness) { h.jars.refuse(jarURI, http.StatusNotFound) },
			func(h *harness) { h.jars.refuse(jarURI, 0) }, "response 404", false,
		},
		"the jar's server fails": {
			func(h *harness) { h.jars.refuse(jarURI, http.StatusServiceUnavailable) },
			func(h *harness) { h.jars.refuse(jarURI, 0) }, "response 503", false,
		},
	}
	for name, row := range rows {
		for when, before := range map[string]bool{"at its first start": false, "at an upgrade": true} {
			t.Run(name+", "+when, func(t *testing.T) {
				h := newHarness(t)
				h.apply("session", sessionCluster())
				h.untilStable("session")
				if before {
					h.submit(demo, sessionJob("session"))
					h.untilStable(demo)
				}
				row.fails(h)
				h.w.Tap.Forget()
				clear(h.jars.fetched)
				begin := h.w.Clock.Now()
				h.submit(demo, sessionJob("session", parallelism(4)))
				h.until("ten minutes are over", func() bool { return h.w.Clock.Now().Sub(begin) >= 10*time.Minute })
				ticks := h.ticks
				h.until("twenty minutes are over", func() bool { return h.w.Clock.Now().Sub(begin) >= 20*time.Minute })
				if n := h.jars.fetched[jarURI]; n > 8 || n < 4 {
					t.Errorf("%d downloads in 20 minutes, want at most 8", n)
				}
				if n := h.w.Tap.Count(submissions); row.runs != (n > 0) || n > 8 {
					t.Errorf("%d runs in 20 minutes, want at most 8, and some: %t", n, row.runs)
				}
				if n := h.ticks - ticks; n > 60 {
					t.Errorf("%d ticks in the last 10 minutes, want no more than a wait of minutes needs", n)
				}
				h.says(demo, "Ready", row.says)
				h.says(demo, "Reconciling", "next attempt at")
				row.ends(h)
				starts := len(h.startsOf(demo))
				h.edit(demo, parallelism(6))
				if took := h.took("a newer spec is tried at once", func() bool {
					return len(h.startsOf(demo)) > starts && h.settled(demo, "STABLE")()
				}); took > 2*time.Minute {
					t.Errorf("the newer spec took %s", took)
				}
				if r := h.status(demo).Retry; r != nil {
					t.Errorf("status.retry %+v after the change came about", r)
				}
			})
		}
	}
}
