package controllers

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// fleet is the pods of one Deployment. A pod being deleted is in none of the lists but ending: it is replaced at once.
type fleet struct {
	fresh  []*corev1.Pod // of the present template
	stale  []*corev1.Pod // of an older one
	ending []*corev1.Pod
}

const hashLabel = "pod-template-hash"

// deployment is a Deployment as it was read, with the hash of its template.
type deployment struct {
	*appsv1.Deployment
	hash string
}

// readDeployment reads a Deployment once for each version of it.
func (c *Controllers) readDeployment(u *unstructured.Unstructured) *deployment {
	c.t.Helper()
	known := c.rolled[u.GetUID()]
	if known == nil || known.ResourceVersion != u.GetResourceVersion() {
		d := &appsv1.Deployment{}
		c.convert(u, d)
		known = &deployment{d, templateHash(d.Spec.Template)}
		c.rolled[u.GetUID()] = known
	}
	return known
}

// stepDeployment makes and deletes pods as the Deployment and ReplicaSet controllers do together, then writes status.
//
//	strategy        template changed                                pods of the old template
//	RollingUpdate   new ones beside the old, one more than wanted   deleted as new ones are ready; unready ones first
//	Recreate        new ones when no process of an old one is left  deleted at once
func (c *Controllers) stepDeployment(d *deployment) {
	wanted := int32(1)
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	failure := ""
	if d.DeletionTimestamp == nil {
		failure = c.scale(d, int(wanted))
	}
	c.writeDeployment(d, c.fleetOf(d), wanted, failure)
}

func (c *Controllers) fleetOf(d *deployment) fleet {
	var f fleet
	for _, pod := range c.pods(d.Namespace, nil) {
		owner := metav1.GetControllerOf(pod)
		switch {
		case owner == nil || owner.UID != d.UID || owner.Kind != "Deployment" || pod.Labels[hashLabel] == "":
		case pod.DeletionTimestamp != nil:
			f.ending = append(f.ending, pod)
		case hasEnded(pod):
		case pod.Labels[hashLabel] == d.hash:
			f.fresh = append(f.fresh, pod)
		default:
			f.stale = append(f.stale, pod)
		}
	}
	return f
}

// scale returns the message of a creation that failed, or "".
func (c *Controllers) scale(d *deployment, wanted int) string {
	f := c.fleetOf(d)
	for len(f.fresh) > wanted {
		last := len(f.fresh) - 1
		c.deletePod(f.fresh[last])
		f.fresh = f.fresh[:last]
	}
	room := wanted - len(f.fresh)
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		if len(f.stale) > 0 || slices.ContainsFunc(f.ending, func(pod *corev1.Pod) bool {
			return !hasEnded(pod) && pod.Labels[hashLabel] != d.hash
		}) {
			room = 0
		}
		c.deletePods(f.stale, len(f.stale))
	} else {
		room = min(room, wanted+1-len(f.fresh)-len(f.stale))
		c.retire(f, wanted)
	}
	for range room {
		if script, _ := c.scriptOf(d.Spec.Template.Labels, d.Spec.Template.Spec); script.Quota {
			return fmt.Sprintf("pods %q is forbidden: %s", d.Name, script.Message)
		}
		c.createPod(d)
	}
	return ""
}

func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

// retire deletes old pods, unready ones first. Those that are left, and the new ones that are ready, are enough.
func (c *Controllers) retire(f fleet, wanted int) {
	enough := wanted - wanted/4
	unready, surplus := ready(f.fresh)+len(f.stale)-enough, ready(f.fresh)+ready(f.stale)-enough
	for _, pod := range f.stale {
		if !isReady(pod) && unready > 0 {
			unready--
			c.deletePod(pod)
		} else if isReady(pod) && surplus > 0 {
			surplus--
			c.deletePod(pod)
		}
	}
}

func (c *Controllers) deletePods(pods []*corev1.Pod, n int) {
	for _, pod := range pods[:n] {
		c.deletePod(pod)
	}
}

