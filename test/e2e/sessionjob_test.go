//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
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

var sessionJobs = schema.GroupVersionResource{
	Group: "flink.apache.org", Version: "v1beta1", Resource: "flinksessionjobs",
}

// sessionCluster is the cluster of examples/checkpoint-ha.yaml without its job: with a volume for state.
func sessionCluster(t *testing.T, name, image, version, highAvailability string) *unstructured.Unstructured {
	t.Helper()
	return example(t, "checkpoint-ha.yaml", name, func(u *unstructured.Unstructured) {
		unstructured.RemoveNestedField(u.Object, "spec", "job")
		set(t, u, image, "spec", "image")
		set(t, u, version, "spec", "flinkVersion")
		set(t, u, highAvailability, "spec", "flinkConfiguration", "high-availability", "type")
		set(t, u, "1000", "spec", "flinkConfiguration", "metrics.fetcher.update-interval")
		set(t, u, "4", "spec", "flinkConfiguration", "taskmanager.numberOfTaskSlots")
	})
}

// sessionJob is a job whose code is in Flink's image, so that no jar is fetched.
func sessionJob(name, cluster, mode string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkSessionJob",
		"metadata": map[string]any{"name": name, "namespace": space},
		"spec": map[string]any{
			"deploymentName": cluster,
			"flinkConfiguration": map[string]any{
				"pipeline.classpaths": "file:///opt/flink/examples/streaming/StateMachineExample.jar",
			},
			"job": map[string]any{
				"entryClass":  "org.apache.flink.streaming.examples.statemachine.StateMachineExample",
				"parallelism": int64(1), "upgradeMode": mode,
			},
		},
	}}
}

// submit makes a FlinkSessionJob and promises that it is gone when the test ends.
func (c *cluster) submit(t *testing.T, u *unstructured.Unstructured) time.Time {
	t.Helper()
	t.Cleanup(func() { c.withdraw(t, u.GetName()) })
	at := time.Now()
	if _, err := c.in(sessionJobs, space).Create(t.Context(), u, metav1.CreateOptions{FieldManager: "e2e"}); err != nil {
		t.Fatalf("create %s: %v", u.GetName(), err)
	}
	return at
}

// withdraw deletes a FlinkSessionJob and waits until it is gone.
func (c *cluster) withdraw(t *testing.T, name string) (took time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	resource := c.watch(ctx, t, sessionJobs, space, "metadata.name="+name, "")
	at := time.Now()
	if err := c.in(sessionJobs, space).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return 0
	}
	gone := resource.Until("is gone", func(o watch.Object) (bool, string) { return o.Unstructured == nil, "still there" })
	return gone.At.Sub(at)
}

// editJob merges into the spec of a FlinkSessionJob and says when that was.
func (c *cluster) editJob(t *testing.T, name string, spec map[string]any) time.Time {
	t.Helper()
	body, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	if _, err := c.in(sessionJobs, space).Patch(
		t.Context(), name, types.MergePatchType, body, metav1.PatchOptions{},
	); err != nil {
		t.Fatalf("patch %s: %v", name, err)
	}
	return at
}

// job follows one FlinkSessionJob.
func (c *cluster) job(t *testing.T, name string) *watch.Watcher {
	t.Helper()
	return c.watch(watch.Deadline(t, life.Limit), t, sessionJobs, space, "metadata.name="+name, "")
}

// steady is a job that runs, with no operation open, under another ID than was.
func steady(was string) func(watch.Object) (bool, string) {
	return func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "it is gone"
		}
		id := watch.Text(o.Unstructured, "status", "jobStatus", "jobId")
		is := watch.Text(o.Unstructured, "status", "lifecycleState") + " " + watch.Text(o.Unstructured, "status", "situation")
		return is == "STABLE Steady" && id != was, is + " job " + id
	}
}

