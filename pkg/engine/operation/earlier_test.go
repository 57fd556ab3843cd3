package operation_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What an earlier resource of the name left, whose finalizer somebody took away, ends before the first start: its
// JobManager would run the same job, and its TaskManagers would be adopted.
func TestAFirstStartWaitsForThePodsOfAnEarlierResource(t *testing.T) {
	left := plan.Present([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}}})
	for name, leave := range map[string]func(w *enginetest.Deployment){
		"a JobManager":    func(w *enginetest.Deployment) { w.Snapshot.Pods = left },
		"a TaskManager":   func(w *enginetest.Deployment) { w.Snapshot.TaskManagers = left },
		"nobody may look": func(w *enginetest.Deployment) { w.Snapshot.Pods = plan.Unknown[[]corev1.Pod]("forbidden") },
		"TaskManagers, too": func(w *enginetest.Deployment) {
			w.Snapshot.TaskManagers = plan.Unknown[[]corev1.Pod]("forbidden")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, enginetest.Application)
			leave(w)
			w.Run()
			if w.Snapshot.JobManager.IsPresent() {
				t.Fatalf("it started; rounds %q", w.Log)
			}
			none := plan.Present([]corev1.Pod{})
			w.Snapshot.Pods, w.Snapshot.TaskManagers = none, none
			w.Run()
			if !w.Snapshot.JobManager.IsPresent() {
				t.Errorf("it does not start; rounds %q", w.Log)
			}
		})
	}
}
