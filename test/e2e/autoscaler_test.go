//go:build e2e && nightly

package e2e

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// scaledJob is what Flink says of a job that is scaled.
type scaledJob struct {
	Vertices []struct {
		Parallelism int `json:"parallelism"`
	} `json:"vertices"`
}

// highest is the parallelism of the vertex that has the most.
func (j scaledJob) highest() (most int) {
	for _, v := range j.Vertices {
		most = max(most, v.Parallelism)
	}
	return most
}

// createAutoscaled makes examples/autoscaling.yaml and the ConfigMap with its load of a hundred records a second, half
// of what one subtask can do. Its window is a minute; options come on top.
func createAutoscaled(t *testing.T, name string, options map[string]string) {
	t.Helper()
	rate := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name + "-load"},
		"data": map[string]any{"rate": "100"},
	}}
	if _, err := kube.in(configMaps, space).Create(t.Context(), rate, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := kube.in(configMaps, space).Delete(ctx, name+"-load", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	kube.create(t, example(t, "autoscaling.yaml", name, func(u *unstructured.Unstructured) {
		all := map[string]string{
			"job.autoscaler.metrics.window": "1 min", "job.autoscaler.stabilization.interval": "10 s",
			"job.autoscaler.scale-down.max-factor": "0.9", "job.autoscaler.vertex.max-parallelism": "4",
		}
		maps.Copy(all, options)
		for option, value := range all {
			set(t, u, value, "spec", "flinkConfiguration", option)
		}
		volumes := []any{map[string]any{"name": "load", "configMap": map[string]any{"name": name + "-load"}}}
		if err := unstructured.SetNestedSlice(u.Object, volumes, "spec", "podTemplate", "spec", "volumes"); err != nil {
			t.Fatal(err)
		}
	}))
}

// TestParallelismFollowsTheLoad gives a job more records a second, and then fewer: its vertices get more subtasks in
// place, and then fewer. Functions that are killed meanwhile change nothing.
func TestParallelismFollowsTheLoad(t *testing.T) {
	const name = "autoscaling"
	createAutoscaled(t, name, nil)
	resource := kube.resource(t, name, life.Limit)
	resource.Until("is STABLE", life.State("STABLE"))
	released := kube.jobManager(t, name, life.Limit).Until("exists", life.Released)
	jobID, _ := kube.flink(name).TasksRunning(t, "")

	scaled := func(to string, rate int, holds func(parallelism int) bool) {
		asked := time.Now()
		patch := fmt.Sprintf(`{"data":{"rate":"%d"}}`, rate)
		if _, err := kube.in(configMaps, space).Patch(
			t.Context(), name+"-load", types.MergePatchType, []byte(patch), metav1.PatchOptions{},
		); err != nil {
			t.Fatal(err)
		}
		killed, next := 0, time.Now()
		var is scaledJob
		watch.Poll(t, 10*time.Minute, "the job has "+to, func(ctx context.Context) (bool, error) {
			if time.Now().After(next) {
				n, err := kube.life(name).KillFunctions(ctx)
				if killed += n; err != nil {
					return false, err
				}
				next = time.Now().Add(30 * time.Second)
			}
			err := kube.flink(name)(ctx, "/jobs/"+jobID, &is)
			return err == nil && holds(is.highest()), err
		})
		figures.duration("autoscaler: load changed to "+to+" (window 1 min)", 0, time.Since(asked))
		if killed == 0 {
			t.Error("no function was killed")
		}
		rescaled := time.Now()
		id, runs := kube.flink(name).TasksRunning(t, "")
		if id != jobID {
			t.Errorf("job %s runs, it was %s", id, jobID)
		}
		figures.duration("autoscaler: tasks run again, in place", 0, max(0, runs.Sub(rescaled)))
	}
	scaled("more subtasks", 500, func(p int) bool { return p >= 3 })
	scaled("fewer subtasks", 40, func(p int) bool { return p > 0 && p <= 2 })

	resource.Until("is STABLE", life.State("STABLE"))
	if jm := kube.jobManager(t, name, life.Limit).Until("is there", life.Released); jm.GetUID() != released.GetUID() {
		t.Error("the JobManager was replaced: the job was not scaled in place")
	}
	decisions, err := kube.in(configMaps, space).Get(t.Context(), "autoscaler-"+name+"-decisions", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if kept, _, _ := unstructured.NestedStringMap(decisions.Object, "data"); len(kept) == 0 {
		t.Error("no decision is explained")
	}
	kube.deletesInTime(t, name, "one deletion of an autoscaled job")
}
