//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// failed waits until Flink says that the one job of a cluster has failed for good, and says when that was.
func (c *cluster) failed(t *testing.T, name string) (at time.Time) {
	t.Helper()
	poll(t, startLimit, "the job of "+name+" fails", func(ctx context.Context) (bool, error) {
		var answer struct {
			Jobs []struct {
				State string `json:"state"`
				End   int64  `json:"end-time"`
			} `json:"jobs"`
		}
		if err := c.flink(ctx, name, "/jobs/overview", &answer); err != nil {
			return false, err
		}
		if len(answer.Jobs) != 1 || answer.Jobs[0].State != "FAILED" {
			return false, fmt.Errorf("jobs: %+v", answer.Jobs)
		}
		at = time.UnixMilli(answer.Jobs[0].End)
		return true, nil
	})
	return at
}

// A job that was steady and fails for good is told, with its cause, by the next look of the clock at the latest.
func TestAFailureForGoodIsTold(t *testing.T) {
	const name = "fails"
	kube.create(t, example(t, "basic.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, map[string]any{"restart-strategy.type": "disable"}, "spec", "flinkConfiguration")
	}))
	resource := kube.resource(t, name, startLimit)
	resource.until("is STABLE", state("STABLE"))
	if err := kube.kill(t.Context(), space, "app="+name+",component=taskmanager"); err != nil {
		t.Fatal(err)
	}
	at := kube.failed(t, name)
	told := resource.until("tells the failure", func(o object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		is, why := text(o.Unstructured, "status", "jobStatus", "state"), text(o.Unstructured, "status", "error")
		return is == "FAILED" && why != "", fmt.Sprintf("the job is %s, error %q", is, why)
	})
	if why := text(told.Unstructured, "status", "error"); !strings.Contains(why, "Recovery is suppressed") {
		t.Errorf("status.error names no cause: %s", why)
	}
	figures.duration("a steady job fails for good: Flink to status", 66*time.Second, max(0, told.at.Sub(at)))
}

// A job that cannot be initialized takes its JobManager down, and its status says why from the first time on.
func TestAJobThatCannotBeginIsTold(t *testing.T) {
	const name, component = "cannot-begin", "app=cannot-begin,component=jobmanager"
	kube.create(t, example(t, "basic.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, map[string]any{"execution.checkpointing.interval": "10 s", "execution.checkpointing.dir": "nosuch://checkpoints"}, "spec", "flinkConfiguration")
	}))
	resource := kube.resource(t, name, startLimit)
	var at time.Time
	poll(t, startLimit, "the JobManager of "+name+" crashes", func(ctx context.Context) (bool, error) {
		list, err := kube.list(ctx, pods, space, component)
		if err != nil || len(list) != 1 {
			return false, err
		}
		pod := &corev1.Pod{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list[0].Object, pod); err != nil {
			return false, err
		}
		for _, c := range pod.Status.ContainerStatuses {
			for _, ended := range []*corev1.ContainerStateTerminated{c.LastTerminationState.Terminated, c.State.Terminated} {
				if ended != nil && at.IsZero() {
					at = ended.FinishedAt.Time
				}
			}
		}
		return !at.IsZero(), nil
	})
	told := resource.until("tells the failure", func(o object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		why := text(o.Unstructured, "status", "error")
		return why != "", fmt.Sprintf("error %q", why)
	})
	if why := text(told.Unstructured, "status", "error"); !strings.Contains(why, "checkpoint storage") {
		t.Errorf("status.error names no cause: %s", why)
	}
	figures.duration("a job fails for good while it starts: JobManager's end to status", 6*time.Second, max(0, told.at.Sub(at)))
	resource.until("says that it is a loop", func(o object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		is, why := text(o.Unstructured, "status", "jobManagerDeploymentStatus"), text(o.Unstructured, "status", "error")
		return is == "ERROR" && strings.Contains(why, "CrashLoop - ") && strings.Contains(why, "checkpoint storage"), fmt.Sprintf("JobManager %s, error %q", is, why)
	})
}
