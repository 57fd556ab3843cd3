package controllers

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// setsOf are the ReplicaSets that a Deployment owns.
func (c *Controllers) setsOf(d *deployment) []*appsv1.ReplicaSet {
	var sets []*appsv1.ReplicaSet
	for _, u := range c.kube.PeekAll(kubesim.ReplicaSets, d.Namespace, nil) {
		if owner := metav1.GetControllerOf(u); owner != nil && owner.UID == d.UID && u.GetDeletionTimestamp() == nil {
			sets = append(sets, c.readSet(u))
		}
	}
	return sets
}

// readSet reads a ReplicaSet once for each version of it.
func (c *Controllers) readSet(u *unstructured.Unstructured) *appsv1.ReplicaSet {
	c.t.Helper()
	known := c.sets[u.GetUID()]
	if known == nil || known.ResourceVersion != u.GetResourceVersion() {
		known = &appsv1.ReplicaSet{}
		c.convert(u, known)
		c.sets[u.GetUID()] = known
	}
	return known
}

func (c *Controllers) createSet(d *deployment, replicas int) {
	set := &appsv1.ReplicaSet{
		TypeMeta: metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "ReplicaSet"},
		ObjectMeta: metav1.ObjectMeta{
			Name: d.Name + "-" + d.hash, Namespace: d.Namespace,
			Labels: withLabel(d.Spec.Template.Labels, hashLabel, d.hash),
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment")),
			},
		},
		Spec: appsv1.ReplicaSetSpec{Selector: d.Spec.Selector.DeepCopy(), Template: *d.Spec.Template.DeepCopy()},
	}
	set.Spec.Selector.MatchLabels = withLabel(set.Spec.Selector.MatchLabels, hashLabel, d.hash)
	set.Spec.Template.Labels = set.Labels
	count := int32(replicas)
	set.Spec.Replicas = &count
	if taken := c.kube.Peek(kubesim.ReplicaSets, set.Namespace, set.Name); taken != nil {
		c.collide(d, taken)
		return
	}
	if _, err := c.kube.Create(kubesim.ReplicaSets, &unstructured.Unstructured{Object: c.content(set)}); err != nil {
		c.t.Errorf("controllers: create a ReplicaSet of %s/%s: %v", d.Namespace, d.Name, err)
	}
}

// collide has a Deployment take another name for its ReplicaSet, as this one has it and is not its own.
func (c *Controllers) collide(d *deployment, taken *unstructured.Unstructured) {
	u := c.kube.Peek(kubesim.Deployments, d.Namespace, d.Name)
	if owner := metav1.GetControllerOf(taken); owner != nil && owner.UID == d.UID || u == nil || u.GetUID() != d.UID {
		return
	}
	status, count := c.readDeployment(u).Status.DeepCopy(), collisions(d.Status)+1
	status.CollisionCount = &count
	c.setStatus(kubesim.Deployments, d.Namespace, d.Name, status)
}

// collisions are how many names a Deployment has found taken.
func collisions(status appsv1.DeploymentStatus) int32 {
	if status.CollisionCount == nil {
		return 0
	}
	return *status.CollisionCount
}

func (c *Controllers) setReplicas(set *appsv1.ReplicaSet, n int) {
	if int(*set.Spec.Replicas) == n {
		return
	}
	_, err := c.kube.Update(kubesim.ReplicaSets, set.Namespace, set.Name, func(u *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(u.Object, int64(n), "spec", "replicas"); err != nil {
			c.t.Errorf("controllers: scale ReplicaSet %s/%s: %v", set.Namespace, set.Name, err)
		}
	})
	if err != nil {
		c.t.Errorf("controllers: scale ReplicaSet %s/%s: %v", set.Namespace, set.Name, err)
	}
}

// fill makes the pods that a ReplicaSet misses, and deletes those that it has too many, unready ones first. The set is
// as its controller last heard of it; the pods are those that are there. Of its status only the generation is written.
func (c *Controllers) fill(set *appsv1.ReplicaSet) {
	if set.DeletionTimestamp != nil {
		return
	}
	c.adoptPods(set)
	var pods []*corev1.Pod
	for _, pod := range c.pods(set.Namespace, nil) {
		if controls(set, pod) && pod.DeletionTimestamp == nil && !hasEnded(pod) {
			pods = append(pods, pod)
		}
	}
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int {
		switch {
		case isReady(a) == isReady(b):
			return 0
		case isReady(a):
			return -1
		}
		return 1
	})
	for wanted := int(*set.Spec.Replicas); len(pods) > wanted; pods = pods[:len(pods)-1] {
		c.deletePod(pods[len(pods)-1])
	}
	for range int(*set.Spec.Replicas) - len(pods) {
		if script, _ := c.scriptOf(set.Spec.Template.Labels, set.Spec.Template.Spec); script.Quota {
			break
		}
		c.createPod(set)
	}
	u := c.kube.Peek(kubesim.ReplicaSets, set.Namespace, set.Name)
	if u != nil && u.GetUID() == set.UID && c.readSet(u).Status.ObservedGeneration != set.Generation {
		status := appsv1.ReplicaSetStatus{ObservedGeneration: set.Generation}
		c.setStatus(kubesim.ReplicaSets, set.Namespace, set.Name, &status)
	}
}

func controls(set *appsv1.ReplicaSet, pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.UID == set.UID
}

func (c *Controllers) deletePod(pod *corev1.Pod) {
	if err := c.kube.Delete(
		kubesim.Pods, pod.Namespace, pod.Name, kubesim.DeleteOptions{UID: string(pod.UID)},
	); err != nil {
		c.t.Errorf("controllers: delete pod %s/%s: %v", pod.Namespace, pod.Name, err)
	}
}

func (c *Controllers) createPod(set *appsv1.ReplicaSet) {
	c.serial++
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: *set.Spec.Template.ObjectMeta.DeepCopy(),
		Spec:       *set.Spec.Template.Spec.DeepCopy(),
	}
	pod.Name, pod.Namespace = fmt.Sprintf("%s-%05x", set.Name, c.serial), set.Namespace
	pod.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet")),
	}
	if _, err := c.kube.Create(kubesim.Pods, &unstructured.Unstructured{Object: c.content(pod)}); err != nil {
		c.t.Errorf("controllers: create a pod of %s/%s: %v", set.Namespace, set.Name, err)
	}
}
