//go:build e2e && nightly

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

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// A job that was steady and fails for good is told, with its cause, by the next look of the clock at the latest.
func TestAFailureForGoodIsTold(t *testing.T) {
	const name = "fails"
	kube.create(t, example(t, "basic.yaml", name, func(u *unstructured.Unstructured) {
		set(t, u, map[string]any{"restart-strategy.type": "disable"}, "spec", "flinkConfiguration")
	}))
	resource := kube.resource(t, name, life.Limit)
	resource.Until("is STABLE", life.State("STABLE"))
	kube.life(name).KillAll(t, "taskmanager")
	at := kube.flink(name).Failed(t)
	told := resource.Until("tells the failure", func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		is, why := watch.Text(o.Unstructured, "status", "jobStatus", "state"), watch.Text(o.Unstructured, "status", "error")
		return is == "FAILED" && why != "", fmt.Sprintf("the job is %s, error %q", is, why)
	})
	if why := watch.Text(told.Unstructured, "status", "error"); !strings.Contains(why, "Recovery is suppressed") {
		t.Errorf("status.error names no cause: %s", why)
	}
	figures.duration("a steady job fails for good: Flink to status", 66*time.Second, max(0, told.At.Sub(at)))
}

// A job that cannot be initialized takes its JobManager down, and its status says why from the first time on: as a loop
// of crashes or, where Flink showed the job's end before that of its JobManager, as a job that failed for good.
func TestAJobThatCannotBeginIsTold(t *testing.T) {
	const name, component = "cannot-begin", "app=cannot-begin,component=jobmanager"
	kube.create(t, example(t, "basic.yaml", name, func(u *unstructured.Unstructured) {
		set(
			t, u,
			map[string]any{"execution.checkpointing.interval": "10 s", "execution.checkpointing.dir": "nosuch://checkpoints"},
			"spec", "flinkConfiguration",
		)
	}))
	resource := kube.resource(t, name, life.Limit)
	var at time.Time
	watch.Poll(t, life.Limit, "the JobManager of "+name+" crashes", func(ctx context.Context) (bool, error) {
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
	told := resource.Until("tells the failure", func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		why := watch.Text(o.Unstructured, "status", "error")
		return why != "", fmt.Sprintf("error %q", why)
	})
	if why := watch.Text(told.Unstructured, "status", "error"); !strings.Contains(why, "checkpoint storage") {
		t.Errorf("status.error names no cause: %s", why)
	}
	figures.duration(
		"a job fails for good while it starts: JobManager's end to status", 6*time.Second, max(0, told.At.Sub(at)),
	)
	resource.Until("says what became of it", func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no FlinkDeployment"
		}
		is := watch.Text(o.Unstructured, "status", "jobManagerDeploymentStatus")
		job, why := watch.Text(o.Unstructured, "status", "jobStatus", "state"), watch.Text(o.Unstructured, "status", "error")
		crashLoop := is == "ERROR" && strings.Contains(why, "CrashLoop - ")
		// Flink may have listed the job as FAILED before its JobManager ended: then it is not run again.
		failed := is == "MISSING" && job == "FAILED"
		return (crashLoop || failed) && strings.Contains(why, "checkpoint storage"),
			fmt.Sprintf("JobManager %s, job %s, error %q", is, job, why)
	})
}
