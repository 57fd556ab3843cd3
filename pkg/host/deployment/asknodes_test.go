package deployment_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A node is asked for where its silence counts: when a pod should have ended by now, or when it counts that it never
// ran.
func TestWhichNodesAreAskedFor(t *testing.T) {
	runs := func(t *testing.T) *enginetest.Deployment {
		w := enginetest.Stable(t, enginetest.HighlyAvailable)
		w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
		w.Run()
		return w
	}
	changed := func(t *testing.T) *enginetest.Deployment { w := runs(t); w.Edit(enginetest.UpgradeImage); return w }
	stopped := func(t *testing.T) *enginetest.Deployment { w := changed(t); w.Run(); return w }
	collected := func(t *testing.T) *enginetest.Deployment { w := stopped(t); w.Collects(); return w }
	deleted := func(t *testing.T) *enginetest.Deployment { w := runs(t); w.Delete(); w.Run(); return w }
	later := func(of func(t *testing.T) *enginetest.Deployment) func(t *testing.T) *enginetest.Deployment {
		return func(t *testing.T) *enginetest.Deployment {
			w := of(t)
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Hour)
			return w
		}
	}
	fails := later(func(t *testing.T) *enginetest.Deployment { return enginetest.Failing(t, enginetest.RollingBack) })
	pod := func(node string, states ...func(p *corev1.Pod)) corev1.Pod {
		p := enginetest.WaitingPod("CrashLoopBackOff", "back-off", false)
		p.Spec.NodeName = node
		for _, state := range states {
			state(&p)
		}
		return p
	}
	has := func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount = 1 }
	goes := func(after time.Duration) func(p *corev1.Pod) {
		return func(p *corev1.Pod) { at := metav1.NewTime(enginetest.Start.Add(after)); p.DeletionTimestamp = &at }
	}
	rows := map[string]struct {
		of   func(t *testing.T) *enginetest.Deployment
		pod  corev1.Pod
		want string
	}{
		"a job runs, its pod never did":    {runs, pod("n"), ""},
		"a job runs":                       {runs, pod("n", has), ""},
		"changed, never ran":               {changed, pod("n"), "n"},
		"changed, has run":                 {changed, pod("n", has), ""},
		"to be rolled back, never ran":     {fails, pod("n"), "n"},
		"to be rolled back, has run":       {fails, pod("n", has), ""},
		"stopped, never ran":               {stopped, pod("n"), "n"},
		"stopped, has run":                 {stopped, pod("n", has), ""},
		"deleted, never ran":               {deleted, pod("n"), "n"},
		"deleted, has run":                 {deleted, pod("n", has), ""},
		"stopped for long":                 {later(stopped), pod("n", has), "n"},
		"stopped for long, bound nowhere":  {later(stopped), pod("", has), ""},
		"collected":                        {collected, pod("n", has), ""},
		"collected for long":               {later(collected), pod("n", has), "n"},
		"its pod is to end in a minute":    {runs, pod("n", has, goes(time.Minute)), ""},
		"its pod should have ended by now": {runs, pod("n", has, goes(-time.Minute)), "n"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.of(t)
			w.Snapshot.Pods = plan.Present([]corev1.Pod{row.pod})
			if got := strings.Join(deployment.Open(w.Snapshot).Nodes(), " "); got != row.want {
				t.Errorf("asked for %q, want %q", got, row.want)
			}
		})
	}
}

// Each node is asked for once, whoever's pods it has.
func TestANodeIsAskedForOnce(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Edit(enginetest.UpgradeImage)
	on := func(node string) corev1.Pod { return corev1.Pod{Spec: corev1.PodSpec{NodeName: node}} }
	w.Snapshot.Pods = plan.Present([]corev1.Pod{on("n2")})
	w.Snapshot.TaskManagers = plan.Present([]corev1.Pod{on("n1"), on("n2")})
	if got := strings.Join(deployment.Open(w.Snapshot).Nodes(), " "); got != "n1 n2" {
		t.Errorf("asked for %q, want each once", got)
	}
}
