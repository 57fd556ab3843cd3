//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// counted is what the example job says of itself: see StateMachineExample.
type counted struct {
	highest float64 // the highest number counted
	wrong   float64 // how often, since its start, another number came than the one its state expected
}

// counts asks the job for its counters.
func (c *cluster) counts(ctx context.Context, name, jobID string) (counted, error) {
	var job struct {
		Vertices []struct {
			ID string `json:"id"`
		} `json:"vertices"`
	}
	if err := c.flink(ctx, name, "/jobs/"+jobID, &job); err != nil {
		return counted{}, err
	}
	for _, vertex := range job.Vertices {
		var offered, values []struct {
			ID       string
			Max, Sum float64
		}
		path := "/jobs/" + jobID + "/vertices/" + vertex.ID + "/subtasks/metrics"
		if err := c.flink(ctx, name, path, &offered); err != nil {
			return counted{}, err
		}
		ids := map[string]string{}
		for _, metric := range offered {
			if _, last, found := strings.Cut(metric.ID, "."); found && (last == "highest" || last == "wrong") {
				ids[last] = metric.ID
			}
		}
		if len(ids) < 2 {
			continue
		}
		if err := c.flink(ctx, name, path+"?get="+url.QueryEscape(ids["highest"]+","+ids["wrong"]), &values); err != nil {
			return counted{}, err
		}
		var is counted
		for _, v := range values {
			if v.ID == ids["highest"] {
				is.highest = v.Max
			} else {
				is.wrong = v.Sum
			}
		}
		return is, nil
	}
	return counted{}, fmt.Errorf("job %s does not offer its counters yet", jobID)
}

// goesOn waits until the job has counted beyond what it had counted before, and fails if it did not go on exactly there.
func (c *cluster) goesOn(t *testing.T, name, jobID string, before counted) (is counted) {
	t.Helper()
	poll(t, 90*time.Second, fmt.Sprintf("the job counts beyond %.0f", before.highest), func(ctx context.Context) (bool, error) {
		var err error
		if is, err = c.counts(ctx, name, jobID); err != nil {
			return false, err
		}
		return is.highest > before.highest, fmt.Errorf("its counters are %+v", is)
	})
	if is.wrong != 0 {
		t.Errorf("%.0f numbers were lost or counted twice: its state and its position are not of the same moment", is.wrong)
	}
	return is
}

// kill deletes the pods of a selector at once.
func (c *cluster) kill(ctx context.Context, namespace, labels string) error {
	now := int64(0)
	return c.in(pods, namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{LabelSelector: labels})
}