// applyToRunning makes a session job without state and measures until its status says RUNNING, without what Flink took
// from the job's begin until all of its tasks ran. The job is gone when it returns.
func (c *cluster) applyToRunning(t *testing.T, name, cluster string) time.Duration {
	t.Helper()
	at := c.submit(t, sessionJob(name, cluster, "stateless"))
	shown := c.job(t, name).Until("is RUNNING", func(o watch.Object) (bool, string) {
		is := watch.Text(o.Unstructured, "status", "jobStatus", "state")
		return is == "RUNNING", "the job is " + is
	})
	took := shown.At.Sub(at) - c.flink(cluster).Starting(t, jobID(shown))
	c.withdraw(t, name)
	return took
}

// jobID is the ID in the status of an object.
func jobID(o watch.Object) string { return watch.Text(o.Unstructured, "status", "jobStatus", "jobId") }

// Two jobs live on a session cluster with high availability, each with the life of an application's job.
func TestSessionJobs(t *testing.T) {
	const name = "jobs"
	makeDirectory(t)
	kube.create(t, sessionCluster(t, name, "flink:2.2", "v2_2", "kubernetes"))
	kube.resource(t, name, life.Limit).Until("is STABLE", life.State("STABLE"))
	stateful, stateless := name+"-stateful", name+"-stateless"
	kube.submit(t, sessionJob(stateless, name, "stateless"))
	other := jobID(kube.job(t, stateless).Until("is STABLE", steady("")))
	at := kube.submit(t, sessionJob(stateful, name, "savepoint"))
	first := kube.job(t, stateful).Until("is STABLE", steady(""))
	figures.duration("session job: apply to STABLE, TaskManagers run already", 0, first.At.Sub(at))
	flink, id := kube.flink(name), jobID(first)
	if path := kube.life(name).SavepointOf(t, "FlinkSessionJob", stateful); !strings.Contains(path, "/savepoints/") {
		t.Errorf("a FlinkStateSnapshot of the job has path %q", path)
	}
	kept := flink.Kept(t, id)
	for _, mode := range []string{"savepoint", "last-state"} {
		at := kube.editJob(t, stateful, map[string]any{
			"job": map[string]any{"upgradeMode": mode}, "restartNonce": time.Now().Unix(),
		})
		next := kube.job(t, stateful).Until("is STABLE again", steady(id))
		figures.duration("session job, upgrade by "+mode+": patch to STABLE", 0, next.At.Sub(at))
		id = jobID(next)
		if path, _ := flink.Restored(t, id); strings.Contains(path, "/savepoints/") != (mode == "savepoint") {
			t.Errorf("by %s the job started from %q", mode, path) // Flink calls either a savepoint that it was given
		}
		flink.GoesOn(t, id, kept)
		kept = flink.Kept(t, id)
	}
	kube.editJob(t, stateful, map[string]any{"job": map[string]any{"state": "suspended"}})
	kube.job(t, stateful).Until("is SUSPENDED", life.State("SUSPENDED"))
	kube.editJob(t, stateful, map[string]any{"job": map[string]any{"state": "running"}})
	id = jobID(kube.job(t, stateful).Until("is STABLE again", steady(id)))
	flink.GoesOn(t, id, kept)
	kept = flink.Kept(t, id)

	kube.life(name).KillAll(t, "jobmanager")
	kube.job(t, stateful).Until("is missed", func(o watch.Object) (bool, string) {
		is := watch.Text(o.Unstructured, "status", "lifecycleState")
		return is != "STABLE", "it is " + is
	})
	back := kube.job(t, stateful).Until("is STABLE again", steady(""))
	if jobID(back) != id {
		t.Errorf("high availability brings job %s back, not %s", id, jobID(back))
	}
	flink.GoesOn(t, id, kept)
	if is := jobID(kube.job(t, stateless).Until("is STABLE again", steady(""))); is != other {
		t.Errorf("the other job is %s, it was %s", is, other)
	}
	figures.duration("session job: deletion", 0, kube.withdraw(t, stateful))

	var warm []time.Duration
	for range 5 {
		warm = append(warm, kube.applyToRunning(t, name+"-warm", name))
	}
	figures.duration("session job: apply to RUNNING, beside Flink's start, functions warm", 1500*time.Millisecond, warm...)
}
