package rehearsal

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/render"
)

// Piece is one object that a start leads to.
type Piece struct {
	// Object is the object, with kind, namespace and name.
	Object metav1.Object
	// Kind is its kind.
	Kind string
	// Count is how many of it there will be, at least 1.
	Count int32
}

// Pod is the pod of a pod piece; nil for every other.
func (p Piece) Pod() *corev1.Pod {
	pod, _ := p.Object.(*corev1.Pod)
	return pod
}

// Start is what is to be started.
type Start struct {
	// Cluster has its objects.
	Cluster render.Cluster
	// Operation is 32 hexadecimal digits. It stands where the API server has to see an ID that nothing has yet.
	Operation string
	// TaskManager is the pod that the JobManager of a native cluster will make; nil in standalone mode, or when it is not
	// known.
	TaskManager *corev1.PodTemplateSpec
	// TaskManagers is how many of them.
	TaskManagers int32
}

// Pieces are the objects of a start as they will be created, and the pods as their controllers will make them: a
// Deployment is taken whose pods are all refused.
func Pieces(s Start) []Piece {
	var all []Piece
	owned := s.Cluster.OwnedBy(types.UID(s.Operation))
	for _, d := range owned.Deployments() {
		none, replicas := int32(0), int32(1)
		if d.Spec.Replicas != nil {
			replicas = *d.Spec.Replicas
		}
		d = d.DeepCopy()
		d.Spec.Replicas = &none
		all = append(all, Piece{d, "Deployment", 1}, Piece{podOfReplicaSet(d, s.Operation), "Pod", max(1, replicas)})
	}
	for _, o := range owned.Services {
		all = append(all, Piece{o, "Service", 1})
	}
	for _, o := range owned.ConfigMaps {
		all = append(all, Piece{o, "ConfigMap", 1})
	}
	for _, o := range owned.Secrets {
		all = append(all, Piece{o, "Secret", 1})
	}
	if s.TaskManager != nil {
		all = append(all, Piece{podOfFlink(s), "Pod", max(1, s.TaskManagers)})
	}
	return all
}

const (
	// longestBase is how much of a pod's name comes before the characters that the API server draws
	// (k8s.io/apiserver/pkg/storage/names).
	longestBase = 58
	// drawn stands for those.
	drawn = "dryrn"
	// hash stands for that of a ReplicaSet: the same with each attempt, so that what is told of one stays the same.
	hash = "0000000000"
)

// podOfReplicaSet is a pod as the ReplicaSet of a Deployment makes it.
func podOfReplicaSet(d *appsv1.Deployment, operation string) *corev1.Pod {
	yes := true
	pod := podOf(&d.Spec.Template, d.Namespace)
	set := d.Name + "-" + hash
	base := set + "-"
	pod.Name = base[:min(len(base), longestBase)] + drawn
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "ReplicaSet", Name: set, UID: types.UID(operation),
		Controller: &yes,
	}}
	return pod
}

// podOfFlink is a TaskManager as a JobManager makes it (Flink: KubernetesResourceManagerDriver).
func podOfFlink(s Start) *corev1.Pod {
	jm, yes := s.Cluster.JobManager, true
	pod := podOf(s.TaskManager, jm.Namespace)
	pod.Name = jm.Name + "-taskmanager-1-1"
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment", Name: jm.Name, UID: types.UID(s.Operation),
		Controller: &yes,
	}}
	return pod
}

func podOf(template *corev1.PodTemplateSpec, namespace string) *corev1.Pod {
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy(),
	}
	pod.Namespace, pod.Name, pod.GenerateName = namespace, "", ""
	return pod
}
