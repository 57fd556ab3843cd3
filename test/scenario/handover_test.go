package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// handing carries out what package handover decides, over two FlinkSessionJobs with lives of their own: "old", on
// cluster "from", hands over to "new", on cluster "to". It keeps the state that status will keep.
type handing struct {
	*harness
	state   handover.State
	wish    handover.Wish
	options handover.Options
	end     handover.End
	// application says that the old job is an application: a FlinkDeployment "old".
	application bool
	// effects counts what was done; dies is before which of them, dead after which the function dies; 0 is never.
	effects, dies, dead int
	// done is what was done, in order.
	done []string
}

// newHanding has the old job run beside the new cluster, which is warm.
func newHanding(t *testing.T, isApplication bool) *handing {
	h := &handing{harness: newHarness(t), wish: handover.Move, application: isApplication}
	h.options = handover.Options{Grace: 10 * time.Minute, Deadline: 2 * time.Minute}
	var template v1beta1.FlinkDeploymentSpec
	whole := application(stateful("savepoint"), highlyAvailable, jobField("entryClass", "org.example.Main"))
	h.turn(whole, &template)
	for cluster, name := range map[string]string{"from": "old", "to": "new"} {
		if name == "old" && isApplication {
			h.apply(name, whole)
			continue
		}
		parts, err := handover.Split(cluster, &template, nil)
		if err != nil {
			t.Fatal(err)
		}
		var host, job map[string]any
		h.turn(parts.Cluster, &host)
		h.turn(parts.Job, &job)
		if name == "old" {
			jobState("running")(job)
		}
		h.apply(cluster, host)
		h.untilStable(cluster)
		h.submit(name, job)
	}
	h.untilStable("old")
	h.checkpoints("old")
	h.until("the new job is there, and never ran", func() bool { return h.see("new").Runs == handover.No })
	h.state = handover.State{Step: handover.Warm, Began: h.w.Clock.Now(), Since: h.w.Clock.Now()}
	return h
}

