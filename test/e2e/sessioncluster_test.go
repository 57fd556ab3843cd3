//go:build e2e && nightly

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// A session cluster without high availability loses its jobs with its JobManager: one that may start empty runs again,
// one that keeps its state waits for a person, who says from what it starts.
func TestSessionJobsOfALostCluster(t *testing.T) {
	const name = "lossy"
	makeDirectory(t)
	kube.create(t, sessionCluster(t, name, "flink:1.20", "v1_20", "NONE"))
	kube.resource(t, name, life.Limit).Until("is STABLE", life.State("STABLE"))
	kube.submit(t, sessionJob("lossy-stateless", name, "stateless"))
	kube.submit(t, sessionJob("lossy-stateful", name, "last-state"))
	stateless := jobID(kube.job(t, "lossy-stateless").Until("is STABLE", steady("")))
	stateful := jobID(kube.job(t, "lossy-stateful").Until("is STABLE", steady("")))
	kept := kube.flink(name).Kept(t, stateful)
	path := newestCheckpoint(t, name, stateful)

	kube.life(name).KillAll(t, "jobmanager")
	kube.job(t, "lossy-stateful").Until("waits for a person", func(o watch.Object) (bool, string) {
		safe, why, _ := condition(o.Unstructured, "StateSafe")
		_, reason, _ := condition(o.Unstructured, "Stalled")
		return safe == "False" && reason == "SessionClusterLost", safe + " " + why + " " + reason
	})
	kube.job(t, "lossy-stateless").Until("runs again", steady(stateless))
	kube.editJob(t, "lossy-stateful", map[string]any{"job": map[string]any{
		"initialSavepointPath": path, "savepointRedeployNonce": int64(1),
	}})
	again := jobID(kube.job(t, "lossy-stateful").Until("is STABLE again", steady(stateful)))
	kube.flink(name).GoesOn(t, again, kept)
}

// newestCheckpoint is where the newest retained checkpoint of a job lies.
func newestCheckpoint(t *testing.T, name, jobID string) (path string) {
	t.Helper()
	watch.Poll(t, time.Minute, "the job has a checkpoint", func(ctx context.Context) (bool, error) {
		var statistics struct {
			Latest struct {
				Completed struct {
					Path string `json:"external_path"`
				} `json:"completed"`
			} `json:"latest"`
		}
		err := kube.flink(name)(ctx, "/jobs/"+jobID+"/checkpoints", &statistics)
		path = statistics.Latest.Completed.Path
		return path != "", err
	})
	return path
}

// A session cluster with high availability is upgraded under its job, which goes on under its ID. Its deletion waits
// for its session jobs.
func TestASessionClusterIsUpgradedUnderItsJob(t *testing.T) {
	const name = "host"
	makeDirectory(t)
	kube.create(t, sessionCluster(t, name, "flink:2.2", "v2_2", "kubernetes"))
	kube.resource(t, name, life.Limit).Until("is STABLE", life.State("STABLE"))
	kube.submit(t, sessionJob("guest", name, "last-state"))
	id := jobID(kube.job(t, "guest").Until("is STABLE", steady("")))
	kept := kube.flink(name).Kept(t, id)
	old := kube.jobManager(t, name, life.Limit).Until("exists", life.Released)
	kube.patch(t, name, map[string]any{"flinkConfiguration": map[string]any{"taskmanager.numberOfTaskSlots": "2"}})
	kube.job(t, "guest").Until("waits for its cluster", func(o watch.Object) (bool, string) {
		_, reason, _ := condition(o.Unstructured, "Reconciling")
		return strings.HasPrefix(reason, "SessionCluster"), reason
	})
	kube.jobManager(t, name, life.Limit).Until("is a new one, released", life.Replaced(old))
	if is := jobID(kube.job(t, "guest").Until("is STABLE again", steady(""))); is != id {
		t.Errorf("high availability brings job %s back, not %s", id, is)
	}
	kube.flink(name).GoesOn(t, id, kept)

	if err := kube.in(life.Resources, space).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	kube.resource(t, name, life.Limit).Until("is held by its job", func(o watch.Object) (bool, string) {
		_, reason, message := condition(o.Unstructured, "Stalled")
		return reason == "CleanupBlocked" && strings.Contains(message, "guest"), reason + " " + message
	})
	kube.withdraw(t, "guest")
	kube.resource(t, name, life.Limit).Until("is gone", func(o watch.Object) (bool, string) {
		return o.Unstructured == nil, "still there"
	})
}
