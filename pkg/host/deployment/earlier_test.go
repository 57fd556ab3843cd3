package deployment

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What an earlier resource of the name left, whose finalizer somebody took away, ends before the first start: its
// JobManager would run the same job, and its TaskManagers would be adopted.
func TestAFirstStartWaitsForThePodsOfAnEarlierResource(t *testing.T) {
	left := plan.Present([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}}})
	for name, leave := range map[string]func(w *fixture){
		"a JobManager":      func(w *fixture) { w.s.Pods = left },
		"a TaskManager":     func(w *fixture) { w.s.TaskManagers = left },
		"nobody may look":   func(w *fixture) { w.s.Pods = plan.Unknown[[]corev1.Pod]("forbidden") },
		"TaskManagers, too": func(w *fixture) { w.s.TaskManagers = plan.Unknown[[]corev1.Pod]("forbidden") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, application)
			leave(w)
			w.run()
			if w.s.JobManager.IsPresent() {
				t.Fatalf("it started; rounds %q", w.log)
			}
			none := plan.Present([]corev1.Pod{})
			w.s.Pods, w.s.TaskManagers = none, none
			w.run()
			if !w.s.JobManager.IsPresent() {
				t.Errorf("it does not start; rounds %q", w.log)
			}
		})
	}
}