func (c *Controllers) deletePod(pod *corev1.Pod) {
	if err := c.kube.Delete(
		kubesim.Pods, pod.Namespace, pod.Name, kubesim.DeleteOptions{UID: string(pod.UID)},
	); err != nil {
		c.t.Errorf("controllers: delete pod %s/%s: %v", pod.Namespace, pod.Name, err)
	}
}

func (c *Controllers) createPod(d *deployment) {
	c.serial++
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: *d.Spec.Template.ObjectMeta.DeepCopy(),
		Spec:       *d.Spec.Template.Spec.DeepCopy(),
	}
	pod.Name, pod.Namespace = fmt.Sprintf("%s-%s-%05x", d.Name, d.hash, c.serial), d.Namespace
	pod.Labels = withLabel(pod.Labels, hashLabel, d.hash)
	pod.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment")),
	}
	if _, err := c.kube.Create(kubesim.Pods, &unstructured.Unstructured{Object: c.content(pod)}); err != nil {
		c.t.Errorf("controllers: create a pod of %s/%s: %v", d.Namespace, d.Name, err)
	}
}

func withLabel(labels map[string]string, name, value string) map[string]string {
	out := map[string]string{name: value}
	for k, v := range labels {
		if k != name {
			out[k] = v
		}
	}
	return out
}

func templateHash(template corev1.PodTemplateSpec) string {
	text, err := json.Marshal(template)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))[:10]
}

func ready(pods []*corev1.Pod) int {
	n := 0
	for _, pod := range pods {
		if isReady(pod) {
			n++
		}
	}
	return n
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// writeDeployment writes the counts and conditions.
func (c *Controllers) writeDeployment(d *deployment, f fleet, wanted int32, failure string) {
	total, available := int32(len(f.fresh)+len(f.stale)), int32(ready(f.fresh)+ready(f.stale))
	status := appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation, Replicas: total, UpdatedReplicas: int32(len(f.fresh)),
		ReadyReplicas: available, AvailableReplicas: available, UnavailableReplicas: max(0, max(total, wanted)-available),
	}
	enough := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionFalse,
		Reason: "MinimumReplicasUnavailable", Message: "Deployment does not have minimum availability.",
	}
	if available >= wanted-wanted/4 {
		enough.Status, enough.Reason, enough.Message = corev1.ConditionTrue, "MinimumReplicasAvailable",
			"Deployment has minimum availability."
	}
	progress := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "ReplicaSetUpdated",
		Message: "ReplicaSet is progressing.",
	}
	if int32(ready(f.fresh)) >= wanted && len(f.stale) == 0 {
		progress.Reason, progress.Message = "NewReplicaSetAvailable", "ReplicaSet has successfully progressed."
	}
	status.Conditions = []appsv1.DeploymentCondition{enough, progress}
	if failure != "" {
		status.Conditions = append(status.Conditions, appsv1.DeploymentCondition{
			Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: failure,
		})
	}
	c.keepTimes(d, status.Conditions)
	if equality.Semantic.DeepEqual(d.Status, status) {
		return
	}
	c.setStatus(kubesim.Deployments, d.Namespace, d.Name, &status)
}

// keepTimes keeps the time of a condition that did not change. The first conditions of a Deployment carry its creation
// time: the real controller is that quick.
func (c *Controllers) keepTimes(d *deployment, conditions []appsv1.DeploymentCondition) {
	for i := range conditions {
		now := metav1.NewTime(c.kube.Clock.Now())
		if len(d.Status.Conditions) == 0 {
			now = d.CreationTimestamp
		}
		conditions[i].LastTransitionTime, conditions[i].LastUpdateTime = now, now
		for _, old := range d.Status.Conditions {
			if old.Type != conditions[i].Type || old.Status != conditions[i].Status {
				continue
			}
			conditions[i].LastTransitionTime = old.LastTransitionTime
			if old.Reason == conditions[i].Reason && old.Message == conditions[i].Message {
				conditions[i].LastUpdateTime = old.LastUpdateTime
			}
		}
	}
}
