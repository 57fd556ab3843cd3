package cluster

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// Cluster is one JobManager cluster as one decision sees it.
type Cluster struct {
	// Objects are those that were read.
	Objects *Objects

	of       *v1beta1.FlinkDeployment
	config   func() flinkconf.Config
	operator flinkconf.Operator
	logFiles map[string]string
}

// Settings are what a Cluster follows from, beside its objects.
type Settings struct {
	// Of is the FlinkDeployment that the cluster is for.
	Of *v1beta1.FlinkDeployment
	// Config is the configuration of what runs.
	Config func() flinkconf.Config
	// Operator is the installation's base configuration.
	Operator flinkconf.Operator
	// LogFiles are the log configuration files for clusters whose spec has none, by file name.
	LogFiles map[string]string
}

// New makes a Cluster of the objects that were read.
func New(objects *Objects, s Settings) *Cluster {
	return &Cluster{Objects: objects, of: s.Of, config: s.Config, operator: s.Operator, logFiles: s.LogFiles}
}

// HA is the high-availability data of what runs.
func (c *Cluster) HA() hadata.Data {
	return hadata.Data{
		Store: hadata.StoreOf(c.config()), Namespace: c.of.Namespace, ConfigMaps: c.Objects.HAData,
		Tree: c.Objects.HANodes,
	}
}

// HAToRemove is that or, once the Deployment of a deleted resource without any is gone, what an earlier configuration
// left in Kubernetes. It proves nothing of who runs.
func (c *Cluster) HAToRemove() hadata.Data {
	data := c.HA()
	if data.Store.Mode == flinkconf.HANone && c.of.DeletionTimestamp != nil && c.Objects.JobManager.IsAbsent() {
		data.Store.Mode = flinkconf.HAKubernetes
	}
	return data
}

// Present reports whether the Deployment of the JobManager is there.
func (c *Cluster) Present() bool { return c.Objects.JobManager.IsPresent() }

// CanBeAsked reports whether a JobManager is there to be asked.
func (c *Cluster) CanBeAsked() bool {
	jm, present := c.Objects.JobManager.Get()
	return present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0
}

// AvailableAt is when the JobManager's pod became ready; the zero time when its Deployment does not say so.
func (c *Cluster) AvailableAt() metav1.Time {
	jm, _ := c.Objects.JobManager.Get()
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
func (c *Cluster) ReleasedAt() time.Time {
	if jm, present := c.Objects.JobManager.Get(); present {
		return evidence.ReleasedAt(jm)
	}
	return time.Time{}
}

// NeverRan reports whether a start is there and no container of it ever ran. Any doubt is a no.
func (c *Cluster) NeverRan() bool {
	jm, present := c.Objects.JobManager.Get()
	data, looked := c.Objects.HAData.Get()
	nobodyLed := c.HA().Store.Mode == flinkconf.HAKubernetes && looked && len(data) == 0
	return present && evidence.NeverRan(jm, c.Objects.Pods, nobodyLed, c.Objects.Nodes)
}

// SilentNode is a node of the cluster's pods that does not answer, so that nobody knows whether they ran; empty when
// there is none.
func (c *Cluster) SilentNode() string { return evidence.Silent(c.Objects.Pods, c.Objects.Nodes) }

// Owned reports whether the Deployment was made for this resource: its owner reference carries our UID.
func (c *Cluster) Owned(d *appsv1.Deployment) bool {
	for _, o := range d.OwnerReferences {
		if o.UID == c.of.UID {
			return true
		}
	}
	return false
}

// OwnOperation is the operation that a Deployment was prepared by; empty means none of ours.
func OwnOperation(d *appsv1.Deployment) string { return d.Annotations[v1beta1.AnnotationOperation] }

// PreparedOnly reports whether a start of this resource prepared the Deployment and never released it.
func (c *Cluster) PreparedOnly(jm *appsv1.Deployment) bool {
	return c.Owned(jm) && OwnOperation(jm) != "" && jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0 &&
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
func (c *Cluster) AllPrepared(wanted []Companion) bool {
	seen, ok := c.Objects.Companions.Get()
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
