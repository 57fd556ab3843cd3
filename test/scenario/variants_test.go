package scenario

import (
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// scenario is one story. Its story runs under every disturbance; what it expects must hold under each, but for what it
// asks of h.undisturbed.
type scenario struct {
	// story is what happens.
	story func(h *harness)
	// reason is why it matters.
	reason string
}

// undisturbed says that nothing breaks in this run, so that counts and events are exact.
func (h *harness) undisturbed() bool { return h.disturbance == "" }

// rest lets things settle, coarsely: enough for the clock's stamp to grow old and for three full sweeps.
func (h *harness) rest() {
	h.t.Helper()
	h.disorder = inOrder
	for _, e := range h.late {
		h.deliver(e)
	}
	h.late = nil
	for range 7 {
		h.w.Tick(29 * time.Second)
		h.w.Step()
		h.flush()
		h.tick()
	}
}

// settles lets things settle until a rest has no effect in its end: what gives up at last is followed by the clock.
func (h *harness) settles() {
	h.t.Helper()
	h.rest()
	for range 3 {
		before := len(h.w.Tap.Effects())
		h.w.Tick(29 * time.Second)
		h.tick()
		if len(h.w.Tap.Effects()) == before {
			return
		}
		h.rest()
	}
}

// run runs the story under one disturbance and returns where it led.
func (s scenario) run(t testing.TB, disturbance string, disturb func(h *harness)) (*harness, string) {
	t.Helper()
	h := install(&harness{t: t, direct: points > 2}) // without HTTP in half the time
	h.disturbance = disturbance
	if disturb != nil {
		disturb(h)
	} else {
		h.watch.judged = map[string]judgedStatus{}
	}
	s.story(h)
	if disturbance == "" {
		useRights(t.Name(), h.w.Tap.Requests())
	}
	h.figures.effects = len(h.w.Tap.Effects())
	h.figures.requests = h.w.Tap.Count(wire.ByAgent("reconcile"))
	h.w.Tap.Revive()
	h.watch.arm()
	h.rest()
	if err := h.watch.finish(); err != nil {
		t.Error(err)
	}
	h.quiet()
	heldToJudged(strings.TrimPrefix(t.Name(), "TestScenarios/"), h.watch.judged)
	return h, h.end()
}

// maxLook is how many requests a look or a pass may take for a resource that is as its spec wants it, maxStalled while
// it waits for a person: then it asks for whatever could make it go on.
const (
	maxLook    = 6
	maxStalled = 12
)

// recentEnd is how long a look reads the statistics of a job that has ended.
const recentEnd = 2 * time.Minute

// quiet proves that nothing is written any more: not by a tick, not by the echo of the last status write, not by a look
// at a Deployment.
func (h *harness) quiet() {
	h.t.Helper()
	var asked []string // since the last count
	writes := func(what string) int {
		h.t.Helper()
		asked = nil
		h.asksForJobsOnce(what)
		for _, r := range h.w.Tap.Requests() {
			if r.IsWrite() {
				h.t.Errorf("%s makes a write: %s\n%s", what, r, h.describe())
			}
			asked = append(asked, r.String())
		}
		n := len(h.w.Tap.Requests())
		h.w.Tap.Forget()
		return n
	}
	h.w.Tap.Forget()
	h.tick()
	h.figures.tick = writes("a tick in a quiet world")
	for _, name := range h.resources() {
		echo := kubesim.Event{
			Type: "update", APIVersion: v1beta1.APIVersion, Kind: kindName(h.kindOf(name)), Namespace: namespace,
			Name: plain(name),
		}
		h.deliver(h.fromFeed(echo))
		pass, look := writes("the echo of a status write"), 0
		if echo.Kind == v1beta1.KindFlinkDeployment {
			echo.APIVersion, echo.Kind = "apps/v1", "Deployment"
			h.deliver(h.fromFeed(echo))
			look = writes("an event of a Deployment in a quiet world")
		}
		most := maxLook
		if strings.HasPrefix(h.condition(name, "Stalled"), "True") {
			most = maxStalled
		}
		if mode, _, _ := unstructured.NestedString(h.resource(name).Object, "spec", "mode"); mode == "standalone" {
			most += 2 // a Deployment of their own, and their pods
		}
		if strings.Contains(strings.Join(asked, " "), "labelSelector=component%3Dautoscaler") {
			most++ // what the autoscaler keeps
		}
		if i := h.status(name).Intent; i != nil && i.TriggerID != "" || h.status(name).GivenUpStop != nil {
			most++ // a stop with savepoint may have come about after all
		}
		if info := h.status(name).JobStatus.SavepointInfo; info != nil && len(info.SavepointHistory) > 0 {
			most++ // the history is kept short beside the FlinkStateSnapshots that there are
		}
		if j := h.w.Flink.Job(namespace, plain(name), ""); j != nil && j.State.Ended() &&
			h.w.Clock.Now().Sub(j.End) < recentEnd {
			most++ // the first answers about its end may be old ones
		}
		if look > most || pass > most {
			h.t.Errorf("%s: %d requests for a quiet look and %d for a quiet pass, want at most %d; the look: %s",
				name, look, pass, most, strings.Join(asked, ", "))
		}
		h.figures.look, h.figures.pass = max(h.figures.look, look), max(h.figures.pass, pass)
	}
}

// crashAfter kills whichever function made the n-th effect of both.
func crashAfter(n int) wire.Fault {
	ours := func(r wire.Request) bool { return r.Agent == "reconcile" || r.Agent == "observe" }
	return wire.Fault{Match: ours, Effective: true, After: true, Nth: n, Kill: true}
}

// secondPass runs a whole pass of another pod for every resource.
func (h *harness) secondPass() func() {
	var other, uploader http.Handler // made when they are needed: the story may set the functions up
	lives := 0                       // and may do so again
	var one sync.Mutex
	return func() {
		if !one.TryLock() {
			return // requests of one pass go out at the same time
		}
		defer one.Unlock()
		if other == nil || lives != h.lives {
			lives = h.lives
			other, uploader = h.newReconcile("reconcile-2"), h.passing("reconcile-2", true)
		}
		for _, name := range h.resources() {
			h.passBy(other, name)
			if h.kindOf(name) == kubesim.FlinkSessionJobs {
				h.passBy(uploader, name)
			}
		}
	}
}

func (h *harness) passBy(who http.Handler, name string) {
	e, err := event.Make(event.TypePassRequested, event.Head{
		ID: "second", Source: "/test", Time: h.w.Clock.Now(), Reason: "transition",
		Key: event.Key{Kind: kindName(h.kindOf(name)), Namespace: namespace, Name: plain(name)},
	}, nil)
	if err != nil {
		h.t.Error(err)
		return
	}
	h.postTo(who, e)
}

// points is how many crash points, disorders and positions of a second pass are tried for each scenario. Two keep `go
// test` short, and over all scenarios every kind of point is met; a large number tries every one.
var points = max(1, setting("KNFLINK_SCENARIO_POINTS", 2))

// setting is a number of the environment, or the given one.
func setting(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// sample picks up to points numbers from 1 to n, spread evenly; the offset makes each scenario try others.
func sample(n, offset int) []int {
	most := min(n, points)
	var picked []int
	for i := range most {
		width := n / most
		picked = append(picked, 1+i*width+offset*7%width)
	}
	return picked
}

// totals are over all scenarios.
var totals struct {
	sync.Mutex
	runs, crashes, positions, statuses int
}

// prove runs a scenario under every disturbance. number spreads the samples of the scenarios.
func (s scenario) prove(t *testing.T, number int) {
	plain, want := s.run(t, "", nil)
	if t.Failed() || *rewriteJudged {
		return
	}
	effects, requests := plain.figures.effects, plain.figures.requests
	t.Logf("%d effects, %d requests, %d passes, %d looks, %d ticks, %d statuses; quiet: tick %d, pass %d, look %d "+
		"requests",
		effects, requests, plain.passes, plain.looks, plain.ticks, plain.watch.statuses, plain.figures.tick,
		plain.figures.pass, plain.figures.look)
	runs := 1
	same := func(disturbance string, disturb func(h *harness)) {
		runs++
		t.Run(disturbance, func(t *testing.T) {
			_, got := s.run(t, disturbance, disturb)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("another end (-undisturbed +disturbed)\n%s", diff)
			}
		})
	}
	for _, i := range sample(len(disorders), number)[min(1, max(0, len(disorders)-points)):] {
		d := disorders[i-1]
		same(string(d), func(h *harness) { h.disorder = d })
	}
	crashes := sample(effects, number)
	for _, n := range crashes {
		same(fmt.Sprintf("crash after effect %d", n), func(h *harness) { h.w.Tap.Inject(crashAfter(n)) })
	}
	between := func(nth int) func(h *harness) {
		return func(h *harness) {
			h.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("reconcile"), Nth: nth, Do: h.secondPass()})
		}
	}
	positions := sample(requests, number)
	if points <= 2 {
		positions = nil
	}
	for _, n := range positions {
		same(fmt.Sprintf("second pass before request %d", n), between(n))
	}
	same("second pass before every request", between(0))
	totals.Lock()
	defer totals.Unlock()
	totals.runs += runs
	totals.crashes += len(crashes)
	totals.positions += len(positions) + 1
	totals.statuses += plain.watch.statuses
}

// TestMain trades memory for time: the models make much garbage.
func TestMain(m *testing.M) {
	debug.SetGCPercent(1600)
	os.Exit(m.Run())
}

func TestScenarios(t *testing.T) {
	t.Cleanup(func() {
		heldToRights(t)
		judgedAreRecorded(t)
		totals.Lock()
		defer totals.Unlock()
		t.Logf("%d scenarios, %d runs, %d crash points, %d positions of a second pass, %d statuses in undisturbed runs",
			len(scenarios), totals.runs, totals.crashes, totals.positions, totals.statuses)
	})
	t.Run("a function dies twice of it", showsQuarantined)
	number := 0
	for _, name := range names(scenarios) {
		number++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenarios[name].prove(t, number)
		})
	}
}