// turn brings a spec into another form of itself.
func (h *handing) turn(spec, into any) {
	h.t.Helper()
	text, err := json.Marshal(spec)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// see is a job as a pass will see it.
func (h *handing) see(name string) handover.Job {
	h.t.Helper()
	checkpoint := handover.No
	if j := h.job(name); j != nil && j.Latest(false) != nil {
		checkpoint = handover.Yes
	}
	u := h.w.Kube.Peek(h.kindOf(name), namespace, name)
	if h.application && name == "old" {
		d, err := h.decode(u)
		if err != nil {
			h.t.Fatal(err)
		}
		return handover.SeeApplication(plan.Present(d), checkpoint)
	}
	if u == nil {
		return handover.See(plan.Absent[*v1beta1.FlinkSessionJob](), checkpoint)
	}
	decoded, _, err := v1beta1.DecodeSessionJob(u.Object)
	if err != nil {
		h.t.Fatal(err)
	}
	return handover.See(plan.Present(&decoded), checkpoint)
}

// live reports whether a job of a name has not ended at Flink.
func (h *handing) live(name string) bool {
	j := h.job(name)
	return j != nil && !j.State.Ended()
}

// judge is called whenever something may have changed.
func (h *handing) judge() {
	h.t.Helper()
	if h.live("old") && h.live("new") {
		h.t.Fatalf("two jobs run, after %q\n%s", h.done, h.describe())
	}
}

// pass makes one pass of the pair, and says whether the handover has ended.
func (h *handing) pass() bool {
	h.t.Helper()
	h.judge()
	d := handover.Decide(handover.Seen{
		Now: h.w.Clock.Now(), State: h.state, Options: h.options, Wish: h.wish,
		Cluster: handover.Cluster{Ready: handover.Yes, Ran: handover.Yes},
		Serving: h.see("old"), Target: h.see("new"),
	})
	if d.Stored && (d.State != h.state || d.End != handover.Goes) {
		if !h.does(fmt.Sprint(d.State.Step, d.End), func() { h.state, h.end = d.State, d.End }) {
			return false
		}
	}
	for _, effect := range d.Effects {
		if !h.does(string(effect), func() { h.carryOut(effect) }) {
			return false
		}
	}
	return h.end != handover.Goes
}

// does does something that the function may die before or after.
func (h *handing) does(what string, effect func()) bool {
	h.effects++
	if h.effects == h.dies {
		return false
	}
	effect()
	h.done = append(h.done, what)
	return h.effects != h.dead
}

func (h *handing) carryOut(effect handover.Effect) {
	h.t.Helper()
	edit := func(name string, fields map[string]any) {
		h.editOf(h.kindOf(name), name, func(spec map[string]any) {
			for field, value := range fields {
				if err := unstructured.SetNestedField(spec, value, "job", field); err != nil {
					h.t.Fatal(err)
				}
			}
		})
	}
	switch effect {
	case handover.StopServing:
		edit("old", map[string]any{"state": "suspended", "upgradeMode": "savepoint"})
	case handover.RunServing:
		edit("old", map[string]any{"state": "running"})
	case handover.RunTarget:
		edit("new", map[string]any{"state": "running", "initialSavepointPath": h.state.Path})
	case handover.EndTarget:
		edit("new", map[string]any{"state": "suspended", "upgradeMode": "last-state"})
	default:
		h.t.Fatalf("an effect that is not expected beside a warm cluster: %q", effect)
	}
}

// ends makes passes until the handover has ended, and both jobs are at rest.
func (h *handing) ends() {
	h.t.Helper()
	h.until("the handover ends", h.pass)
	h.until("both rest", func() bool {
		h.judge()
		for _, name := range []string{"old", "new"} {
			if see := h.see(name); see.Runs == handover.Pending {
				return false
			}
		}
		return true
	})
}

// onApplication begins the names of stories whose old job is an application.
const onApplication = "T12.21 of an application: "

// handovers are what goes wrong with them, and how they end.
var handovers = map[string]struct {
	begin      func(h *handing)
	end        handover.End
	starts     [2]string // how the old job started, and the new one
	why, never string
}{
	"T12.1 nothing goes wrong": {
		func(*handing) {}, handover.Done, [2]string{"nothing", "path(savepoint)"}, "", "run serving",
	},
	"T12.4 main throws": {
		func(h *handing) {
			h.w.Flink.ScriptJob("new", job.Script{MainFails: "java.lang.IllegalStateException: no such topic"})
		}, handover.GivenUp, [2]string{"nothing, path(savepoint)", ""}, "no such topic", "",
	},
	"T12.5 the tasks never run": {
		func(h *handing) { h.w.Flink.ScriptJob("new", job.Script{FailAtStart: "no such table"}) }, handover.GivenUp,
		[2]string{"nothing, path(savepoint)", "path(savepoint)"}, "the job is FAILED", "",
	},
	"T12.5 no checkpoint is completed": {
		func(h *handing) { h.w.Flink.ScriptJob("new", job.Script{NoCheckpoints: true}) }, handover.GivenUp,
		[2]string{"nothing, path(savepoint)", "path(savepoint)"}, "completed no checkpoint", "",
	},
	"T12.8 stops fail for a time": {
		func(h *handing) {
			h.w.Flink.ScriptJob("old", job.Script{SnapshotFails: "the directory is read-only"})
			h.until("a stop failed", func() bool { return h.pass() || h.state.Failures > 0 })
			h.w.Flink.ScriptJob("old", job.Script{})
		}, handover.Done, [2]string{"nothing", "path(savepoint)"}, "", "",
	},
	"T12.8 stops fail": {
		func(h *handing) {
			h.w.Flink.ScriptJob("old", job.Script{SnapshotFails: "the directory is read-only"})
		}, handover.GivenUp, [2]string{"nothing", ""}, "the directory is read-only", "run target",
	},
	"T12.12 the new JobManager dies after the release": {
		func(h *handing) {
			h.w.Flink.ScriptJob("new", job.Script{NoCheckpoints: true})
			h.until("it runs", func() bool { return h.pass() || h.see("new").Runs == handover.Yes })
			h.killJobManager("to")
			h.w.Flink.ScriptJob("new", job.Script{})
		}, handover.Done, [2]string{"nothing", "path(savepoint), high-availability data(savepoint)"}, "",
		"run serving",
	},
	"T12.18 suspended after the release": {
		func(h *handing) {
			h.w.Flink.ScriptJob("new", job.Script{NoCheckpoints: true})
			h.until("it runs", func() bool { return h.pass() || h.see("new").Runs == handover.Yes })
			h.wish = handover.Suspend
		}, handover.Withdrawn, [2]string{"nothing", "path(savepoint)"}, "", "run serving",
	},
	onApplication + "nothing goes wrong": {
		func(*handing) {}, handover.Done, [2]string{"nothing", "path(savepoint)"}, "", "run serving",
	},
	onApplication + "main of the new job throws": {
		func(h *handing) {
			h.w.Flink.ScriptJob("new", job.Script{MainFails: "java.lang.IllegalStateException: no such topic"})
		}, handover.GivenUp, [2]string{"nothing, path(savepoint)", ""}, "no such topic", "",
	},
}

// TestHandovers has each story end as it is to, with the real lives of both FlinkSessionJobs.
func TestHandovers(t *testing.T) {
	for name, s := range handovers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHanding(t, strings.HasPrefix(name, onApplication))
			s.begin(h)
			h.ends()
			expect(t, "its end", h.end, s.end)
			expect(t, "how the old job started", h.starts("old"), s.starts[0])
			expect(t, "how the new job started", h.starts("new"), s.starts[1])
			if !strings.Contains(h.state.Why, s.why) {
				t.Errorf("it says %q, want %q", h.state.Why, s.why)
			}
			if all := strings.Join(h.done, ", "); s.never != "" && strings.Contains(all, s.never) {
				t.Errorf("%q was done: %s", s.never, all)
			}
			t.Logf("%s", strings.Join(h.done, ", "))
		})
	}
}

