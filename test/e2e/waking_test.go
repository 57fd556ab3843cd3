//go:build e2e && nightly

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/life"
)

// From zero, admit wakes up before the resource is stored, and reconcile before its JobManager is released: where the
// time of each goes is in the log.
// fifths are the runs of TestApplyToReleaseFromZero. A kubelet looks once a second at what has become of its
// containers, and a pod that is seen to be gone is seen at such a look: each run begins at another fifth of the second
// after it.
const fifths = 5

func TestApplyToReleaseFromZero(t *testing.T) {
	var accepted, took []time.Duration
	for i := range fifths {
		asleep(t, "reconcile", 4*time.Minute)
		asleep(t, "admit", 4*time.Minute)
		<-time.After(time.Duration(i) * time.Second / fifths)
		name := fmt.Sprintf("cold-%d", i)
		line := kube.record(t, system, selection{pods: {LabelSelector: "serving.knative.dev/service"}})
		asked, stored, released := applyToRelease(t, name)
		line.close()
		accepted, took = append(accepted, stored), append(took, released)
		for _, function := range []string{"admit", "reconcile"} {
			printMoments(t, "waking up, run "+name, asked, line.waking(function))
		}
		if kube.remove(t, name) <= 0 {
			t.Fatalf("%s could not be deleted", name)
		}
	}
	figures.duration("apply to resource stored, from zero", 1500*time.Millisecond, accepted...)
	figures.duration("apply to JobManager Deployment released, from zero", 2*time.Second, took...)
}

func TestSessionJobFromZero(t *testing.T) {
	const name = "waking"
	makeDirectory(t)
	kube.create(t, sessionCluster(t, name, "flink:2.2", "v2_2", "NONE"))
	kube.resource(t, name, life.Limit).Until("is STABLE", life.State("STABLE"))
	for _, function := range []string{"admit", "reconcile", "reconcile-jars"} {
		asleep(t, function, 4*time.Minute)
	}
	figures.duration(
		"session job: apply to RUNNING, beside Flink's start, from zero", 4*time.Second,
		kube.applyToRunning(t, name+"-cold", name),
	)
}
