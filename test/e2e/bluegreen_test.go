//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

var pairs = schema.GroupVersionResource{
	Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkbluegreendeployments",
}

// pairOf is a FlinkBlueGreenDeployment whose sides are as an example.
func pairOf(
	t *testing.T, name string, of *unstructured.Unstructured, options map[string]any,
) *unstructured.Unstructured {
	t.Helper()
	spec, _, err := unstructured.NestedMap(of.Object, "spec")
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkBlueGreenDeployment",
		"metadata": map[string]any{"namespace": space, "name": name},
		"spec":     map[string]any{"configuration": options, "template": map[string]any{"spec": spec}},
	}}
	u.SetLabels(of.GetLabels())
	return u
}

// editPair changes the template of a pair and gives the time of the answer.
func (c *cluster) editPair(t *testing.T, name string, spec map[string]any) time.Time {
	t.Helper()
	c.patchPair(t, name, map[string]any{"spec": map[string]any{"template": map[string]any{"spec": spec}}})
	return time.Now()
}

func (c *cluster) patchPair(t *testing.T, name string, patch map[string]any) {
	t.Helper()
	text, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.in(pairs, space).Patch(
		t.Context(), name, types.MergePatchType, text, metav1.PatchOptions{},
	); err != nil {
		t.Fatal(err)
	}
}

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

// pairIs waits for a state of a pair, of its newest generation, with nothing under way.
func pairIs(state, job string) func(watch.Object) (bool, string) {
	return func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "it is gone"
		}
		judged, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
		_, moves, _ := unstructured.NestedMap(o.Object, "status", "transition")
		is := watch.Text(o.Unstructured, "status", "blueGreenState")
		jobIs := watch.Text(o.Unstructured, "status", "jobStatus", "state")
		return is == state && jobIs == job && judged == o.GetGeneration() && !moves, fmt.Sprintf(
			"it is %s %s, step %s, error %s", is, jobIs, watch.Text(o.Unstructured, "status", "transition", "step"),
			watch.Text(o.Unstructured, "status", "error"),
		)
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

// deletePair deletes a pair and waits until both of its sides are gone. The test may be over.
func (c *cluster) deletePair(t *testing.T, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*life.Limit)
	defer cancel()
	if err := c.in(pairs, space).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		t.Error(err)
		return
	}
	for _, side := range []string{name + "-blue", name + "-green"} {
		side := c.watch(ctx, t, life.Resources, space, "metadata.name="+side, "")
		side.Until("is gone", func(o watch.Object) (bool, string) { return o.Unstructured == nil, "it is there" })
	}
}

// handoverOf is a pair whose changes move its job.
func handoverOf(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	return pairOf(t, name, example(t, "checkpoint-ha.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "savepoint", "spec", "job", "upgradeMode")
		set(t, u, "org.apache.flink.streaming.examples.statemachine.StateMachineExample", "spec", "job", "entryClass")
		set(t, u, "2 s", "spec", "flinkConfiguration", "execution.checkpointing.interval")
	}), map[string]any{
		"kubernetes.operator.bluegreen.handover.enabled":   "true",
		"kubernetes.operator.bluegreen.abort.grace-period": "4 min",
	})
}

// A handover moves the job to a warm cluster from the savepoint of its stop, and back; main that fails costs no gap.
func TestAPairHandsOver(t *testing.T) {
	const name = "moved"
	makeDirectory(t)
	if _, err := kube.in(pairs, space).Create(t.Context(), handoverOf(t, name), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kube.deletePair(t, name) })
	resource := kube.watch(watch.Deadline(t, 4*life.Limit), t, pairs, space, "metadata.name="+name, "")
	resource.Until("is ACTIVE_BLUE", pairIs("ACTIVE_BLUE", "RUNNING"))
	at := name + "-blue"
	jobID, _ := kube.flink(at).TasksRunning(t, "")
	for i, move := range []struct{ to, rate string }{{"green", "0.1"}, {"blue", "0.2"}} {
		kept := kube.flink(at).Kept(t, jobID)
		edited := kube.editPair(t, name, map[string]any{
			"job": map[string]any{"args": []any{"--error-rate", move.rate}},
		})
		moved := resource.Until("the job runs on "+move.to, pairMoved)
		gap := pairGap(t, moved.Unstructured)
		figures.duration("handover: time without a running job", 10*time.Second, gap)
		t.Logf("handover %d: no job ran for %s", i+1, gap)
		resource.Until("serves on "+move.to, pairIs("ACTIVE_"+strings.ToUpper(move.to), "RUNNING"))
		figures.duration("handover: edit to the new side alone", 3*time.Minute, time.Since(edited))
		at = name + "-" + move.to
		jobID, _ = kube.flink(at).TasksRunning(t, "")
		if path, savepoint := kube.flink(at).Restored(t, jobID); !savepoint {
			t.Errorf("%s started from %q, want from the savepoint of the stop", move.to, path)
		}
		kube.flink(at).GoesOn(t, jobID, kept)
	}
	kube.editPair(t, name, map[string]any{"job": map[string]any{"entryClass": "no.such.Main"}})
	shown := resource.Until("serves on blue, and the change was aborted", pairIs("ACTIVE_BLUE", "FAILING"))
	if text := watch.Text(shown.Unstructured, "status", "error"); !strings.Contains(text, "Aborting deployment") {
		t.Errorf("status.error is %q", text)
	}
	if same, _ := kube.flink(at).TasksRunning(t, ""); same != jobID {
		t.Errorf("the job of blue is %s, want %s: it was never stopped", same, jobID)
	}
}

// pairMoved waits until the job runs on the new side of a handover.
func pairMoved(o watch.Object) (bool, string) {
	if o.Unstructured == nil {
		return false, "it is gone"
	}
	at := watch.Text(o.Unstructured, "status", "transition", "handover", "runningAt")
	return at != "", "it is at step " + watch.Text(o.Unstructured, "status", "transition", "step") + ": " +
		watch.Text(o.Unstructured, "status", "error")
}

// pairGap is how long no job ran during the handover under way.
func pairGap(t *testing.T, u *unstructured.Unstructured) time.Duration {
	t.Helper()
	at := func(field string) time.Time {
		read, err := time.Parse(time.RFC3339Nano, watch.Text(u, "status", "transition", "handover", field))
		if err != nil {
			t.Fatal(err)
		}
		return read
	}
	return at("runningAt").Sub(at("stoppedAt"))
}