// whileKilled kills the pods of the functions, again and again, until what follows is done. Each has a second to work in, so that there is
// always something under way when it dies.
func whileKilled(t *testing.T, until func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	killed, ended := 0, make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			list, err := kube.list(ctx, pods, system, "serving.knative.dev/service in (reconcile,observe)")
			for i := range list {
				if pod := &list[i]; pod.GetDeletionTimestamp() == nil && readyFor(pod) > time.Second {
					killed++
					err = kube.in(pods, system).Delete(ctx, pod.GetName(), metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
				}
			}
			if err != nil && ctx.Err() == nil {
				t.Errorf("kill the functions: %v", err)
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	until()
	stop()
	<-ended
	if killed == 0 {
		t.Error("no function was killed")
	}
}

// readyFor is how long a pod has been ready; zero when it is not.
func readyFor(pod *unstructured.Unstructured) time.Duration {
	list, _, _ := unstructured.NestedSlice(pod.Object, "status", "conditions")
	for _, item := range list {
		c, _ := item.(map[string]any)
		if at, err := time.Parse(time.RFC3339, fmt.Sprint(c["lastTransitionTime"])); err == nil && c["type"] == "Ready" && c["status"] == "True" {
			return time.Since(at)
		}
	}
	return 0
}

// A job's whole life, with its functions and its JobManager killed on the way: it always goes on exactly where it was.
func TestLifeOfAJob(t *testing.T) {
	const name = "life"
	makeDirectory(t)
	kube.create(t, example(t, "checkpoint-ha.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "flink:1.20", "spec", "image")
		set(t, u, "v1_20", "spec", "flinkVersion")
		set(t, u, "true", "spec", "flinkConfiguration", "kubernetes.operator.deployment.rollback.enabled")
		set(t, u, "1000", "spec", "flinkConfiguration", "metrics.fetcher.update-interval")
	}))
	stable := func() (jobID string) {
		t.Helper()
		kube.resource(t, name, startLimit).until("runs well", func(o object) (bool, string) {
			if ok, _ := state("ROLLED_BACK")(o); ok {
				return true, ""
			}
			return state("STABLE")(o)
		})
		jobID, _ = kube.tasksRunning(t, name, "")
		return jobID
	}
	jobID := stable()
	kube.completedCheckpoint(t, name, jobID)
	was := kube.goesOn(t, name, jobID, counted{})

	// change patches the resource and waits until another JobManager was released.
	round := 0
	change := func(t *testing.T, spec map[string]any) {
		t.Helper()
		jobManager := kube.jobManager(t, name, startLimit)
		old := jobManager.until("exists", released)
		configuration, _ := spec["flinkConfiguration"].(map[string]any)
		if configuration == nil {
			configuration = map[string]any{}
		}
		round++
		configuration["e2e.round"] = strconv.Itoa(round)
		spec["flinkConfiguration"] = configuration
		kube.patch(t, name, spec)
		jobManager.until("is a new one, released", replaced(old))
	}
	job := func(mode string) map[string]any { return map[string]any{"job": map[string]any{"upgradeMode": mode}} }
	jobManagerPods, taskManagerPods := "app="+name+",component=jobmanager", "app="+name+",component=taskmanager"

	chapters := []struct {
		title string
		run   func(t *testing.T)
	}{
		{"savepoint upgrade, functions killed", func(t *testing.T) {
			whileKilled(t, func() { change(t, job("savepoint")) })
		}},
		{"JobManager killed", func(t *testing.T) {
			if err := kube.kill(t.Context(), space, jobManagerPods); err != nil {
				t.Fatal(err)
			}
			resource := kube.resource(t, name, startLimit)
			resource.until("shows that its JobManager is gone", func(o object) (bool, string) {
				is := text(o.Unstructured, "status", "jobManagerDeploymentStatus")
				return is != "READY", "jobManagerDeploymentStatus is " + is
			})
			_, running := kube.tasksRunning(t, name, "")
			shown := resource.until("shows the job RUNNING again", func(o object) (bool, string) {
				is := text(o.Unstructured, "status", "jobStatus", "state") + " " + text(o.Unstructured, "status", "jobManagerDeploymentStatus")
				return is == "RUNNING READY", "it shows " + is
			})
			figures.duration("JobManager killed, HA: RUNNING in Flink to RUNNING in status", 6*time.Second, max(0, shown.at.Sub(running)))
		}},
		{"last-state upgrade, JobManager killed", func(t *testing.T) {
			if err := kube.kill(t.Context(), space, jobManagerPods); err != nil {
				t.Fatal(err)
			}
			change(t, job("last-state"))
		}},
		{"last-state upgrade, functions killed", func(t *testing.T) {
			whileKilled(t, func() { change(t, job("last-state")) })
		}},
		{"Flink 1.20 to 2.2", func(t *testing.T) {
			spec := job("savepoint")
			spec["image"], spec["flinkVersion"] = "flink:2.2", "v2_2"
			change(t, spec)
		}},
		{"an upgrade that fails is rolled back", func(t *testing.T) {
			spec := job("last-state")
			spec["image"] = "flink:no-such-tag"
			spec["flinkConfiguration"] = map[string]any{"kubernetes.operator.deployment.readiness.timeout": "20 s"}
			change(t, spec)
			rolled := kube.resource(t, name, startLimit).until("is rolled back", state("ROLLED_BACK"))
			if why := text(rolled.Unstructured, "status", "reconciliationStatus", "state"); why != "ROLLED_BACK" {
				t.Errorf("reconciliationStatus.state is %q", why)
			}
		}},
		{"the next change runs", func(t *testing.T) {
			spec := job("savepoint")
			spec["image"] = "flink:2.2"
			spec["flinkConfiguration"] = map[string]any{"kubernetes.operator.deployment.readiness.timeout": nil}
			change(t, spec)
		}},
		{"an upgrade whose job fails for good is rolled back", func(t *testing.T) {
			spec := map[string]any{"job": map[string]any{"upgradeMode": "savepoint", "args": []any{"--rps", "0"}}}
			spec["flinkConfiguration"] = map[string]any{"restart-strategy.type": "disable", "kubernetes.operator.deployment.readiness.timeout": "90 s"}
			change(t, spec)
			resource := kube.resource(t, name, startLimit)
			resource.until("tells the failure", func(o object) (bool, string) {
				is := text(o.Unstructured, "status", "jobStatus", "state")
				return is == "FAILED" && text(o.Unstructured, "status", "error") != "", "the job is " + is
			})
			resource.until("is rolled back", state("ROLLED_BACK"))
		}},
		{"a job that failed for good begins again where it was", func(t *testing.T) {
			spec := map[string]any{"job": map[string]any{"upgradeMode": "savepoint", "args": nil}}
			spec["flinkConfiguration"] = map[string]any{"restart-strategy.type": "disable", "kubernetes.operator.deployment.readiness.timeout": nil}
			change(t, spec)
			kube.completedCheckpoint(t, name, stable())
			if err := kube.kill(t.Context(), space, taskManagerPods); err != nil {
				t.Fatal(err)
			}
			at := kube.failed(t, name)
			told := kube.resource(t, name, startLimit).until("tells the failure and the state that it left", func(o object) (bool, string) {
				is, from := text(o.Unstructured, "status", "jobStatus", "state"), text(o.Unstructured, "status", "jobStatus", "upgradeSavepointPath")
				return is == "FAILED" && strings.Contains(from, "/chk-") && text(o.Unstructured, "status", "error") != "", fmt.Sprintf("the job is %s, its last state %q", is, from)
			})
			figures.duration("a job with state fails for good: Flink to status", 66*time.Second, max(0, told.at.Sub(at)))
			change(t, map[string]any{"restartNonce": 1})
		}},
		{"a job that failed is restarted where that is asked for", func(t *testing.T) {
			spec := job("savepoint")
			spec["flinkConfiguration"] = map[string]any{"kubernetes.operator.job.restart.failed": "true"}
			change(t, spec)
			kube.completedCheckpoint(t, name, stable())
			jobManager := kube.jobManager(t, name, startLimit)
			old := jobManager.until("exists", released)
			if err := kube.kill(t.Context(), space, taskManagerPods); err != nil {
				t.Fatal(err)
			}
			jobManager.until("is a new one, released", replaced(old))
		}},
	}
	for _, chapter := range chapters {
		ok := t.Run(chapter.title, func(t *testing.T) {
			chapter.run(t)
			jobID = stable()
			was = kube.goesOn(t, name, jobID, was)
			kube.completedCheckpoint(t, name, jobID)
		})
		if !ok {
			return // what follows stands on it
		}
	}
}
