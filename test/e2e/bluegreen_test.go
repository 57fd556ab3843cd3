//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

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
