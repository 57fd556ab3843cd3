package decide_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A JobManager cannot start, as far as a node says that may be dead. What nobody saw run may have run there: a change
// that would cost its state waits for the node. It is made where nothing ran, and needs a person where the job has run.
func TestAChangeWaitsForASilentNode(t *testing.T) {
	answers, silent := plan.Present(true), plan.Unknown[bool]("no Lease")
	rows := map[string]struct {
		node          plan.Observed[bool]
		startTime     string
		made, refused bool
	}{
		"it is silent":                  {silent, "", false, false},
		"it answers":                    {answers, "", true, false},
		"it is silent, and the job ran": {silent, "1700000000000", false, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, enginetest.Stateful)
			w.Run()
			w.Snapshot.Resource.Status.JobStatus.StartTime = row.startTime
			pod := enginetest.WaitingPod("CrashLoopBackOff", "back-off", false)
			pod.Spec.NodeName, pod.CreationTimestamp = "node-1", w.Deployment().CreationTimestamp
			w.Snapshot.Pods, w.Snapshot.Nodes = plan.Present(
				[]corev1.Pod{pod},
			), map[string]plan.Observed[bool]{
				"node-1": row.node,
			}
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			made := *w.Deployment().Spec.Replicas == 0
			refused := w.Condition(summary.Stalled).Reason == string(plan.ReasonUpgradeFailed)
			if made != row.made || refused != row.refused {
				t.Errorf("made: %t, refused: %t; %+v; rounds %q", made, refused, w.Status().Conditions, w.Log)
			}
		})
	}
}
