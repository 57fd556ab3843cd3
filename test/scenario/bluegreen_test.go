package scenario

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

func init() {
	for name, s := range pairScenarios {
		scenarios[name] = s
	}
}

// pairMark begins the name of a FlinkBlueGreenDeployment, where a story names resources of all kinds.
const pairMark = "pair "

// decodePair reads a FlinkBlueGreenDeployment in the form of a FlinkDeployment.
func decodePair(u *unstructured.Unstructured) (*v1beta1.FlinkDeployment, error) {
	own, _, err := v1beta1.DecodeBlueGreen(u.Object)
	s := own.Status
	d := &v1beta1.FlinkDeployment{
		TypeMeta: own.TypeMeta, ObjectMeta: own.ObjectMeta,
		Status: v1beta1.FlinkDeploymentStatus{
			Error: s.Error, ObservedGeneration: s.ObservedGeneration, Conditions: s.Conditions, Progress: s.Progress,
		},
	}
	return d, err
}

// applyPair makes a FlinkBlueGreenDeployment, or replaces its spec.
func (h *harness) applyPair(name string, template map[string]any, options map[string]any) {
	h.t.Helper()
	spec := map[string]any{"template": map[string]any{"spec": template}}
	if options != nil {
		spec["configuration"] = options
	}
	h.applyTo(kubesim.FlinkBlueGreenDeployments, v1beta1.KindFlinkBlueGreenDeployment, name, spec)
}

// editPair changes the template of a FlinkBlueGreenDeployment.
func (h *harness) editPair(name string, changes ...change) {
	h.t.Helper()
	h.editOf(kubesim.FlinkBlueGreenDeployments, name, func(spec map[string]any) {
		template := spec["template"].(map[string]any)["spec"].(map[string]any)
		for _, c := range changes {
			c(template)
		}
	})
}

// pair is the stored status of a FlinkBlueGreenDeployment.
func (h *harness) pair(name string) v1beta1.FlinkBlueGreenDeploymentStatus {
	h.t.Helper()
	u := h.w.Kube.Peek(kubesim.FlinkBlueGreenDeployments, namespace, name)
	if u == nil {
		return v1beta1.FlinkBlueGreenDeploymentStatus{}
	}
	b, _, err := v1beta1.DecodeBlueGreen(u.Object)
	if err != nil {
		h.t.Fatal(err)
	}
	return b.Status
}

// untilPair waits until a pair is in a state, its job too, and nothing is under way.
func (h *harness) untilPair(name, state, job string) {
	h.t.Helper()
	h.until(name+" is "+state+" "+job, func() bool {
		u, s := h.w.Kube.Peek(kubesim.FlinkBlueGreenDeployments, namespace, name), h.pair(name)
		return u != nil && s.ObservedGeneration == u.GetGeneration() && string(s.BlueGreenState) == state &&
			string(s.JobStatus.State) == job && s.Transition == nil
	})
}

// seesPair compares what runs in the end, side by side.
func (h *harness) seesPair(blue, green string) {
	h.t.Helper()
	expect(h.t, "how blue started", h.starts("demo-blue"), blue)
	expect(h.t, "how green started", h.starts("demo-green"), green)
}

// hold options of a pair.
func hold(delay, grace string) map[string]any {
	return map[string]any{
		"kubernetes.operator.bluegreen.deployment-deletion.delay": delay,
		"kubernetes.operator.bluegreen.abort.grace-period":        grace,
	}
}

// gates are options of gates of a pair.
func gates(of map[string]any) map[string]any {
	all := map[string]any{}
	for name, value := range of {
		all["kubernetes.operator.bluegreen.gate."+name] = value
	}
	return all
}

// untilGate waits until a gate of the change of a pair says something.
func (h *harness) untilGate(name, gate string, verdict v1beta1.BlueGreenVerdict) {
	h.t.Helper()
	h.until("gate "+gate+" of "+name+" says "+string(verdict), func() bool {
		t := h.pair(name).Transition
		return t != nil && slices.ContainsFunc(t.Gates, func(g v1beta1.BlueGreenGate) bool {
			return g.Name == gate && g.Verdict == verdict
		})
	})
}

