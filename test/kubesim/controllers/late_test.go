package controllers

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// seconds lets time pass, a second at a time.
func (b *bench) seconds(n int) {
	for range n {
		b.kube.Clock.Advance(time.Second)
		b.Step()
	}
}

// A controller that has not heard that a ReplicaSet is gone replaces the pod that was deleted with it. The garbage
// collector takes the new one, when its turn comes.
func TestAControllerThatIsLateReplacesWhatWasDeleted(t *testing.T) {
	const none, soon, long = time.Duration(0), 3 * time.Second, 20 * time.Second
	rows := map[string]struct {
		controllers, garbage time.Duration
		within               int // seconds until the last pod is gone
		made                 bool
	}{
		"in time":                  {none, none, 3, false},
		"the controllers are late": {soon, none, 12, true},
		"the collector is late":    {none, long, 3, false},
		"both are late":            {soon, long, 50, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.deploy("ok", nil)
			b.seconds(8)
			first, set := b.pods("flink", nil)[0], b.set()
			b.ControllersLate(row.controllers)
			b.seconds(8)
			b.GarbageLate(row.garbage)
			b.remove(kubesim.Deployments, "a")
			b.remove(kubesim.ReplicaSets, set.Name)
			b.remove(kubesim.Pods, first.Name)
			made, took := false, 0
			for ; len(b.pods("flink", nil)) > 0 && took < 100; took++ {
				b.seconds(1)
				for _, pod := range b.pods("flink", nil) {
					made = made || pod.UID != first.UID
				}
			}
			if made != row.made || took > row.within {
				t.Errorf("another pod is made: %t, want %t; all are gone after %d seconds, want at most %d", made, row.made,
					took, row.within)
			}
		})
	}
}

// A Deployment that is changed and scaled to none goes, also where its controller hears of what it did itself late.
func TestControllersThatAreLateScaleToNone(t *testing.T) {
	b := newBench(t)
	b.deploy("ok", func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](3) })
	b.seconds(8)
	b.ControllersLate(3 * time.Second)
	b.seconds(5)
	if _, err := b.kube.Update(kubesim.Deployments, "flink", "a", func(u *unstructured.Unstructured) {
		d := &appsv1.Deployment{}
		b.convert(u, d)
		d.Spec.Template.Spec.Containers[0].Image, d.Spec.Replicas = "v2", ptr.To[int32](0)
		u.Object = b.content(d)
	}); err != nil {
		t.Fatal(err)
	}
	b.seconds(20)
	if pods := b.thePods(); len(pods) > 0 {
		t.Errorf("%v are left", pods)
	}
}

// A controller that comes back knows what is there: it replaces nothing. What it says of a Deployment is as old as what
// it knows of it.
func TestControllersThatAreAwayDoNothing(t *testing.T) {
	b := newBench(t)
	b.deploy("ok", nil)
	b.seconds(8)
	b.ControllersAway()
	b.remove(kubesim.Pods, b.pods("flink", nil)[0].Name)
	b.seconds(8)
	if len(b.thePods()) != 0 || b.deployment().Status.AvailableReplicas != 1 {
		t.Errorf("%v are there, status %+v: want none, and the status of before", b.thePods(), b.deployment().Status)
	}
	b.ControllersBack()
	b.seconds(8)
	if len(b.thePods()) != 1 {
		t.Errorf("%v are there, want the one that is wanted", b.thePods())
	}
	b.ControllersLate(3 * time.Second)
	b.seconds(5)
	b.scale(0)
	b.seconds(2)
	if s := b.deployment().Status; s.ObservedGeneration != 1 || s.AvailableReplicas != 1 {
		t.Errorf("status %+v before its controller has heard of the change", s)
	}
	b.seconds(8)
	if s := b.deployment().Status; s.ObservedGeneration != 2 || s.Replicas != 0 {
		t.Errorf("status %+v after it has", s)
	}
	b.InTime()
	b.remove(kubesim.Deployments, "a")
	b.seconds(3)
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
