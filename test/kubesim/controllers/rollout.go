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
	"k8s.io/apimachinery/pkg/types"

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
		known = &deployment{d, templateHash(d.Spec.Template, collisions(d.Status))}
		c.rolled[u.GetUID()] = known
	}
	return known
}

// rollOut gives the ReplicaSets of a Deployment their replicas, as the Deployment controller does.
//
//	strategy        template changed                                pods of the old template
//	RollingUpdate   new ones beside the old, one more than wanted   deleted as new ones are ready; unready ones first
//	Recreate        new ones when no process of an old one is left  deleted at once
func (c *Controllers) rollOut(d *deployment) {
	if d.DeletionTimestamp != nil {
		return
	}
	c.adoptSets(d)
	sets := c.setsOf(d)
	f, wanted := c.fleetOf(d, sets), wantedBy(d)
	room := wanted - len(f.fresh)
	replicas := map[types.UID]int{} // of the sets of older templates
	for _, pod := range f.stale {
		replicas[metav1.GetControllerOf(pod).UID]++
	}
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		if len(f.stale) > 0 || slices.ContainsFunc(f.ending, func(pod *corev1.Pod) bool {
			return !hasEnded(pod) && pod.Labels[hashLabel] != d.hash
		}) {
			room = min(room, 0)
		}
		clear(replicas)
	} else {
		room = min(room, wanted+1-len(f.fresh)-len(f.stale))
		for _, pod := range surplus(f, wanted) {
			replicas[metav1.GetControllerOf(pod).UID]--
		}
	}
	fresh := false
	for _, set := range sets {
		n := replicas[set.UID]
		if set.Labels[hashLabel] == d.hash {
			n, fresh = max(0, len(f.fresh)+room), true
		}
		c.setReplicas(set, n)
	}
	if !fresh {
		c.createSet(d, max(0, room))
	}
}

func wantedBy(d *deployment) int {
	if d.Spec.Replicas == nil {
		return 1
	}
	return int(*d.Spec.Replicas)
}

// fleetOf are the pods of the ReplicaSets of a Deployment.
func (c *Controllers) fleetOf(d *deployment, sets []*appsv1.ReplicaSet) fleet {
	var f fleet
	for _, pod := range c.pods(d.Namespace, nil) {
		switch {
		case !slices.ContainsFunc(sets, func(set *appsv1.ReplicaSet) bool { return controls(set, pod) }):
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

func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

// surplus are the old pods that a rolling update takes away, unready ones first. Those that are left, and the new ones
// that are ready, are enough.
func surplus(f fleet, wanted int) (gone []*corev1.Pod) {
	enough := wanted - wanted/4
	unready, ready := ready(f.fresh)+len(f.stale)-enough, ready(f.fresh)+ready(f.stale)-enough
	for _, pod := range f.stale {
		if !isReady(pod) && unready > 0 {
			unready--
			gone = append(gone, pod)
		} else if isReady(pod) && ready > 0 {
			ready--
			gone = append(gone, pod)
		}
	}
	return gone
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

func templateHash(template corev1.PodTemplateSpec, collisions int32) string {
	text, err := json.Marshal(template)
	if err != nil {
		panic(err)
	}
	if collisions > 0 {
		text = fmt.Appendf(text, " %d", collisions)
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

// writeDeployment writes the counts and conditions of a Deployment that its controller knows, if it is still there.
func (c *Controllers) writeDeployment(d *deployment) {
	u := c.kube.Peek(kubesim.Deployments, d.Namespace, d.Name)
	if u == nil || u.GetUID() != d.UID {
		return
	}
	live := c.readDeployment(u).Status
	f, wanted, failure := c.fleetOf(d, c.setsOf(d)), int32(wantedBy(d)), ""
	if script, _ := c.scriptOf(d.Spec.Template.Labels, d.Spec.Template.Spec); script.Quota && len(f.fresh) < int(wanted) {
		failure = fmt.Sprintf("pods %q is forbidden: %s", d.Name, script.Message)
	}
	total, available := int32(len(f.fresh)+len(f.stale)), int32(ready(f.fresh)+ready(f.stale))
	status := appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation, Replicas: total, UpdatedReplicas: int32(len(f.fresh)),
		ReadyReplicas: available, AvailableReplicas: available, UnavailableReplicas: max(0, max(total, wanted)-available),
		CollisionCount: live.CollisionCount,
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
	c.keepTimes(d, live.Conditions, status.Conditions)
	if equality.Semantic.DeepEqual(live, status) {
		return
	}
	c.setStatus(kubesim.Deployments, d.Namespace, d.Name, &status)
}

// keepTimes keeps the time of a condition that did not change. The first conditions of a Deployment carry its creation
// time: the real controller is that quick.
func (c *Controllers) keepTimes(d *deployment, before, conditions []appsv1.DeploymentCondition) {
	for i := range conditions {
		now := metav1.NewTime(c.kube.Clock.Now())
		if len(before) == 0 {
			now = d.CreationTimestamp
		}
		conditions[i].LastTransitionTime, conditions[i].LastUpdateTime = now, now
		for _, old := range before {
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
