package deployment

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// unschedulable is a pod that no node has room for.
func unschedulable() corev1.Pod {
	var pod corev1.Pod
	pod.Name, pod.Status.Phase = "demo-taskmanager-1-1", corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
		Message: "0/1 nodes are available: 1 Insufficient memory",
	}}
	return pod
}

// TestWhyTaskManagersDoNotStartIsTold: the job waits for its tasks, and its TaskManagers say why.
func TestWhyTaskManagersDoNotStartIsTold(t *testing.T) {
	rows := map[string]struct {
		pod     corev1.Pod
		reason  string
		message string
		stalled bool
	}{
		"no image": {
			waitingPod("ImagePullBackOff", "no such image", false), "ImagePullBackOff",
			"TaskManagers: [c1] no such image", true,
		},
		"no node": {
			unschedulable(), "Unschedulable", "TaskManagers: 0/1 nodes are available: 1 Insufficient memory", false,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, stateful)
			w.serveJob(v1beta1.FlinkJobRestarting)
			w.run()
			w.s.TaskManagers = plan.Present([]corev1.Pod{row.pod})
			w.run()
			w.run()
			kind := summary.Reconciling
			if row.stalled {
				kind = summary.Stalled
			}
			if c := w.condition(kind); c.Reason != row.reason || c.Message != row.message {
				t.Errorf("%s says %s: %s", kind, c.Reason, c.Message)
			}
			if told := w.told(row.reason); (told == 1) != row.stalled {
				t.Errorf("told %d times", told)
			}
			w.serveJob(v1beta1.FlinkJobRunning)
			w.run()
			if c := w.condition(summary.Stalled); strings.Contains(c.Message, "TaskManagers") {
				t.Errorf("the job runs, and it is still told: %s", c.Message)
			}
		})
	}
}
