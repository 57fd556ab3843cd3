//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A job's start has to fit into this on a small machine: two JVMs, a few classes, a first checkpoint.
const startLimit = 4 * time.Minute

// deadline is a context that ends d from now.
func deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// resource follows one FlinkDeployment, jobManager the Deployment of its JobManager.
func (c *cluster) resource(t *testing.T, name string, limit time.Duration) *watcher {
	t.Helper()
	return c.watch(deadline(t, limit), t, flinkDeployments, space, "metadata.name="+name, "")
}

func (c *cluster) jobManager(t *testing.T, name string, limit time.Duration) *watcher {
	t.Helper()
	return c.watch(deadline(t, limit), t, deployments, space, "metadata.name="+name, "")
}

// released says that a JobManager Deployment has been let go: it wants a pod.
func released(o object) (bool, string) {
	if o.Unstructured == nil {
		return false, "there is no Deployment"
	}
	replicas, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	return replicas > 0, "it is prepared and not released"
}

// replaced says that another JobManager Deployment than the old one has been let go.
func replaced(old object) func(object) (bool, string) {
	return func(o object) (bool, string) {
		if o.Unstructured != nil && o.GetUID() == old.GetUID() {
			return false, "it is the old one"
		}
		return released(o)
	}
}

// state says that a FlinkDeployment has reached a lifecycle state for its present generation.
func state(want string) func(object) (bool, string) {
	return func(o object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		seen, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
		is := text(o.Unstructured, "status", "lifecycleState")
		return is == want && seen == o.GetGeneration(), fmt.Sprintf("lifecycleState is %q at generation %d of %d, error %q",
			is, seen, o.GetGeneration(), text(o.Unstructured, "status", "error"))
	}
}

// tasksRunning waits until every task of the one job of a cluster runs, as Flink says, and returns the job's ID.
func (c *cluster) tasksRunning(t *testing.T, name string, not string) (jobID string, at time.Time) {
	t.Helper()
	at = poll(t, startLimit, "all tasks of "+name+" run", func(ctx context.Context) (bool, error) {
		var answer struct {
			Jobs []struct {
				ID    string         `json:"jid"`
				State string         `json:"state"`
				Tasks map[string]int `json:"tasks"`
			} `json:"jobs"`
		}
		if err := c.flink(ctx, name, "/jobs/overview", &answer); err != nil {
			return false, err
		}
		for _, job := range answer.Jobs {
			jobID = job.ID
			if job.State == "RUNNING" && job.ID != not && job.Tasks["total"] > 0 && job.Tasks["running"] == job.Tasks["total"] {
				return true, nil
			}
		}
		return false, fmt.Errorf("jobs: %+v", answer.Jobs)
	})
	return jobID, at
}

func TestApplicationReachesStable(t *testing.T) {
	for version, change := range map[string]func(*unstructured.Unstructured){
		"2.2": nil,
		"1.20": func(u *unstructured.Unstructured) {
			set(t, u, "flink:1.20", "spec", "image")
			set(t, u, "v1_20", "spec", "flinkVersion")
		},
	} {
		t.Run("flink "+version, func(t *testing.T) {
			name := "app-" + strings.ReplaceAll(version, ".", "-")
			resource, jobManager := kube.resource(t, name, startLimit), kube.jobManager(t, name, startLimit)
			made := kube.create(t, example(t, "basic.yaml", name, change))
			start := jobManager.until("is released", released)
			jobID, running := kube.tasksRunning(t, name, "")
			stable := resource.until("is STABLE", state("STABLE"))
			figures.duration("flink "+version+": apply to JobManager Deployment released, as it came", 0, start.at.Sub(made.at))
			figures.duration("flink "+version+": apply to STABLE", 0, stable.at.Sub(made.at))
			figures.duration("flink "+version+": all tasks running to STABLE", 4*time.Second, max(0, stable.at.Sub(running)))

			expect(t, "status.jobManagerDeploymentStatus", text(stable.Unstructured, "status", "jobManagerDeploymentStatus"), "READY")
			expect(t, "status.jobStatus.state", text(stable.Unstructured, "status", "jobStatus", "state"), "RUNNING")
			expect(t, "status.jobStatus.jobId", text(stable.Unstructured, "status", "jobStatus", "jobId"), jobID)
			ready, reason, message := condition(stable.Unstructured, "Ready")
			expect(t, "condition Ready", ready, "True", reason, message)
			if !strings.Contains(text(stable.Unstructured, "status", "reconciliationStatus", "lastStableSpec"), "jarURI") {
				t.Error("status.reconciliationStatus.lastStableSpec does not hold the spec")
			}
			if is := text(stable.Unstructured, "status", "clusterInfo", "flink-version"); !strings.HasPrefix(is, version) {
				t.Errorf("clusterInfo says flink-version %q, want %s", is, version)
			}
			kube.deletesInTime(t, name, "one deletion of a running job")
		})
	}
}

// deletesInTime deletes a FlinkDeployment and adds how long that took.
func (c *cluster) deletesInTime(t *testing.T, name, figure string) {
	t.Helper()
	took := c.remove(t, name)
	if took == 0 {
		t.Fatalf("%s could not be deleted", name)
	}
	figures.duration(figure, 3*time.Second, took)
}

