package deployment_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// TestWhyTaskManagersDoNotStartIsTold: the job waits for its tasks, and its TaskManagers say why.
func TestWhyTaskManagersDoNotStartIsTold(t *testing.T) {
	rows := map[string]struct {
		pod     corev1.Pod
		reason  string
		message string
		stalled bool
	}{
		"no image": {
			enginetest.WaitingPod("ImagePullBackOff", "no such image", false), "ImagePullBackOff",
			"TaskManagers: [c1] no such image", true,
		},
		"no node": {
			enginetest.Unschedulable(), "Unschedulable", "TaskManagers: 0/1 nodes are available: 1 Insufficient memory", false,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.ServeJob(v1beta1.FlinkJobRestarting)
			w.Run()
			w.Snapshot.TaskManagers = plan.Present([]corev1.Pod{row.pod})
			w.Run()
			w.Run()
			kind := summary.Reconciling
			if row.stalled {
				kind = summary.Stalled
			}
			if c := w.Condition(kind); c.Reason != row.reason || c.Message != row.message {
				t.Errorf("%s says %s: %s", kind, c.Reason, c.Message)
			}
			if told := w.Told(row.reason); (told == 1) != row.stalled {
				t.Errorf("told %d times", told)
			}
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Run()
			if c := w.Condition(summary.Stalled); strings.Contains(c.Message, "TaskManagers") {
				t.Errorf("the job runs, and it is still told: %s", c.Message)
			}
		})
	}
}
