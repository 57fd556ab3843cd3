package controllers

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// A controller that has not heard that a ReplicaSet is gone replaces the pod that was deleted with it. The garbage
// collector takes the new one, when its turn comes.
func TestAControllerThatIsLateReplacesWhatWasDeleted(t *testing.T) {
	rows := map[string]struct {
		controllers, garbage int
		most                 int // steps until the last pod is gone
		made                 bool
	}{
		"in time":                     {0, 0, 4, false},
		"the controllers are late":    {2, 0, 4, false}, // what they make goes in the same step
		"the collector is late":       {0, 10, 4, false},
		"both are late":               {2, 10, 26, true},
		"the controllers more so":     {6, 2, 26, true},
		"the collector by three more": {2, 3, 26, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.deploy("ok", nil)
			b.steps(8)
			first, set := b.pods("flink", nil)[0], b.set()
			b.ControllersLate(row.controllers)
			b.steps(row.controllers + 1)
			b.GarbageLate(row.garbage)
			b.remove(kubesim.Deployments, "a")
			b.remove(kubesim.ReplicaSets, set.Name)
			b.remove(kubesim.Pods, first.Name)
			made, took := false, 0
			for ; len(b.pods("flink", nil)) > 0 && took < 50; took++ {
				b.Step()
				for _, pod := range b.pods("flink", nil) {
					made = made || pod.UID != first.UID
				}
			}
			if made != row.made || took > row.most {
				t.Errorf("another pod is made: %t, want %t; all are gone after %d steps, want at most %d", made, row.made, took,
					row.most)
			}
		})
	}
}

// A controller that comes back knows what is there: it replaces nothing. What it says of a Deployment is as old as what
// it knows of it.
func TestControllersThatAreAwayDoNothing(t *testing.T) {
	b := newBench(t)
	b.deploy("ok", nil)
	b.steps(8)
	b.ControllersAway()
	b.remove(kubesim.Pods, b.pods("flink", nil)[0].Name)
	b.steps(8)
	if len(b.thePods()) != 0 || b.deployment().Status.AvailableReplicas != 1 {
		t.Errorf("%v are there, status %+v: want none, and the status of before", b.thePods(), b.deployment().Status)
	}
	b.ControllersBack()
	b.steps(8)
	if len(b.thePods()) != 1 {
		t.Errorf("%v are there, want the one that is wanted", b.thePods())
	}
	b.ControllersLate(3)
	b.steps(5)
	b.scale(0)
	b.steps(2)
	if s := b.deployment().Status; s.ObservedGeneration != 1 || s.AvailableReplicas != 1 {
		t.Errorf("status %+v before its controller has heard of the change", s)
	}
	b.steps(8)
	if s := b.deployment().Status; s.ObservedGeneration != 2 || s.Replicas != 0 {
		t.Errorf("status %+v after it has", s)
	}
}

func TestWhatIsLateComesToRest(t *testing.T) {
	b := newBench(t)
	b.ControllersLate(3)
	b.GarbageLate(5)
	b.deploy("ok", nil)
	steps := 0
	for ; b.Step(); steps++ {
		if steps > 50 {
			t.Fatal("it changes without end")
		}
	}
	if len(b.pods("flink", nil)) != 1 {
		t.Errorf("after %d steps %v are there: it came to rest while a controller had not heard of all", steps, b.thePods())
	}
	b.InTime()
	b.remove(kubesim.Deployments, "a")
	b.steps(5)
	if len(b.thePods()) != 0 {
		t.Errorf("%v are left", b.thePods())
	}
}

func (b *bench) scale(replicas int) {
	b.t.Helper()
	if _, err := b.kube.Update(kubesim.Deployments, "flink", "a", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["replicas"] = int64(replicas)
	}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) remove(gvr schema.GroupVersionResource, name string) {
	b.t.Helper()
	if err := b.kube.Delete(gvr, "flink", name, kubesim.DeleteOptions{}); err != nil {
		b.t.Fatal(err)
	}
}