// decides sets an annotation of a pair to the ID of its change.
func (h *harness) decides(name, annotation string) {
	h.t.Helper()
	id := h.pair(name).Transition.OperationID
	_, err := h.w.Kube.Update(kubesim.FlinkBlueGreenDeployments, namespace, name, func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{annotation: id})
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// pairScenarios are the stories of FlinkBlueGreenDeployments.
var pairScenarios = map[string]scenario{
	"a pair starts, and is deleted": {func(h *harness) {
		h.applyPair("demo", application(), nil)
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.remove(pairMark + "demo")
		h.untilGone(pairMark + "demo")
		h.untilGone("demo-blue")
	}, "the garbage collector deletes its sides, each of which cleans up"},

	"a stateless pair is changed": {func(h *harness) {
		h.applyPair("demo", application(), nil)
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.editPair("demo", parallelism(4))
		h.untilPair("demo", "ACTIVE_GREEN", "RUNNING")
		h.untilGone("demo-blue")
		h.seesPair("nothing", "nothing")
	}, "a new side begins without state"},

	"a stateful pair is changed there and back": {func(h *harness) {
		h.applyPair("demo", application(stateful("savepoint"), highlyAvailable), hold("10 s", "10 min"))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.checkpoints("demo-blue")
		h.editPair("demo", parallelism(4))
		h.untilPair("demo", "ACTIVE_GREEN", "RUNNING")
		h.untilGone("demo-blue")
		h.checkpoints("demo-green")
		h.editPair("demo", parallelism(2))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.untilGone("demo-green")
		h.seesPair("nothing, path(savepoint)", "path(savepoint)")
	}, "each side starts from a savepoint of the other"},

	"a pair whose new side never runs": {func(h *harness) {
		h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
		h.applyPair("demo", application(stateful("savepoint")), hold("0 s", "2 min"))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.editPair("demo", field("image", "flink:broken"))
		h.untilPair("demo", "ACTIVE_BLUE", "FAILING")
		if !strings.Contains(h.pair("demo").Error, "Aborting deployment 'demo-green'") {
			h.t.Errorf("error %q", h.pair("demo").Error)
		}
		h.editPair("demo", field("image", "flink:1.20.2"))
		h.untilPair("demo", "ACTIVE_GREEN", "RUNNING")
		h.untilGone("demo-blue")
	}, "the old side serves meanwhile, and the corrected spec starts from a new savepoint"},

	"a pair whose new side passes its gates": {func(h *harness) {
		h.applyPair("demo", application(stateful("savepoint"), highlyAvailable), gates(map[string]any{
			"checkpoints": "2", "max-restarts": "0", "approval": "true",
		}))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.editPair("demo", parallelism(4))
		h.untilGate("demo", "checkpoints", v1beta1.BlueGreenPassed)
		h.untilGate("demo", "restarts", v1beta1.BlueGreenPassed)
		h.untilGate("demo", "approval", v1beta1.BlueGreenWaiting)
		h.decides("demo", v1beta1.AnnotationPromote)
		h.untilPair("demo", "ACTIVE_GREEN", "RUNNING")
		h.untilGone("demo-blue")
		h.seesPair("nothing", "path(savepoint)")
	}, "the old side serves until they all say yes"},

	"a pair whose new side is aborted by a user": {func(h *harness) {
		h.applyPair("demo", application(stateful("savepoint"), highlyAvailable), gates(map[string]any{"approval": "true"}))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.editPair("demo", parallelism(4))
		h.untilGate("demo", "approval", v1beta1.BlueGreenWaiting)
		h.decides("demo", v1beta1.AnnotationAbort)
		h.untilPair("demo", "ACTIVE_BLUE", "FAILING")
		h.seesPair("nothing", "path(savepoint)")
	}, "the old side has run all the time"},

	"a pair is suspended and resumed": {func(h *harness) {
		h.applyPair("demo", application(stateful("savepoint")), nil)
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.editPair("demo", jobState("suspended"))
		h.untilPair("demo", "ACTIVE_BLUE", "SUSPENDED")
		h.editPair("demo", jobState("running"), parallelism(4))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.seesPair("nothing, path(savepoint)", "")
	}, "in place: no other side is made"},

	"a pair whose change is taken back": {func(h *harness) {
		h.applyPair("demo", application(stateful("savepoint")), hold("10 min", "10 min"))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.editPair("demo", parallelism(4))
		h.until("green runs", func() bool { return h.pair("demo").DeploymentReadyTimestamp > "2000" })
		h.editPair("demo", parallelism(2))
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.untilGone("demo-green")
	}, "nothing is aborted, and blue has run all the time"},

	"a side that serves is deleted by hand": {func(h *harness) {
		h.applyPair("demo", application(), nil)
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
		h.remove("demo-blue")
		h.until("blue is created again", func() bool {
			u := h.w.Kube.Peek(kubesim.FlinkDeployments, namespace, "demo-blue")
			return u != nil && u.GetDeletionTimestamp() == nil
		})
		h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
	}, "a stateless one is created again"},
}
