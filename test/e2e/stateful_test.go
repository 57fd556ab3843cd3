//go:build e2e && nightly

package e2e

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// A job with state goes on from where it was, by a savepoint or by its last checkpoint.
func TestStateSurvivesUpgrades(t *testing.T) {
	const name = "stateful"
	makeDirectory(t)
	kube.create(t, example(t, "checkpoint-ha.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "1000", "spec", "flinkConfiguration", "metrics.fetcher.update-interval")
	}))
	kube.resource(t, name, life.Limit).Until("is STABLE", life.State("STABLE"))
	jobID, _ := kube.flink(name).TasksRunning(t, "")
	kept := kube.flink(name).Kept(t, jobID)

	aims := map[string]struct{ upgrade, suspension time.Duration }{
		"savepoint": {3 * time.Second, 2 * time.Second}, "last-state": {2500 * time.Millisecond, 3 * time.Second},
	}
	image := "flink:2.2"                                                     // of the example
	another := map[string]string{image: "flink:2.2.1", "flink:2.2.1": image} // two names of one image
	for _, mode := range []string{"savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			var upgrades, beside []time.Duration
			for range 3 {
				jobManager := kube.jobManager(t, name, life.Limit)
				old := jobManager.Until("exists", life.Released)
				jobManagers := kube.watch(
					watch.Deadline(t, life.Limit), t, pods, space, "", "app="+name+",component=jobmanager",
				)
				was := jobManagers.Until("is there", func(o watch.Object) (bool, string) {
					return o.Unstructured != nil, "there is none"
				})
				pod := kube.watch(watch.Deadline(t, life.Limit), t, pods, space, "metadata.name="+was.GetName(), "")
				image = another[image]
				at := kube.patch(t, name, map[string]any{"job": map[string]any{"upgradeMode": mode}, "image": image})
				ends := pod.Until("is told to end", func(o watch.Object) (bool, string) {
					return o.Unstructured == nil || o.GetDeletionTimestamp() != nil, "it runs"
				})
				ended := pod.Until("has ended", func(o watch.Object) (bool, string) {
					if o.Unstructured == nil {
						return true, ""
					}
					phase := watch.Text(o.Unstructured, "status", "phase")
					return phase == "Succeeded" || phase == "Failed", "it is " + phase
				})
				next := jobManager.Until("is a new one, released", life.Replaced(old))
				upgrades = append(upgrades, next.At.Sub(at))
				begins := jobManagers.All("another pod", 1, func(o watch.Object) bool { return o.GetName() != was.GetName() })
				_, runs := kube.flink(name).TasksRunning(t, "")
				shown := kube.resource(t, name, life.Limit).Until("shows the job RUNNING", func(o watch.Object) (bool, string) {
					is := watch.Text(o.Unstructured, "status", "jobStatus", "state")
					return is == "RUNNING", "it is " + is
				})
				flinks := ended.At.Sub(ends.At) + runs.Sub(begins)
				beside = append(beside, max(runs.Sub(at), shown.At.Sub(at))-flinks)
				kept = kube.wentOn(t, name, mode == "savepoint", kept)
			}
			figures.duration("upgrade by "+mode+
				": patch to RUNNING, beside the ends and starts of pods and Flink", 5*time.Second, beside...)
			figures.duration("upgrade by "+mode+": patch to new JobManager Deployment", aims[mode].upgrade, upgrades...)

			at := kube.patch(t, name, map[string]any{"job": map[string]any{"state": "suspended"}})
			suspended := kube.resource(t, name, life.Limit).Until("is SUSPENDED", life.State("SUSPENDED"))
			figures.duration("suspend by "+mode+": patch to SUSPENDED", aims[mode].suspension, suspended.At.Sub(at))
			kube.patch(t, name, map[string]any{"job": map[string]any{"state": "running"}})
			kept = kube.wentOn(t, name, mode == "savepoint", kept)
		})
	}
}

// wentOn waits until a job runs again, and fails if it did not start from where it was stopped: with all that was kept.
// It returns what is kept now.
func (c *cluster) wentOn(t *testing.T, name string, fromSavepoint bool, kept life.Counted) life.Counted {
	t.Helper()
	stable := c.resource(t, name, life.Limit).Until("is STABLE again", life.State("STABLE"))
	flink := c.flink(name)
	jobID, _ := flink.TasksRunning(t, "")
	expect(t, "status.jobStatus.jobId", watch.Text(stable.Unstructured, "status", "jobStatus", "jobId"), jobID)
	path, savepoint := flink.Restored(t, jobID)
	if savepoint != fromSavepoint || !strings.Contains(path, "flink-data") {
		t.Errorf("the job started from %q (a savepoint: %v), want from a savepoint: %v", path, savepoint, fromSavepoint)
	}
	flink.GoesOn(t, jobID, kept)
	return flink.Kept(t, jobID)
}