// TestHandoversWhereverTheFunctionDies is T12.9 with the real lives of both FlinkSessionJobs.
func TestHandoversWhereverTheFunctionDies(t *testing.T) {
	for name, s := range handovers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := newHanding(t, strings.HasPrefix(name, onApplication))
			s.begin(plain)
			plain.ends()
			last := min(plain.effects, mostPoints)
			for i := range last + 1 { // after effect i is before the next one
				h := newHanding(t, strings.HasPrefix(name, onApplication))
				if h.dead = i; i == 0 {
					h.dies = 1
				}
				s.begin(h)
				h.ends()
				got, want := fmt.Sprint(h.end, h.starts("old"), h.starts("new")), fmt.Sprint(s.end, s.starts[0], s.starts[1])
				if got != want {
					t.Errorf("after effect %d: it ends %s, want %s; done %q", i, got, want, h.done)
				}
			}
			t.Logf("%d crash points", last+1)
		})
	}
}

// mostPoints bounds the effects of a story after which the function dies: stops that fail for long repeat themselves.
const mostPoints = 10

// TestHandoversUnderDisturbances has events lost, late, doubled and in another order, functions that die, and a second
// pass before each request: the lives of both FlinkSessionJobs are disturbed, and each story ends as it does without.
// KNFLINK_SCENARIO_POINTS says how many of them are tried for each.
func TestHandoversUnderDisturbances(t *testing.T) {
	disturbances := map[string]func(h *harness){
		"second pass before every request": func(h *harness) {
			h.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("reconcile"), Nth: 0, Do: h.secondPass()})
		},
	}
	for _, d := range disorders {
		disturbances[string(d)] = func(h *harness) { h.disorder = d }
	}
	for n := 1; n <= mostPoints; n += 3 {
		disturbances[fmt.Sprintf("crash after effect %d", n)] = func(h *harness) { h.w.Tap.Inject(crashAfter(n)) }
	}
	all := slices.Sorted(maps.Keys(disturbances))
	for number, name := range slices.Sorted(maps.Keys(handovers)) {
		s := handovers[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, n := range sample(len(all), number) {
				disturbance := all[n-1]
				h := newHanding(t, strings.HasPrefix(name, onApplication))
				h.disturbance = disturbance
				disturbances[disturbance](h.harness)
				s.begin(h)
				h.ends()
				got, want := fmt.Sprint(h.end, h.starts("old"), h.starts("new")), fmt.Sprint(s.end, s.starts[0], s.starts[1])
				if got != want {
					t.Errorf("%s: it ends %s, want %s; done %q", disturbance, got, want, h.done)
				}
			}
		})
	}
}
