package fleet

import (
	"context"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// objects writes the Deployment of a cluster with its ReplicaSet and its pods, as the controllers would have: they find
// nothing to do when they start. The UIDs go into the stamp.
func (s *stocker) objects(ctx context.Context, from *shape, with *stamp) error {
	jm, err := typedOf[appsv1.Deployment](from, 1, *with)
	if err != nil {
		return err
	}
	status := jm.Status
	jm.Annotations[revision] = "1"
	if jm, err = s.typed.AppsV1().Deployments(with.namespace).Create(ctx, jm, manager); err != nil {
		return err
	}
	with.uids[from.uid(1)] = string(jm.UID)
	status.ObservedGeneration, status.TerminatingReplicas = jm.Generation, new(int32)
	jm.Status = status
	if jm, err = s.typed.AppsV1().Deployments(with.namespace).UpdateStatus(ctx, jm, metav1.UpdateOptions{}); err != nil {
		return err
	}
	set, err := s.replicaSet(ctx, jm)
	if err != nil {
		return err
	}
	s.done.Add(2)
	for i := 2; i < len(from.Objects); i++ {
		if err := s.pod(ctx, from, i, *with, set); err != nil {
			return err
		}
		s.done.Add(1)
	}
	return nil
}

// What the Deployment controller notes on what it makes.
const (
	revision = "deployment.kubernetes.io/revision"
	desired  = "deployment.kubernetes.io/desired-replicas"
	most     = "deployment.kubernetes.io/max-replicas"
	hashed   = appsv1.DefaultDeploymentUniqueLabelKey
)

// replicaSet writes that of a Deployment.
func (s *stocker) replicaSet(ctx context.Context, of *appsv1.Deployment) (*appsv1.ReplicaSet, error) {
	set := makeReplicaSet(of)
	status := appsv1.ReplicaSetStatus{
		Replicas: 1, FullyLabeledReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1, TerminatingReplicas: new(int32),
	}
	set, err := s.typed.AppsV1().ReplicaSets(of.Namespace).Create(ctx, set, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	status.ObservedGeneration, set.Status = set.Generation, status
	return s.typed.AppsV1().ReplicaSets(of.Namespace).UpdateStatus(ctx, set, metav1.UpdateOptions{})
}

// makeReplicaSet is the one that the Deployment controller makes.
func makeReplicaSet(of *appsv1.Deployment) *appsv1.ReplicaSet {
	hash := jobIDOf(of.Namespace + of.Name)[:10]
	template := of.Spec.Template.DeepCopy()
	template.Labels = maps.Clone(template.Labels)
	template.Labels[hashed] = hash
	selector := of.Spec.Selector.DeepCopy()
	selector.MatchLabels[hashed] = hash
	atMost := "2"
	if of.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		atMost = "1"
	}
	annotations := maps.Clone(of.Annotations)
	annotations[revision], annotations[desired], annotations[most] = "1", "1", atMost
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: of.Namespace, Name: of.Name + "-" + hash, Labels: template.Labels, Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(of, appsv1.SchemeGroupVersion.WithKind("Deployment")),
			},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: of.Spec.Replicas, Selector: selector, Template: *template},
	}
}

// pod writes one that runs.
func (s *stocker) pod(ctx context.Context, from *shape, object int, with stamp, set *appsv1.ReplicaSet) error {
	pod, err := typedOf[corev1.Pod](from, object, with)
	if err != nil {
		return err
	}
	status := pod.Status
	pod.Spec.NodeName, pod.Spec.ServiceAccountName = modelNode, "flink"
	if pod.Labels[hashed] != "" {
		pod.Labels[hashed] = set.Labels[hashed]
		pod.Name = set.Name + "-00001"
		pod.OwnerReferences = []metav1.OwnerReference{
			*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet")),
		}
	}
	if pod, err = s.typed.CoreV1().Pods(with.namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	pod.Status = status
	_, err = s.typed.CoreV1().Pods(with.namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

// makeNode is the fleet's node: only pods that ask for it get there.
func makeNode() *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("100000"), corev1.ResourceMemory: resource.MustParse("1000Ti"),
		corev1.ResourcePods: resource.MustParse("1000000"), corev1.ResourceEphemeralStorage: resource.MustParse("1000Ti"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: modelNode, Labels: map[string]string{"fleet": "model"}},
		Spec: corev1.NodeSpec{
			Taints: []corev1.Taint{{Key: "fleet", Value: "model", Effect: corev1.TaintEffectNoSchedule}},
		},
		Status: corev1.NodeStatus{
			Capacity: room, Allocatable: room,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Model"}},
		},
	}
}
