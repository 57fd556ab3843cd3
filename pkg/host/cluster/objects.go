package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Objects are those of one JobManager cluster, as they were read. Parts nobody asked for are Unknown.
type Objects struct {
	// JobManager is the Deployment of the resource's name.
	JobManager plan.Observed[*appsv1.Deployment]
	// Pods are the pods of that Deployment, by their labels.
	Pods plan.Observed[[]corev1.Pod]
	// TaskManagers are the pods of the cluster's TaskManagers; asked for when the Deployment is gone or going.
	TaskManagers plan.Observed[[]corev1.Pod]
	// TaskManagerDeployment is the Deployment of a standalone cluster's TaskManagers; Absent also while it is being
	// deleted.
	TaskManagerDeployment plan.Observed[TaskManagerDeployment]
	// Nodes says of the nodes of pods that do not end whether they answer. Absent: there is no such node.
	Nodes map[string]plan.Observed[bool]
	// MountFailures are the messages of the pods' FailedMount events, newest first.
	MountFailures plan.Observed[[]string]
	// CrashCause is the root cause that the log of a JobManager container that crashed ends with. Absent: it ends with
	// none.
	CrashCause plan.Observed[string]
	// Companions are the objects that a prepared start consists of, besides the Deployment.
	Companions plan.Observed[[]Companion]
	// ReplicaSets are those of the cluster's Deployments, and of Deployments of their names that are gone; asked for when
	// a retired Deployment may be deleted, and when a start is prepared that has a predecessor.
	ReplicaSets plan.Observed[[]ReplicaSet]
	// Owned is what goes with the Deployment.
	Owned plan.Observed[[]plan.OwnedObject]
	// HAData are the high-availability ConfigMaps of the cluster.
	HAData plan.Observed[[]hadata.ConfigMap]
	// HANodes are the high-availability data of the cluster in ZooKeeper.
	HANodes plan.Observed[znode.Tree]
	// Ingress is the Ingress of the resource's name, whoever made it.
	Ingress plan.Observed[*networkingv1.Ingress]
}

// TaskManagerDeployment is the Deployment of a standalone cluster's TaskManagers, in one version.
type TaskManagerDeployment struct {
	plan.ObjectVersion
	// Replicas is spec.replicas; 1 where it is not set.
	Replicas int32
	// MayMakePods is true when its controllers have still to act on that, or pods of it are there that are not deleted.
	MayMakePods bool
}

// ReplicaSet is one that the controller of Deployments made for a Deployment.
type ReplicaSet struct {
	// Name is metadata.name.
	Name string
	// UID is metadata.uid.
	UID types.UID
	// Deployment is the UID of its owner.
	Deployment types.UID
	// Replicas is spec.replicas; 1 where it is not set.
	Replicas int32
	// Seen is true when the controller of ReplicaSets has acted on its present version.
	Seen bool
}

// Companion is one object of a prepared start.
type Companion struct {
	// Kind is Service, ConfigMap or Secret, or Deployment for a standalone cluster's TaskManagers.
	Kind string
	// Name is metadata.name.
	Name string
	// Operation is the value of the operation annotation; empty means none.
	Operation string
}

// Companions lists the objects of a start, besides its Deployment.
func Companions(made render.Cluster) []Companion {
	var all []Companion
	for _, o := range made.Services {
		all = append(
			all, Companion{Kind: "Service", Name: o.Name, Operation: o.Annotations[v1beta1.AnnotationOperation]},
		)
	}
	for _, o := range made.ConfigMaps {
		all = append(
			all, Companion{Kind: "ConfigMap", Name: o.Name, Operation: o.Annotations[v1beta1.AnnotationOperation]},
		)
	}
	for _, o := range made.Secrets {
		all = append(
			all, Companion{Kind: "Secret", Name: o.Name, Operation: o.Annotations[v1beta1.AnnotationOperation]},
		)
	}
	if tm := made.TaskManager; tm != nil {
		all = append(
			all, Companion{Kind: "Deployment", Name: tm.Name, Operation: tm.Annotations[v1beta1.AnnotationOperation]},
		)
	}
	return all
}

// Snapshot is everything that one decision sees. Parts nobody asked for are Unknown.
type Snapshot struct {
	world.Seen
	Objects
	// LogFiles are the log configuration files for clusters whose spec has none, by file name.
	LogFiles map[string]string
	// SessionJobs are the FlinkSessionJobs of a session cluster.
	SessionJobs plan.Observed[[]SessionJob]
}
