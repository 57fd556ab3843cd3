package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func init() {
	for name, s := range handoverScenarios {
		scenarios[name] = s
	}
}

// movable is the template of a pair whose changes move its job.
func movable(changes ...change) map[string]any {
	return application(append([]change{
		stateful("savepoint"), highlyAvailable, jobField("entryClass", "org.example.Main"),
	}, changes...)...)
}

// moves are the options of a pair whose changes move its job, and more.
func moves(more map[string]any) map[string]any {
	all := map[string]any{"kubernetes.operator.bluegreen.handover.enabled": "true"}
	for name, value := range more {
		all["kubernetes.operator.bluegreen."+name] = value
	}
	return all
}

// movablePair has the first side of a pair run, whose changes move its job.
func (h *harness) movablePair(more map[string]any) {
	h.t.Helper()
	h.hosted["demo-blue"], h.hosted["demo-green"] = "demo-blue", "demo-green"
	h.applyPair("demo", movable(), moves(more))
	h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
	h.checkpoints("demo-blue")
}

// untilStep waits until the change of a pair is at a step.
func (h *harness) untilStep(name string, step v1beta1.BlueGreenStep) {
	h.t.Helper()
	h.until(name+" is at "+string(step), func() bool {
		t := h.pair(name).Transition
		return t != nil && t.Step == step
	})
}

// untilSideGone waits until both resources of a side are gone.
func (h *harness) untilSideGone(name string) {
	h.t.Helper()
	h.until(name+" is gone", func() bool {
		return h.w.Kube.Peek(kubesim.FlinkDeployments, namespace, name) == nil &&
			h.w.Kube.Peek(kubesim.FlinkSessionJobs, namespace, name) == nil
	})
}

// ran is how many jobs began on a cluster beside the one of its name.
func (h *harness) ran(cluster string) int {
	all := h.w.Flink.Starts(namespace, cluster)
	return len(slices.DeleteFunc(all, func(s process.Start) bool { return s.Name == cluster }))
}

// saysOfPair has the error of a pair have a text.
func (h *harness) saysOfPair(name, text string) {
	h.t.Helper()
	if got := h.pair(name).Error; !strings.Contains(got, text) {
		h.t.Errorf("the pair says %q, want %q in it", got, text)
	}
}

