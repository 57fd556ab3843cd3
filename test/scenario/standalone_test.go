package scenario

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// taskManagers is how many TaskManagers a spec asks for.
func taskManagers(n int64) change {
	return func(spec map[string]any) {
		tm := maps.Clone(spec["taskManager"].(map[string]any))
		tm["replicas"] = n
		spec["taskManager"] = tm
	}
}

// taskManagerVerbs are about the TaskManagers of a standalone cluster: how many, by the spec or by hand, and a person
// who deletes them.
var taskManagerVerbs = map[string]func(r *run, n int){
	"task-managers": func(r *run, n int) { r.editIfThere(taskManagers(int64(1 + n%4))) },
	"scale-by-hand": func(r *run, n int) {
		r.onTaskManagers(func(u *unstructured.Unstructured) {
			u.Object["spec"].(map[string]any)["replicas"] = int64(n % 4)
		})
	},
	"lose-taskmanagers": func(r *run, _ int) { r.onTaskManagers(nil) },
}

// onTaskManagers has somebody change the Deployment of a standalone cluster's TaskManagers, or delete it; nil deletes.
func (r *run) onTaskManagers(change func(u *unstructured.Unstructured)) {
	const name = demo + "-taskmanager"
	i := r.status(demo).Intent
	prepared := i != nil && i.Step != v1beta1.StepReleased // nobody but the functions knows of it
	if r.w.Kube.Get(kubesim.Deployments, namespace, name) == nil || prepared {
		return
	}
	r.excuse("somebody took its TaskManagers")
	if change == nil {
		if err := r.w.Kube.Delete(kubesim.Deployments, namespace, name, kubesim.DeleteOptions{}); err != nil {
			r.t.Error(err)
		}
		return
	}
	if _, err := r.w.Kube.Update(kubesim.Deployments, namespace, name, change); err != nil {
		r.t.Error(err)
	}
}

// nativeOnly are the stories that are not told of a standalone cluster, and why.
var nativeOnly = map[string]string{
	"an upgrade whose last TaskManager has begun, and its kubelet is dead": "a Deployment makes the pod, where it likes",
	"recorded savepoints from start to start":                              "a suspended cluster is gone",
	"rescaled in place": "only native TaskManagers follow the job", "a rescale in place is taken back": "the same",
	"the autoscaler follows the load in place": "the same",
}

// TestStandaloneScenarios tells the stories of clusters in standalone mode. Each ends as in native mode, but for what
// the mode is about. Each has a crash; a large KNFLINK_SCENARIO_POINTS tries all that TestScenarios has.
func TestStandaloneScenarios(t *testing.T) {
	number := 0
	for _, name := range names(scenarios) {
		if nativeOnly[name] != "" {
			continue
		}
		number++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			standalone := scenario{func(h *harness) {
				h.standalone = true
				scenarios[name].story(h)
			}, scenarios[name].reason}
			if points > 2 {
				standalone.prove(t, number)
				return
			}
			_, want := standalone.run(t, "", nil)
			disturb := crashAfter(1 + number%8)
			_, got := standalone.run(t, "crash", func(h *harness) { h.w.Tap.Inject(disturb) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("another end (-undisturbed +crash)\n%s", diff)
			}
		})
	}
	for name := range nativeOnly {
		if _, there := scenarios[name]; !there {
			t.Errorf("there is no story %q", name)
		}
	}
}
