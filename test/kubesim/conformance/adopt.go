package conformance

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

var adoptions = map[string]func(*bench){
	"a deployment adopts the replicaset that was left":    setAdopted,
	"a deployment replaces the replicaset that was left":  setReplaced,
	"a replicaset of somebody else has the name":          nameTaken,
	"a replicaset adopts the pod that was left, or not":   podAdopted,
	"a replicaset of a deployment that is gone is let be": setLeft,
}

// leave deletes Deployment a without what it has made, and returns its ReplicaSet.
func (b *bench) leave() *appsv1.ReplicaSet {
	b.Helper()
	b.awaitPods("it comes up", "one ready")
	policy := metav1.DeletePropagationOrphan
	b.remove(kubesim.Deployments, "a", metav1.DeleteOptions{PropagationPolicy: &policy})
	b.eventually("it is gone", func() bool { return b.get(kubesim.Deployments, "a") == nil })
	sets := b.listSets()
	if len(sets) != 1 || metav1.GetControllerOf(sets[0]) != nil {
		b.Fatalf("there are %d ReplicaSets: want one that nobody controls", len(sets))
	}
	return sets[0]
}

func (b *bench) listSets() []*appsv1.ReplicaSet {
	b.Helper()
	return listed[appsv1.ReplicaSet](b, kubesim.ReplicaSets)
}

// ownedBy are the names of the ReplicaSets that Deployment a controls.
func (b *bench) ownedBy() []string {
	b.Helper()
	var names []string
	owner := b.read(kubesim.Deployments, "a").GetUID()
	for _, set := range b.listSets() {
		if ref := metav1.GetControllerOf(set); ref != nil && ref.UID == owner {
			names = append(names, set.Name)
		}
	}
	return names
}

func setAdopted(b *bench) {
	b.deploy("one", "")
	set := b.leave()
	pod := b.listPods()[0].UID
	b.deploy("one", "")
	b.eventually("it is adopted", func() bool { return slices.Equal(b.ownedBy(), []string{set.Name}) })
	b.awaitStatus("it is up", "1 1 1 1 0"+allUp)
	if got := b.listPods(); len(got) != 1 || got[0].UID != pod {
		b.Errorf("pods %v: want the one of before", b.thePods())
	}
}

func setReplaced(b *bench) {
	b.deploy("one", "")
	b.leave()
	b.deploy("two", "Recreate")
	b.awaitPods("the pod of before goes, as if it had been its own", "one failed-", "two ready")
}

// nameTaken: a Deployment whose ReplicaSet has the name of somebody else's takes another name.
func nameTaken(b *bench) {
	b.deploy("one", "")
	set := b.leave()
	owner := b.create(kubesim.ConfigMaps, configMap("owner"))
	b.mustMerge(kubesim.ReplicaSets, set.Name, `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",`+
		`"name":"owner","uid":"`+string(owner.GetUID())+`","controller":true}]}}`)
	b.deploy("one", "")
	b.awaitPods("there are two", "one ready", "one ready")
	b.awaitStatus("it counts its own", "1 1 1 1 0"+allUp)
	if owned := b.ownedBy(); len(owned) != 1 || owned[0] == set.Name {
		b.Errorf("it owns %v: want another than %s", owned, set.Name)
	}
	count := typed[appsv1.Deployment](b, b.read(kubesim.Deployments, "a")).Status.CollisionCount
	if count == nil || *count != 1 {
		b.Errorf("names found taken: %v, want 1", count)
	}
}

func podAdopted(b *bench) {
	b.deploy("one", "")
	b.awaitPods("it comes up", "one ready")
	pod, set := b.listPods()[0], b.listSets()[0]
	free := func(name string, also string) {
		b.mustMerge(kubesim.Pods, name, `{"metadata":{"ownerReferences":null`+also+`}}`)
	}
	free(pod.Name, "")
	b.eventually("it is adopted again", func() bool {
		owner := metav1.GetControllerOf(b.read(kubesim.Pods, pod.Name))
		return owner != nil && owner.UID == set.UID
	})
	b.awaitPods("it is not replaced", "one ready")
	free(pod.Name, `,"labels":{"pod-template-hash":"other"}`)
	b.awaitPods("what it does not select is replaced", "one ready", "one ready")
	if owner := metav1.GetControllerOf(b.read(kubesim.Pods, pod.Name)); owner != nil {
		b.Errorf("%s is adopted by %s", pod.Name, owner.Name)
	}
}

// setLeft: nobody who selects it is there.
func setLeft(b *bench) {
	b.deploy("one", "")
	set := b.leave()
	before := b.listPods()[0]
	b.remove(kubesim.Pods, before.Name, metav1.DeleteOptions{})
	b.awaitPods("it goes on by itself", "one failed-", "one ready")
	for _, pod := range b.listPods() {
		if owner := metav1.GetControllerOf(pod); pod.UID != before.UID && (owner == nil || owner.UID != set.UID) {
			b.Errorf("pod %s is of %v, want %s", pod.Name, owner, set.Name)
		}
	}
}
