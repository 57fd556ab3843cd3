package controllers

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// What nobody controls is adopted by who selects it, as where something was deleted without what it had made.

// adoptSets makes a Deployment the controller of ReplicaSets.
func (c *Controllers) adoptSets(d *deployment) {
	by := metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))
	for _, u := range c.kube.PeekAll(kubesim.ReplicaSets, d.Namespace, d.Spec.Selector.MatchLabels) {
		if isFree(u) && c.isThere(kubesim.Deployments, d) {
			c.adopt(kubesim.ReplicaSets, u, *by)
		}
	}
}

// adoptPods makes a ReplicaSet the controller of pods that have not ended.
func (c *Controllers) adoptPods(set *appsv1.ReplicaSet) {
	by := metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))
	for _, u := range c.kube.PeekAll(kubesim.Pods, set.Namespace, set.Spec.Selector.MatchLabels) {
		if isFree(u) && !hasEnded(c.readPod(u)) && c.isThere(kubesim.ReplicaSets, set) {
			c.adopt(kubesim.Pods, u, *by)
		}
	}
}

func isFree(u *unstructured.Unstructured) bool {
	return metav1.GetControllerOf(u) == nil && u.GetDeletionTimestamp() == nil
}

// isThere reports whether an owner is there and stays: a controller that is late asks before it adopts.
func (c *Controllers) isThere(gvr schema.GroupVersionResource, owner metav1.Object) bool {
	u := c.kube.Peek(gvr, owner.GetNamespace(), owner.GetName())
	return u != nil && u.GetUID() == owner.GetUID() && u.GetDeletionTimestamp() == nil
}

func (c *Controllers) adopt(
	gvr schema.GroupVersionResource, orphan *unstructured.Unstructured, by metav1.OwnerReference,
) {
	_, err := c.kube.Update(gvr, orphan.GetNamespace(), orphan.GetName(), func(u *unstructured.Unstructured) {
		u.SetOwnerReferences(append(u.GetOwnerReferences(), by))
	})
	if err != nil {
		c.t.Errorf("controllers: adopt %s %s/%s: %v", gvr.Resource, orphan.GetNamespace(), orphan.GetName(), err)
	}
}
