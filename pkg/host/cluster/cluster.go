package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/podfailure"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// Cluster is one FlinkDeployment as one decision sees it: what the decision about its job works on, and the JobManager
// cluster that the job runs on. It is the world.Host: its methods are the facts that follow from what was seen.
type Cluster struct {
	// Look is what the decision about the job works on.
	Look *world.Look
	// Seen is the snapshot.
	Seen *Snapshot
	// Failure is why the JobManager cannot start; nil when nothing says so.
	Failure *podfailure.Failure
}

// New makes the Cluster of a snapshot, for questions. Package startup makes one that carries operations out. Accept and
// Observe, in this order, are the caller's.
func New(s Snapshot) *Cluster {
	v := &Cluster{Seen: &s, Look: world.New(&s.Seen)}
	v.Look.Host = v
	hideObjects(v)
	return v
}

// Apart is the same for a question that is asked while others look, see world.Look.
func Apart(v *Cluster) *Cluster {
	seen := *v.Seen
	apart := &Cluster{Seen: &seen, Failure: v.Failure}
	apart.Look = world.Apart(v.Look, &seen.Seen, apart)
	return apart
}

// Renew takes over what was seen since, see world.Renew.
func Renew(v *Cluster) {
	world.Renew(v.Look)
	hideObjects(v)
}

// hideObjects hides secrets in what Kubernetes says of the containers, before our words are put around it. Who read it
// may have cut it: what is left of a secret then is hidden, too, see package redact.
func hideObjects(v *Cluster) {
	o := &v.Seen.Objects
	o.CrashCause = plan.Within(o.CrashCause, v.Look.Hide)
	o.MountFailures = plan.Within(o.MountFailures, func(messages []string) []string {
		hidden := make([]string, len(messages))
		for i := range messages {
			hidden[i] = v.Look.Hide(messages[i])
		}
		return hidden
	})
}

// Owned reports whether the Deployment was made for this resource: its owner reference carries our UID.
func (v *Cluster) Owned(d *appsv1.Deployment) bool {
	for _, o := range d.OwnerReferences {
		if o.UID == v.Seen.Resource.UID {
			return true
		}
	}
	return false
}

// OwnOperation is the operation that a Deployment was prepared by; empty means none of ours.
func OwnOperation(d *appsv1.Deployment) string { return d.Annotations[v1beta1.AnnotationOperation] }

// PreparedOnly reports whether a start of this resource prepared the Deployment and never released it.
func (v *Cluster) PreparedOnly(jm *appsv1.Deployment) bool {
	return v.Owned(jm) && OwnOperation(jm) != "" && evidence.Replicas(jm) == 0 && jm.Status.Replicas == 0
}

// Retired reports whether a Deployment was taken out of service: it asks for no JobManager, and no release that comes
// late matches it.
func Retired(jm *appsv1.Deployment) bool {
	return evidence.Replicas(jm) == 0 && OwnOperation(jm) == ""
}

// PodsMayCome reports whether a retired Deployment may still get pods: its controller has not acted on that yet, or not
// said so.
func PodsMayCome(jm *appsv1.Deployment) bool {
	return jm.Status.ObservedGeneration < jm.Generation || jm.Status.Replicas > 0
}

// IsStandalone reports whether the cluster may be a standalone one, by what was deployed last or by the spec.
func (v *Cluster) IsStandalone() bool {
	if v.Look.Last != nil && v.Look.Last.Spec.DesiredMode() == v1beta1.ModeStandalone {
		return true
	}
	return v.Look.Spec.DesiredMode() == v1beta1.ModeStandalone
}

// HA is the high-availability data of what runs.
func (v *Cluster) HA() hadata.Data {
	store := hadata.StoreOf(v.Look.Config())
	store.Nodes.Namespace = v.Seen.Resource.Namespace
	return hadata.Data{
		Store: store, JobID: v.jobOfHA(), Namespace: v.Seen.Resource.Namespace, ConfigMaps: v.Seen.HAData,
		Tree: v.Seen.HANodes,
	}
}

// jobOfHA is the job whose high-availability data counts: that of status, of an application that was deployed.
func (v *Cluster) jobOfHA() string {
	if v.Look.Last == nil || v.Look.IsSession() {
		return ""
	}
	return v.Look.Want.JobStatus.JobID
}

// AvailableAt is when the JobManager's pod became ready; the zero time when its Deployment does not say so.
func (v *Cluster) AvailableAt() metav1.Time {
	jm, _ := v.Seen.JobManager.Get()
	if jm != nil {
		for _, condition := range jm.Status.Conditions {
			if condition.Type == appsv1.DeploymentAvailable && condition.Status == corev1.ConditionTrue {
				return condition.LastTransitionTime
			}
		}
	}
	return metav1.Time{}
}
