package cluster

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/podfailure"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Cluster is one FlinkDeployment as one decision sees it: the life of its job, and the JobManager cluster that the job
// runs on.
type Cluster struct {
	job.Life
	// Seen is the snapshot.
	Seen *Snapshot
	// Failure is why the JobManager cannot start; nil when nothing says so.
	Failure *podfailure.Failure
}

// New makes the Cluster of a snapshot. Accept and Observe, in this order, are the caller's.
func New(s Snapshot) *Cluster {
	v := &Cluster{Seen: &s, Life: job.New(&s.Seen)}
	v.Host, v.Starter, v.Stopper = v, v, v
	v.hideObjects()
	return v
}

// hideObjects hides secrets in what Kubernetes says of the containers. It comes before any bound cuts such a text.
func (v *Cluster) hideObjects() {
	o := &v.Seen.Objects
	o.CrashCause = plan.Within(o.CrashCause, v.Hide)
	o.MountFailures = plan.Within(o.MountFailures, func(messages []string) []string {
		hidden := make([]string, len(messages))
		for i := range messages {
			hidden[i] = v.Hide(messages[i])
		}
		return hidden
	})
}

// HA is the high-availability data of what runs.
func (v *Cluster) HA() hadata.Data {
	return hadata.Data{
		Store: hadata.StoreOf(v.Config()), Namespace: v.Seen.Resource.Namespace, ConfigMaps: v.Seen.HAData,
		Tree: v.Seen.HANodes,
	}
}

// HAToRemove is that or, once the Deployment of a deleted resource without any is gone, what an earlier configuration
// left in Kubernetes. It proves nothing of who runs.
func (v *Cluster) HAToRemove() hadata.Data {
	data := v.HA()
	if data.Store.Mode == flinkconf.HANone && v.Seen.Resource.DeletionTimestamp != nil && v.Seen.JobManager.IsAbsent() {
		data.Store.Mode = flinkconf.HAKubernetes
	}
	return data
}

// Present reports whether the Deployment of the JobManager is there.
func (v *Cluster) Present() bool { return v.Seen.JobManager.IsPresent() }

// CanBeAsked reports whether a JobManager is there to be asked.
func (v *Cluster) CanBeAsked() bool {
	jm, present := v.Seen.JobManager.Get()
	return present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0
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

// ReleasedAt is when the Deployment got its replicas; the zero time when it does not say so.
func (v *Cluster) ReleasedAt() time.Time {
	if jm, present := v.Seen.JobManager.Get(); present {
		return evidence.ReleasedAt(jm)
	}
	return time.Time{}
}

// BringsBack is true: a JobManager of an application submits its job itself.
func (v *Cluster) BringsBack() bool { return true }

// NeverRan reports whether a start is there and no container of it ever ran. Any doubt is a no.
func (v *Cluster) NeverRan() bool {
	jm, present := v.Seen.JobManager.Get()
	data, looked := v.Seen.HAData.Get()
	nobodyLed := v.HA().Store.Mode == flinkconf.HAKubernetes && looked && len(data) == 0
	return present && evidence.NeverRan(jm, v.Seen.Pods, nobodyLed, v.Seen.Nodes)
}

// SilentNode is a node of the cluster's pods that does not answer, so that nobody knows whether they ran; empty when
// there is none.
func (v *Cluster) SilentNode() string { return evidence.Silent(v.Seen.Pods, v.Seen.Nodes) }

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
	return v.Owned(jm) && OwnOperation(jm) != "" && jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0 &&
		jm.Status.Replicas == 0
}

// Retired reports whether a Deployment was taken out of service: it asks for no JobManager, and no release that comes
// late matches it.
func Retired(jm *appsv1.Deployment) bool {
	return jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0 && OwnOperation(jm) == ""
}

// MayMakePods reports whether a retired Deployment may still get pods: its controller has not acted on that yet, or
// not said so.
func MayMakePods(jm *appsv1.Deployment) bool {
	return jm.Status.ObservedGeneration < jm.Generation || jm.Status.Replicas > 0
}

// AllPrepared reports whether every wanted companion was seen with the operation of the open intent.
func (v *Cluster) AllPrepared(wanted []Companion) bool {
	seen, ok := v.Seen.Companions.Get()
	if !ok {
		return false
	}
	have := map[Companion]bool{}
	for _, c := range seen {
		have[c] = true
	}
	for _, c := range wanted {
		if !have[c] {
			return false
		}
	}
	return true
}

// IsStandalone reports whether the cluster may be a standalone one, by what was deployed last or by the spec. Only
// the Java operator makes those.
func (v *Cluster) IsStandalone() bool {
	if v.Last != nil && v.Last.Spec.DesiredMode() == v1beta1.ModeStandalone {
		return true
	}
	return v.Spec.DesiredMode() == v1beta1.ModeStandalone
}
