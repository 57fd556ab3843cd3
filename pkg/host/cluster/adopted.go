package cluster

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
)

// NotNamed reports whether a Deployment of this resource runs, or is to run, that status does not speak of.
func NotNamed(v *Cluster, jm *appsv1.Deployment) bool {
	known := v.Look.Want.Deployed
	runs := evidence.Replicas(jm) > 0 || jm.Status.Replicas > 0
	return v.Look.Last != nil && known != nil && known.DeploymentUID != "" && known.DeploymentUID != jm.UID && runs &&
		jm.DeletionTimestamp == nil && v.Owned(jm)
}

// Adopts reports whether the user has said that a cluster of this resource is to be taken over.
func Adopts(v *Cluster) bool {
	return v.Look.Problem == "" && v.Seen.Resource.Annotations[v1beta1.AnnotationAdopt] == "true"
}
