//go:build e2e && nightly

package e2e

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// TestEverySecondOfAChange prints where the time of a change goes, by its kind, with half a CPU for each JVM. make
// nightly runs it: a change of this project does not wait for it.
func TestEverySecondOfAChange(t *testing.T) {
	const name = "seconds"
	makeDirectory(t)
	kube.create(t, example(t, "checkpoint-ha.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "stateless", "spec", "job", "upgradeMode")
	}))
	kube.resource(t, name, life.Limit).Until("is STABLE", life.State("STABLE"))
	kube.flink(name).TasksRunning(t, "")
	nonce := time.Now().Unix()
	for _, c := range []struct {
		mode string
		aim  time.Duration
	}{{"stateless", 2 * time.Second}, {"savepoint", 2 * time.Second}, {"last-state", 2500 * time.Millisecond}} {
		var replaced, beside, whole []time.Duration
		for range 3 {
			nonce++
			patched, moments := kube.changed(t, name, map[string]any{
				"restartNonce": nonce, "job": map[string]any{"upgradeMode": c.mode},
			}, "STABLE")
			printMoments(t, c.mode, patched, moments)
			at := map[string]time.Time{}
			for _, m := range moments {
				// A stop without a savepoint waits for no end of the job: its state is dropped, or lies with its job graph.
				if m.at.IsZero() && (c.mode == "savepoint" || m.name != "the end of the job is stored") {
					t.Errorf("%s: nothing shows when %s", c.mode, m.name)
				}
				at[m.name] = m.at
			}
			made := at["the new Deployment is prepared"].Sub(patched)
			replaced = append(replaced, made)
			exit := at["the JobManager has ended"].Sub(at["the JobManager is told to end"])
			beside = append(beside, made-exit)
			whole = append(whole, at["the status says RUNNING"].Sub(patched))
		}
		title := "0.5 CPU, " + c.mode + " upgrade: patch to "
		figures.duration(title+"new JobManager Deployment", 0, replaced...)
		figures.duration(title+"new JobManager Deployment, beside the JobManager's exit", c.aim, beside...)
		figures.duration(title+"RUNNING", 0, whole...)

		patched, moments := kube.changed(t, name, map[string]any{"job": map[string]any{"state": "suspended"}}, "SUSPENDED")
		printMoments(t, c.mode+", suspended", patched, moments[:5])
		patched, moments = kube.changed(t, name, map[string]any{"job": map[string]any{"state": "running"}}, "STABLE")
		printMoments(t, c.mode+", resumed", patched, moments[5:])
	}
}

// changed makes a change and returns its moments once the resource has come to a lifecycle state with it.
func (c *cluster) changed(t *testing.T, name string, spec map[string]any, want string) (time.Time, []moment) {
	t.Helper()
	old := map[string]bool{}
	for gvr, labels := range map[schema.GroupVersionResource]string{deployments: "app=" + name, pods: "app=" + name} {
		list, err := c.list(t.Context(), gvr, space, labels)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list {
			old[string(u.GetUID())] = true
		}
	}
	line := c.record(t, space, application(name))
	at := c.patch(t, name, spec)
	c.resource(t, name, life.Limit).Until("is "+want, life.State(want))
	watch.Poll(t, 10*time.Second, "the recording is as far", func(context.Context) (bool, error) {
		return line.shows(want), nil
	})
	line.close()
	return at, line.moments(old)
}
