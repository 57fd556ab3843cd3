//go:build e2e && nightly

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// The riskiest combinations of what becomes of a job's checkpoints and what is done to it. All others are tried on the
// models and on the local platform.

// calls waits until the resource calls for a person by a condition and says why.
func calls(t *testing.T, resource *watch.Watcher, kind, status string) (reason string) {
	t.Helper()
	resource.Until(fmt.Sprintf("says %s=%s", kind, status), func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		is, why, message := condition(o.Unstructured, kind)
		reason = why
		return is == status, fmt.Sprintf("it is %q, %s: %s", is, why, message)
	})
	return reason
}

// Checkpoints that do not outlive a cancel: a change takes a savepoint where it can, and is refused where it cannot; a
// job that was cancelled by somebody else is not started from less than it had.
func TestDiscardedCheckpointsAreNotForgotten(t *testing.T) {
	const name = "discards"
	makeDirectory(t)
	kube.create(t, example(t, "checkpoint-ha.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "last-state", "spec", "job", "upgradeMode")
		set(t, u, map[string]any{
			"taskmanager.numberOfTaskSlots":                             "2",
			"metrics.fetcher.update-interval":                           "1000",
			"execution.checkpointing.interval":                          "2 s",
			"execution.checkpointing.dir":                               "file:///flink-data/checkpoints",
			"execution.checkpointing.externalized-checkpoint-retention": "DELETE_ON_CANCELLATION",
		}, "spec", "flinkConfiguration")
	}))
	resource := kube.resource(t, name, life.Limit)
	resource.Until("is STABLE", life.State("STABLE"))
	flink := kube.flink(name)
	jobID, _ := flink.TasksRunning(t, "")
	kept := flink.Kept(t, jobID)

	t.Run("a change that would lose the state is refused", func(t *testing.T) {
		was := kube.jobManager(t, name, life.Limit).Until("exists", life.Released)
		kube.patch(t, name, map[string]any{"job": map[string]any{"parallelism": 1}})
		expect(t, "why it is stalled", calls(t, resource, summary.Stalled, "True"), "CheckpointsNotRetained")
		is := kube.jobManager(t, name, life.Limit).Until("is still there", life.Released)
		expect(t, "the JobManager's Deployment", string(is.GetUID()), string(was.GetUID()))
		same, _ := flink.TasksRunning(t, "")
		expect(t, "the job", same, jobID)
	})
	t.Run("with a place for savepoints the same change goes on from one", func(t *testing.T) {
		kube.patch(t, name, map[string]any{"flinkConfiguration": map[string]any{
			"execution.checkpointing.savepoint-dir": "file:///flink-data/savepoints",
		}})
		kept = kube.wentOn(t, name, true, kept)
	})
	t.Run("cancelled by somebody else, it waits for a person", func(t *testing.T) {
		was := kube.jobManager(t, name, life.Limit).Until("exists", life.Released)
		jobID, _ := flink.TasksRunning(t, "")
		kube.cancel(t, name, jobID)
		calls(t, resource, summary.StateSafe, "False")
		is := kube.jobManager(t, name, life.Limit).Until("is still there", life.Released)
		expect(t, "the JobManager's Deployment", string(is.GetUID()), string(was.GetUID()))
	})
}

// cancel does what flink cancel does.
func (c *cluster) cancel(t *testing.T, name, jobID string) {
	t.Helper()
	path := fmt.Sprintf(
		"%s/api/v1/namespaces/%s/services/%s-rest:8081/proxy/jobs/%s?mode=cancel", c.config.Host, space, name, jobID,
	)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusAccepted {
		t.Fatalf("cancel: %s", answer.Status)
	}
}

// A TaskManager that leaves before the JobManager of a job without restarts would end it for good, and its
// high-availability data with it. Each last-state upgrade under load must go on from the newest checkpoint.
func TestLastStateUpgradesWithoutRestarts(t *testing.T) {
	const name = "no-restarts"
	makeDirectory(t)
	kube.create(t, example(t, "checkpoint-ha.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "last-state", "spec", "job", "upgradeMode")
		set(t, u, map[string]any{"memory": "1024m", "cpu": 0.3}, "spec", "jobManager", "resource")
		set(t, u, "none", "spec", "flinkConfiguration", "restart-strategy.type")
		set(t, u, "1000", "spec", "flinkConfiguration", "metrics.fetcher.update-interval")
		set(t, u, "2 s", "spec", "flinkConfiguration", "execution.checkpointing", "interval")
	}))
	kube.resource(t, name, life.Limit).Until("is STABLE", life.State("STABLE"))
	jobID, _ := kube.flink(name).TasksRunning(t, "")
	kept := kube.flink(name).Kept(t, jobID)
	var upgrades []time.Duration
	for _, parallelism := range []int{1, 2} {
		jobManager := kube.jobManager(t, name, life.Limit)
		old := jobManager.Until("exists", life.Released)
		at := kube.patch(t, name, map[string]any{"job": map[string]any{"parallelism": parallelism}})
		next := jobManager.Until("is a new one, released", life.Replaced(old))
		upgrades = append(upgrades, next.At.Sub(at))
		kept = kube.wentOn(t, name, false, kept)
	}
	figures.duration("upgrade by last-state, JobManager of 0.3 CPU: patch to new JobManager "+
		"Deployment", 4*time.Second, upgrades...)

	t.Run("its pods are told to end in one moment by somebody else", func(t *testing.T) {
		resource := kube.resource(t, name, life.Limit)
		before := watch.Text(
			resource.Until("is STABLE", life.State("STABLE")).Unstructured, "status", "jobStatus", "startTime",
		)
		err := kube.in(pods, space).DeleteCollection(
			t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=" + name},
		)
		if err != nil {
			t.Fatal(err)
		}
		if told := tellsOrGoesOn(t, name, before); told != "" {
			t.Log("the job failed for good as its JobManager ended, and that is told: " + told)
			return
		}
		jobID, _ := kube.flink(name).TasksRunning(t, "")
		kube.flink(name).GoesOn(t, jobID, kept)
	})
}

// tellsOrGoesOn waits until the job runs in another run than before, and is called steady, or a person is told that it
// does not. It answers what a person is told. A job whose end Flink has recorded before its JobManager ended is not
// listed any more, and counts as ended once a checkpoint could have been taken in that time.
func tellsOrGoesOn(t *testing.T, name, before string) (told string) {
	t.Helper()
	const notListed = time.Minute
	var since time.Time
	watch.Poll(t, life.Limit, "the job goes on, or a person is told", func(ctx context.Context) (bool, error) {
		u, err := kube.in(life.Resources, space).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		if safe, why, message := condition(u, summary.StateSafe); safe == "False" {
			told = why + ": " + message
			return true, nil
		}
		if watch.Text(u, "status", "jobStatus", "state") == "FAILED" {
			told = "the job is FAILED"
			return true, nil
		}
		_, why, message := condition(u, summary.Reconciling)
		switch {
		case why != "JobNotListed":
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > notListed:
			told = why + ": " + message
			return true, nil
		}
		started, situation := watch.Text(u, "status", "jobStatus", "startTime"), watch.Text(u, "status", "situation")
		return started != before && situation == "Steady", fmt.Errorf("it is %s, started at %s", situation, started)
	})
	return told
}