func expect(t *testing.T, what, got, want string, notes ...string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %q, want %q %s", what, got, want, strings.Join(notes, " "))
	}
}

func TestSessionCluster(t *testing.T) {
	const name = "session"
	resource := kube.resource(t, name, startLimit)
	made := kube.create(t, example(t, "session.yaml", name, nil))
	stable := resource.until("is STABLE", state("STABLE"))
	figures.duration("session cluster: apply to STABLE", 0, stable.at.Sub(made.at))
	var overview struct {
		Version string `json:"flink-version"`
		Jobs    int    `json:"jobs-running"`
	}
	// The overview asks the resource manager, too, which may elect its leader a moment after the dispatcher.
	poll(t, time.Minute, "the session cluster answers", func(ctx context.Context) (bool, error) {
		err := kube.flink(ctx, name, "/overview", &overview)
		return err == nil, err
	})
	if !strings.HasPrefix(overview.Version, "1.20") || overview.Jobs != 0 {
		t.Errorf("the session cluster says it is %+v, want an empty Flink 1.20", overview)
	}
	kube.deletesInTime(t, name, "one deletion of a session cluster")
}

func TestStatelessUpgrade(t *testing.T) {
	const name = "upgrade"
	kube.create(t, example(t, "basic.yaml", name, nil))
	kube.resource(t, name, startLimit).until("is STABLE", state("STABLE"))
	jobID, _ := kube.tasksRunning(t, name, "")
	var took []time.Duration
	for i := range 3 {
		jobManager := kube.jobManager(t, name, startLimit)
		old := jobManager.until("exists", released)
		at := kube.patch(t, name, map[string]any{"image": []string{"flink:2.2.1", "flink:2.2"}[i%2]}) // two names of one image
		next := jobManager.until("is a new one, released", replaced(old))
		took = append(took, next.at.Sub(at))
		stable := kube.resource(t, name, startLimit).until("is STABLE again", state("STABLE"))
		after, _ := kube.tasksRunning(t, name, jobID)
		if after == jobID {
			t.Fatalf("the upgraded job has the ID %s of the old one", jobID)
		}
		expect(t, "status.jobStatus.jobId", text(stable.Unstructured, "status", "jobStatus", "jobId"), after)
		jobID = after
	}
	figures.duration("stateless upgrade: patch to new JobManager Deployment", 3*time.Second, took...)
}

func TestSuspendAndResume(t *testing.T) {
	const name = "suspend"
	kube.create(t, example(t, "basic.yaml", name, nil))
	kube.resource(t, name, startLimit).until("is STABLE", state("STABLE"))
	before, _ := kube.tasksRunning(t, name, "")

	at := kube.patch(t, name, map[string]any{"job": map[string]any{"state": "suspended"}})
	suspended := kube.resource(t, name, startLimit).until("is SUSPENDED", state("SUSPENDED"))
	figures.duration("suspend: patch to SUSPENDED", 0, suspended.at.Sub(at))
	kube.watch(deadline(t, time.Minute), t, pods, space, "", "app="+name).none("no pod is left")

	at = kube.patch(t, name, map[string]any{"job": map[string]any{"state": "running"}})
	stable := kube.resource(t, name, startLimit).until("is STABLE again", state("STABLE"))
	figures.duration("resume: patch to STABLE", 0, stable.at.Sub(at))
	if after, _ := kube.tasksRunning(t, name, before); after == before {
		t.Errorf("the resumed stateless job has the ID %s of the one that was suspended", before)
	}
}

func TestBrokenImageIsToldAndMended(t *testing.T) {
	const name = "broken"
	kube.create(t, example(t, "basic.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "flink:no-such-tag", "spec", "image")
	}))
	broken := kube.resource(t, name, startLimit).until("tells the error", func(o object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		return text(o.Unstructured, "status", "error") != "" && text(o.Unstructured, "status", "jobManagerDeploymentStatus") == "ERROR",
			"jobManagerDeploymentStatus is " + text(o.Unstructured, "status", "jobManagerDeploymentStatus")
	})
	if e := text(broken.Unstructured, "status", "error"); !strings.Contains(e, "ImagePull") && !strings.Contains(e, "ErrImage") {
		t.Errorf("status.error does not name the cause: %s", e)
	}
	if status, reason, message := condition(broken.Unstructured, "ClusterAvailable"); status != "False" || !strings.Contains(message, "no-such-tag") {
		t.Errorf("condition ClusterAvailable is %s (%s: %s), want False and the image's name", status, reason, message)
	}
	kube.patch(t, name, map[string]any{"image": "flink:2.2"})
	mended := kube.resource(t, name, startLimit).until("is STABLE", state("STABLE"))
	expect(t, "status.error of the mended resource", text(mended.Unstructured, "status", "error"), "")
}

// A namespace that nobody prepared is told, with the command that mends it.
func TestMissingServiceAccountIsTold(t *testing.T) {
	const name = "no-account"
	kube.create(t, example(t, "basic.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "nobody", "spec", "serviceAccount")
	}))
	kube.resource(t, name, 2*time.Minute).until("tells what to do", func(o object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		status, reason, message := condition(o.Unstructured, "ClusterAvailable")
		return status == "False" && strings.Contains(message, "make tenant NS="+space),
			fmt.Sprintf("ClusterAvailable is %q (%s: %s)", status, reason, message)
	})
}
