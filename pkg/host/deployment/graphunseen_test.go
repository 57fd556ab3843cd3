package deployment_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Where only Flink can look at its job graphs, nothing but the pods tells whether a JobManager left one: a kubelet may
// have died after it started a container and before it said so, and be back since.
func TestAGraphOfAPodThatIsBeingCreated(t *testing.T) {
	rows := map[string]struct {
		spec, waiting string
		after         time.Duration
		never         bool
	}{
		"it is being created":                        {outOfSight, "ContainerCreating", 20 * time.Second, false},
		"it is being created for minutes":            {outOfSight, "ContainerCreating", 4 * time.Minute, false},
		"it is being created for long":               {outOfSight, "ContainerCreating", 6 * time.Minute, true},
		"its image is not there":                     {outOfSight, "ImagePullBackOff", 20 * time.Second, true},
		"it is being created, no high availability":  {enginetest.Application, "ContainerCreating", 20 * time.Second, true},
		"it may have been this moment, without that": {enginetest.Application, "ContainerCreating", 5 * time.Second, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, row.spec)
			w.Run()
			pod := enginetest.WaitingPod(row.waiting, "", false)
			pod.CreationTimestamp, pod.Spec.NodeName = w.Deployment().CreationTimestamp, "node"
			w.Snapshot.Pods = plan.Present([]corev1.Pod{pod})
			w.Snapshot.Nodes = map[string]plan.Observed[bool]{"node": plan.Present(true)}
			w.Snapshot.Now = pod.CreationTimestamp.Add(row.after)
			if got := cluster.New(w.Snapshot).NeverRan(); got != row.never {
				t.Errorf("never ran %t, want %t", got, row.never)
			}
		})
	}
}
