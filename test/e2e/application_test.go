//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// watch follows what a selector names, until ctx ends.
func (c *cluster) watch(
	ctx context.Context, t *testing.T, gvr schema.GroupVersionResource, ns, fields, labels string,
) *watch.Watcher {
	t.Helper()
	return watch.Start(
		ctx, t,
		watch.Query{Client: c.dynamic, Resource: gvr, Namespace: ns, Fields: fields, Labels: labels, Diagnose: c.diagnose},
	)
}

// resource follows one FlinkDeployment, jobManager the Deployment of its JobManager.
func (c *cluster) resource(t *testing.T, name string, limit time.Duration) *watch.Watcher {
	t.Helper()
	return c.watch(watch.Deadline(t, limit), t, life.Resources, space, "metadata.name="+name, "")
}

func (c *cluster) jobManager(t *testing.T, name string, limit time.Duration) *watch.Watcher {
	t.Helper()
	return c.watch(watch.Deadline(t, limit), t, deployments, space, "metadata.name="+name, "")
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
			resource, jobManager := kube.resource(t, name, life.Limit), kube.jobManager(t, name, life.Limit)
			made := kube.create(t, example(t, "basic.yaml", name, change))
			start := jobManager.Until("is released", life.Released)
			jobID, running := kube.flink(name).TasksRunning(t, "")
			stable := resource.Until("is STABLE", life.State("STABLE"))
			figures.duration(
				"flink "+version+": apply to JobManager Deployment released, as it came", 0, start.At.Sub(made.At),
			)
			if early := running.Sub(stable.At); early > time.Second {
				t.Errorf("it was STABLE %s before its tasks ran", early)
			}
			figures.duration("flink "+version+": apply to STABLE", 0, stable.At.Sub(made.At))
			figures.duration("flink "+version+": all tasks running to STABLE", 4*time.Second, max(0, stable.At.Sub(running)))

			expect(
				t, "status.jobManagerDeploymentStatus", watch.Text(stable.Unstructured, "status", "jobManagerDeploymentStatus"),
				"READY",
			)
			expect(t, "status.jobStatus.state", watch.Text(stable.Unstructured, "status", "jobStatus", "state"), "RUNNING")
			expect(t, "status.jobStatus.jobId", watch.Text(stable.Unstructured, "status", "jobStatus", "jobId"), jobID)
			ready, reason, message := condition(stable.Unstructured, "Ready")
			expect(t, "condition Ready", ready, "True", reason, message)
			if !strings.Contains(
				watch.Text(stable.Unstructured, "status", "reconciliationStatus", "lastStableSpec"), "jarURI",
			) {
				t.Error("status.reconciliationStatus.lastStableSpec does not hold the spec")
			}
			if is := watch.Text(
				stable.Unstructured, "status", "clusterInfo", "flink-version",
			); !strings.HasPrefix(is, version) {
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
	resource := kube.resource(t, name, life.Limit)
	made := kube.create(t, example(t, "session.yaml", name, nil))
	stable := resource.Until("is STABLE", life.State("STABLE"))
	figures.duration("session cluster: apply to STABLE", 0, stable.At.Sub(made.At))
	var overview struct {
		Version string `json:"flink-version"`
		Jobs    int    `json:"jobs-running"`
	}
	// The overview asks the resource manager, too, which may elect its leader a moment after the dispatcher.
	watch.Poll(t, time.Minute, "the session cluster answers", func(ctx context.Context) (bool, error) {
		err := kube.flink(name)(ctx, "/overview", &overview)
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
	kube.resource(t, name, life.Limit).Until("is STABLE", life.State("STABLE"))
	jobID, _ := kube.flink(name).TasksRunning(t, "")
	var took []time.Duration
	for i := range 2 {
		jobManager := kube.jobManager(t, name, life.Limit)
		old := jobManager.Until("exists", life.Released)
		// two names of one image
		at := kube.patch(t, name, map[string]any{"image": []string{"flink:2.2.1", "flink:2.2"}[i%2]})
		next := jobManager.Until("is a new one, released", life.Replaced(old))
		took = append(took, next.At.Sub(at))
		stable := kube.resource(t, name, life.Limit).Until("is STABLE again", life.State("STABLE"))
		after, _ := kube.flink(name).TasksRunning(t, jobID)
		if after == jobID {
			t.Fatalf("the upgraded job has the ID %s of the old one", jobID)
		}
		expect(t, "status.jobStatus.jobId", watch.Text(stable.Unstructured, "status", "jobStatus", "jobId"), after)
		jobID = after
	}
	figures.duration("stateless upgrade: patch to new JobManager Deployment", 3*time.Second, took...)
}

func TestBrokenImageIsToldAndFixed(t *testing.T) {
	const name = "broken"
	kube.create(t, example(t, "basic.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "flink:no-such-tag", "spec", "image")
	}))
	broken := kube.resource(t, name, life.Limit).Until("tells the error", func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		return watch.Text(o.Unstructured, "status", "error") != "" &&
				watch.Text(o.Unstructured, "status", "jobManagerDeploymentStatus") == "ERROR",
			"jobManagerDeploymentStatus is " + watch.Text(o.Unstructured, "status", "jobManagerDeploymentStatus")
	})
	if e := watch.Text(broken.Unstructured, "status", "error"); !strings.Contains(e, "ImagePull") &&
		!strings.Contains(e, "ErrImage") {
		t.Errorf("status.error does not name the cause: %s", e)
	}
	if status, reason, message := condition(broken.Unstructured, "ClusterAvailable"); status != "False" ||
		!strings.Contains(message, "no-such-tag") {
		t.Errorf("condition ClusterAvailable is %s (%s: %s), want False and the image's name", status, reason, message)
	}
	kube.patch(t, name, map[string]any{"image": "flink:2.2"})
	fixed := kube.resource(t, name, life.Limit).Until("is STABLE", life.State("STABLE"))
	expect(t, "status.error of the fixed resource", watch.Text(fixed.Unstructured, "status", "error"), "")
}

// A namespace that nobody prepared is told, with the command that fixes it.
func TestMissingServiceAccountIsTold(t *testing.T) {
	const name = "no-account"
	kube.create(t, example(t, "basic.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, "nobody", "spec", "serviceAccount")
	}))
	kube.resource(t, name, 2*time.Minute).Until("tells what to do", func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		status, reason, message := condition(o.Unstructured, "ClusterAvailable")
		return status == "False" && strings.Contains(message, "make tenant NS="+space),
			fmt.Sprintf("ClusterAvailable is %q (%s: %s)", status, reason, message)
	})
}