// handoverScenarios are the stories of pairs whose changes move the job.
var handoverScenarios = map[string]scenario{
	"a pair hands over there and back": {func(h *harness) {
		h.movablePair(nil)
		h.editPair("demo", parallelism(4))
		h.untilPair("demo", "ACTIVE_GREEN", "RUNNING")
		h.untilSideGone("demo-blue")
		if n := h.ran("demo-green"); n != 1 {
			h.t.Errorf("%d small jobs have warmed green, want 1", n)
		}
		h.checkpoints("demo-green")
		h.editPair("demo", parallelism(2))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.untilSideGone("demo-green")
		h.seesPair("nothing, path(savepoint)", "path(savepoint)")
	}, "T12.1, T12.2, T12.24: each side starts from the savepoint of the stop of the other"},

	"a pair of an application hands over": {func(h *harness) {
		h.hosted["demo-green"] = "demo-green"
		h.applyPair("demo", movable(), nil)
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.checkpoints("demo-blue")
		h.changePairOptions("demo", moves(nil))
		h.editPair("demo", parallelism(4))
		h.untilPair("demo", "ACTIVE_GREEN", "RUNNING")
		h.untilGone("demo-blue")
		h.seesPair("nothing", "path(savepoint)")
	}, "T12.21: it was one before the option was set"},

	"a pair whose new main throws": {func(h *harness) {
		h.movablePair(nil)
		h.w.Flink.ScriptJob("demo-green", job.Script{MainFails: "java.lang.IllegalStateException: no such topic"})
		h.editPair("demo", parallelism(4))
		h.untilPair("demo", "ACTIVE_BLUE", "FAILING")
		h.untilSideGone("demo-green")
		h.saysOfPair("demo", "Aborting deployment 'demo-green'")
		h.seesPair("nothing", "")
	}, "T12.4: the plan says so, and the old job is never stopped"},

	"a pair whose new main throws, without a plan": {func(h *harness) {
		h.movablePair(map[string]any{"handover.preflight": "false"})
		h.w.Flink.ScriptJob("demo-green", job.Script{MainFails: "java.lang.IllegalStateException: no such topic"})
		h.editPair("demo", parallelism(4))
		h.untilPair("demo", "ACTIVE_BLUE", "FAILING")
		h.untilSideGone("demo-green")
		h.seesPair("nothing, path(savepoint)", "")
	}, "T12.4, T12.6: the old job is stopped, and returns at once"},

	"a pair whose new tasks never run": {func(h *harness) {
		h.movablePair(nil)
		h.w.Flink.ScriptJob("demo-green", job.Script{FailAtStart: "no such table"})
		h.editPair("demo", parallelism(4))
		h.untilPair("demo", "ACTIVE_BLUE", "FAILING")
		h.untilSideGone("demo-green")
		h.seesPair("nothing, path(savepoint)", "path(savepoint)")
	}, "T12.5: the job returns from the savepoint of its stop"},

	"a pair whose new cluster never runs": {func(h *harness) {
		h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
		h.movablePair(map[string]any{"abort.grace-period": "5 min"})
		h.editPair("demo", field("image", "flink:broken"))
		h.untilPair("demo", "ACTIVE_BLUE", "FAILING")
		h.untilSideGone("demo-green")
		h.seesPair("nothing", "")
	}, "T12.3: the old job runs on without a gap"},

	"a pair is edited while it hands over": {func(h *harness) {
		h.movablePair(nil)
		h.editPair("demo", parallelism(4))
		h.untilStep("demo", v1beta1.BlueGreenWarm)
		h.editPair("demo", parallelism(3))
		h.untilPair("demo", "ACTIVE_GREEN", "RUNNING")
		h.untilSideGone("demo-blue")
		h.seesPair("nothing", "path(savepoint)")
	}, "T12.17: the new side is made anew, and the old job is stopped once"},

	"a pair whose handover is taken back": {func(h *harness) {
		h.movablePair(nil)
		h.editPair("demo", parallelism(4))
		h.untilStep("demo", v1beta1.BlueGreenWarm)
		h.editPair("demo", parallelism(2))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.untilSideGone("demo-green")
		h.seesPair("nothing", "")
	}, "the old job has run all the time"},

	"a pair is suspended while it hands over": {func(h *harness) {
		h.movablePair(nil)
		h.w.Flink.ScriptJob("demo-green", job.Script{NoCheckpoints: true})
		h.editPair("demo", parallelism(4))
		h.untilStep("demo", v1beta1.BlueGreenRelease)
		h.editPair("demo", jobState("suspended"))
		h.untilPair("demo", "ACTIVE_BLUE", "SUSPENDED")
		h.untilSideGone("demo-green")
		h.editPair("demo", jobState("running"))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
	}, "T12.18: the new side goes, and the old one keeps its savepoint"},

	"a pair of a session job is suspended and resumed": {func(h *harness) {
		h.movablePair(nil)
		h.editPair("demo", jobState("suspended"))
		h.untilPair("demo", "ACTIVE_BLUE", "SUSPENDED")
		h.editPair("demo", jobState("running"), parallelism(4))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.seesPair("nothing, path(savepoint)", "")
	}, "in place: the cluster is changed while no job runs on it"},

	"a pair is deleted while it hands over": {func(h *harness) {
		h.movablePair(nil)
		h.editPair("demo", parallelism(4))
		h.untilStep("demo", v1beta1.BlueGreenWarm)
		h.remove(pairMark + "demo")
		h.untilGone(pairMark + "demo")
		h.untilSideGone("demo-blue")
		h.untilSideGone("demo-green")
	}, "T12.18: nothing is left"},

	"a pair is deleted after the release": {func(h *harness) {
		h.movablePair(nil)
		h.w.Flink.ScriptJob("demo-green", job.Script{NoCheckpoints: true})
		h.editPair("demo", parallelism(4))
		h.untilStep("demo", v1beta1.BlueGreenRelease)
		h.remove(pairMark + "demo")
		h.untilGone(pairMark + "demo")
		h.untilSideGone("demo-blue")
		h.untilSideGone("demo-green")
	}, "T12.18: nothing is left"},

	"a pair whose new JobManager dies after the release": {func(h *harness) {
		h.movablePair(map[string]any{"handover.deadline": "10 min"})
		h.w.Flink.ScriptJob("demo-green", job.Script{NoCheckpoints: true})
		h.editPair("demo", parallelism(4))
		h.until("it runs on green", func() bool {
			t := h.pair("demo").Transition
			return t != nil && t.Handover != nil && !t.Handover.RunningAt.IsZero()
		})
		h.killJobManager("demo-green")
		h.w.Flink.ScriptJob("demo-green", job.Script{})
		h.untilPair("demo", "ACTIVE_GREEN", "RUNNING")
		h.untilSideGone("demo-blue")
	}, "T12.12: high availability brings the job back, and blue is not started"},

	"a pair without room for a second cluster is upgraded": {func(h *harness) {
		h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "Insufficient cpu"})
		h.movablePair(map[string]any{"abort.grace-period": "5 min", "handover.fallback": "upgrade"})
		h.editPair("demo", field("image", "flink:broken"))
		h.until("it is upgraded in place", func() bool {
			t := h.pair("demo").Transition
			return t != nil && (t.Step == v1beta1.BlueGreenPatch || t.Step == v1beta1.BlueGreenSettle)
		})
		h.image("flink:broken", controllers.Script{})
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.untilSideGone("demo-green")
		h.seesPair("nothing, path(savepoint)", "")
	}, "T12.16: as handover.fallback says"},
}

// changePairOptions replaces the options of a pair.
func (h *harness) changePairOptions(name string, options map[string]any) {
	h.t.Helper()
	h.editOf(kubesim.FlinkBlueGreenDeployments, name, func(spec map[string]any) { spec["configuration"] = options })
}

// twoRun says which two jobs run of a pair that never has two; empty for none.
func (h *harness) twoRun(name string) string {
	blue, green := h.job(name+"-blue"), h.job(name+"-green")
	if blue == nil || green == nil || blue.State.Ended() || green.State.Ended() {
		return ""
	}
	return fmt.Sprintf("%s is %s and %s is %s", blue.ID, blue.State, green.ID, green.State)
}

// TestPairsHandOver tells each story once, and holds that no two jobs of the pair ever run.
func TestPairsHandOver(t *testing.T) {
	for _, name := range names(handoverScenarios) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := install(&harness{t: t, direct: true})
			h.w.Tap.Inject(wire.Fault{
				Match: func(r wire.Request) bool { return r.System == "flink" && r.IsWrite() }, Effective: true, After: true,
				Do: func() {
					if two := h.twoRun("demo"); two != "" {
						t.Errorf("two jobs run: %s", two)
					}
				},
			})
			handoverScenarios[name].story(h)
			h.rest()
			if err := h.watch.finish(); err != nil {
				t.Error(err)
			}
			h.quiet()
		})
	}
}
