package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
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
