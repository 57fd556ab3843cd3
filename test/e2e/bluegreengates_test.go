//go:build e2e && nightly

package e2e

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

const gateOption = "kubernetes.operator.bluegreen.gate."

// pairGates waits until the gates of a change say this.
func pairGates(want map[string]string) func(watch.Object) (bool, string) {
	return func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "it is gone"
		}
		gates, _, _ := unstructured.NestedSlice(o.Object, "status", "transition", "gates")
		said := map[string]string{}
		for _, g := range gates {
			gate, _ := g.(map[string]any)
			name, _ := gate["name"].(string)
			said[name], _ = gate["verdict"].(string)
		}
		return maps.Equal(said, want), fmt.Sprintf("its gates say %v", said)
	}
}

// A change of a blue/green deployment starts the other side from a savepoint; a broken one leaves the side that serves
// alone.
func TestAPairIsChangedThereAndBack(t *testing.T) {
	const name = "pair"
	makeDirectory(t)
	u := pairOf(t, name, example(t, "checkpoint-ha.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "savepoint", "spec", "job", "upgradeMode")
		set(t, u, "1000", "spec", "flinkConfiguration", "metrics.fetcher.update-interval")
	}), map[string]any{
		"kubernetes.operator.bluegreen.deployment-deletion.delay": "2 s",
		"kubernetes.operator.bluegreen.abort.grace-period":        "2 min",
	})
	if _, err := kube.in(pairs, space).Create(t.Context(), u, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kube.deletePair(t, name) })
	resource := kube.watch(watch.Deadline(t, 3*life.Limit), t, pairs, space, "metadata.name="+name, "")
	resource.Until("is ACTIVE_BLUE", pairIs("ACTIVE_BLUE", "RUNNING"))
	jobID, _ := kube.flink(name+"-blue").TasksRunning(t, "")
	kept := kube.flink(name+"-blue").Kept(t, jobID)

	at := kube.editPair(t, name, map[string]any{"image": "flink:2.2.1"})
	resource.Until("is ACTIVE_GREEN", pairIs("ACTIVE_GREEN", "RUNNING"))
	figures.duration("blue/green: edit to the new side alone", 90*time.Second, time.Since(at))
	green := kube.flink(name + "-green")
	jobID, _ = green.TasksRunning(t, "")
	if path, savepoint := green.Restored(t, jobID); !savepoint {
		t.Errorf("green started from %q, want from a savepoint of blue", path)
	}
	green.GoesOn(t, jobID, kept)

	kube.editPair(t, name, map[string]any{"image": "flink:does-not-exist"})
	shown := resource.Until("is ACTIVE_GREEN, and the change was aborted", pairIs("ACTIVE_GREEN", "FAILING"))
	text := watch.Text(shown.Unstructured, "status", "error")
	if !strings.HasPrefix(text, "Aborting deployment 'pair-blue'") {
		t.Errorf("status.error is %q", text)
	}
	if same, _ := green.TasksRunning(t, ""); same != jobID {
		t.Errorf("the job of green is %s, want %s: the broken change left it alone", same, jobID)
	}
	kept = green.Kept(t, jobID)

	kube.patchPair(t, name, map[string]any{"spec": map[string]any{"configuration": map[string]any{
		gateOption + "checkpoints": "2", gateOption + "max-restarts": "0", gateOption + "approval": "true",
	}}})
	kube.editPair(t, name, map[string]any{"image": "flink:2.2"})
	held := resource.Until("waits for a user, once the other gates pass", pairGates(map[string]string{
		"checkpoints": "Passed", "restarts": "Passed", "approval": "Waiting",
	}))
	kube.patchPair(t, name, map[string]any{"metadata": map[string]any{"annotations": map[string]any{
		v1beta1.AnnotationPromote: watch.Text(held.Unstructured, "status", "transition", "operationID"),
	}}})
	resource.Until("is ACTIVE_BLUE", pairIs("ACTIVE_BLUE", "RUNNING"))
	blue := kube.flink(name + "-blue")
	jobID, _ = blue.TasksRunning(t, "")
	blue.GoesOn(t, jobID, kept)
}
