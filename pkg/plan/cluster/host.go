package cluster

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// Standing is how far the JobManager's Deployment is there, and why that is not known.
func (v *Round) Standing() (job.Standing, string) {
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Seen.JobManager.IsUnknown():
		return job.StandingUnknown, v.Seen.JobManager.Why()
	case !present:
		return job.Gone, ""
	case jm.DeletionTimestamp != nil:
		return job.Going, ""
	case evidence.Replicas(jm) == 0:
		return job.Standby, ""
	}
	return job.There, ""
}

// Incarnation is the UID of the JobManager's Deployment; empty when there is none.
func (v *Round) Incarnation() types.UID {
	if jm, present := v.Seen.JobManager.Get(); present {
		return jm.UID
	}
	return ""
}

// Present reports whether the Deployment of the JobManager is there.
func (v *Round) Present() bool { return v.Seen.JobManager.IsPresent() }

// ReleasedAt is when the Deployment got its replicas; the zero time when it does not say so.
func (v *Round) ReleasedAt() time.Time {
	if jm, present := v.Seen.JobManager.Get(); present {
		return evidence.ReleasedAt(jm)
	}
	return time.Time{}
}

// NeverRan reports whether a start is there and no container of it ever ran. Any doubt is a no. That no JobManager has
// led yet says so, too: one that leads before it ends leaves data that its successor goes on from. Another Flink
// cannot, so that then a JobManager that may have begun counts.
func (v *Round) NeverRan() bool {
	start := v.start()
	if v.Spec.FlinkVersion != v.Running().FlinkVersion && start.MayHaveBegun() {
		start.NeverLed = false
	}
	return v.Seen.JobManager.IsPresent() && start.NeverRan()
}

// SilentNode is a node of the cluster's pods that does not answer, so that nobody knows whether they ran; empty when
// there is none.
func (v *Round) SilentNode() string { return v.start().Silent() }

// start is what was seen of the newest start. A JobManager whose job graph only Flink can look at leaves nothing behind
// that tells, once it is gone, that it ran: a container of it that is being created may run for long. One that the
// kubelet says why it does not start is no such container.
func (v *Round) start() evidence.Start {
	jm, _ := v.Seen.JobManager.Get()
	data, looked := v.Seen.HAData.Get()
	store, lag := v.HA().Store, evidence.StatusLag
	if store.Unreadable() && v.Failure == nil {
		lag = evidence.LongStatusLag
	}
	return evidence.Start{
		JobManager: jm, Pods: v.Seen.Pods, Nodes: v.Seen.Nodes, Lag: lag, Now: v.Now().Time,
		NeverLed: store.Mode == flinkconf.HAKubernetes && looked && len(data) == 0,
	}
}

// What names what Standing looks at.
func (v *Round) What() string { return "the JobManager Deployment" }

// Trim leaves a FlinkDeployment's status as it is.
func (v *Round) Trim(*v1beta1.FlinkDeploymentStatus) {}

// Finalizer is the one that holds the resource while its cluster may run.
func (v *Round) Finalizer() string { return v1beta1.FinalizerFlinkDeployment }

// Unsettled says why the pods of the JobManager are not known.
func (v *Round) Unsettled() (why string, unknown bool) {
	return v.Seen.Pods.Why(), v.Seen.Pods.IsUnknown()
}

// PodFailure is why the JobManager does not start; nil when nothing says so.
func (v *Round) PodFailure() *plan.Cause {
	if v.Failure == nil {
		return nil
	}
	return &plan.Cause{Reason: v.Failure.Reason, Message: v.Failure.Message}
}

// HA is the high-availability data of what runs.
func (v *Round) HA() hadata.Data {
	return hadata.Data{
		Store: hadata.StoreOf(v.Config()), Namespace: v.Seen.Resource.Namespace, ConfigMaps: v.Seen.HAData,
		Tree: v.Seen.HANodes,
	}
}

// HAToRemove is that or, once the Deployment of a deleted resource without any is gone, what an earlier configuration
// left in Kubernetes. It proves nothing of who runs.
func (v *Round) HAToRemove() hadata.Data {
	data := v.HA()
	if data.Store.Mode == flinkconf.HANone && v.Seen.Resource.DeletionTimestamp != nil && v.Seen.JobManager.IsAbsent() {
		data.Store.Mode = flinkconf.HAKubernetes
	}
	return data
}

// CanBeAsked reports whether a JobManager is there to be asked.
func (v *Round) CanBeAsked() bool {
	jm, present := v.Seen.JobManager.Get()
	return present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0
}

// AvailableAt is when the JobManager's pod became ready; the zero time when its Deployment does not say so.
func (v *Round) AvailableAt() metav1.Time {
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

// BringsBack is true: a JobManager of an application submits its job itself.
func (v *Round) BringsBack() bool { return true }

// Endpoint is where the running cluster's JobManager answers: Service <id>-rest, with the port and scheme it was
// deployed with.
func (v *Round) Endpoint() plan.Endpoint {
	r := v.Seen.Resource
	scheme := "http"
	if options.Read(v.Config().Bool, key.RestSSLEnabled, false) {
		scheme = "https"
	}
	return plan.Endpoint{
		URL: fmt.Sprintf(
			"%s://%s-rest.%s.svc:%d", scheme, r.Name, r.Namespace, options.Read(v.Config().Int, key.RestPort, 8081),
		),
		Timeout: min(mostTimeout, options.Read(v.Config().Duration, key.FlinkClientTimeout, mostTimeout)),
	}
}

// mostTimeout bounds one call to Flink, whatever kubernetes.operator.flink.client.timeout says: a pass has 20 s.
const mostTimeout = 10 * time.Second
