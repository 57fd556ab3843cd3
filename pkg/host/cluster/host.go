package cluster

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// Standing is how far the JobManager's Deployment is there, and why that is not known.
func (v *Cluster) Standing() (world.Standing, string) {
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Seen.JobManager.IsUnknown():
		return world.StandingUnknown, v.Seen.JobManager.Why()
	case !present:
		return world.Gone, ""
	case jm.DeletionTimestamp != nil:
		return world.Going, ""
	case evidence.Replicas(jm) == 0:
		return world.Standby, ""
	}
	return world.There, ""
}

// Incarnation is the UID of the JobManager's Deployment; empty when there is none.
func (v *Cluster) Incarnation() types.UID {
	if jm, present := v.Seen.JobManager.Get(); present {
		return jm.UID
	}
	return ""
}

// Present reports whether the Deployment of the JobManager is there.
func (v *Cluster) Present() bool { return v.Seen.JobManager.IsPresent() }

// ReleasedAt is when the Deployment got its replicas; the zero time when it does not say so.
func (v *Cluster) ReleasedAt() time.Time {
	if jm, present := v.Seen.JobManager.Get(); present {
		return evidence.ReleasedAt(jm)
	}
	return time.Time{}
}

// NeverRan reports whether a start is there and no container of it ever ran. Any doubt is a no. That no JobManager has
// led yet says so, too: one that leads before it ends leaves data that its successor goes on from. Another Flink
// cannot, so that then a JobManager that may have begun counts.
func (v *Cluster) NeverRan() bool {
	start := v.Start()
	if v.Look.Spec.FlinkVersion != v.Look.Running().FlinkVersion && start.MayHaveBegun() {
		start.NeverLed = false
	}
	return v.Seen.JobManager.IsPresent() && start.NeverRan()
}

// SilentNode is a node of the cluster's pods that does not answer, so that nobody knows whether they ran; empty when
// there is none.
func (v *Cluster) SilentNode() string { return v.Start().Silent() }

// Start is what was seen of the newest start. A JobManager whose job graph only Flink can look at leaves nothing behind
// that tells, once it is gone, that it ran: a container of it that is being created may run for long. One that the
// kubelet says why it does not start is no such container.
func (v *Cluster) Start() evidence.Start {
	jm, _ := v.Seen.JobManager.Get()
	data, looked := v.Seen.HAData.Get()
	store, lag := v.HA().Store, evidence.StatusLag
	if store.Unreadable() && v.Failure == nil {
		lag = evidence.LongStatusLag
	}
	return evidence.Start{
		JobManager: jm, Pods: v.Seen.Pods, Nodes: v.Seen.Nodes, Lag: lag, Now: v.Look.Now().Time,
		NeverLed: store.Mode == flinkconf.HAKubernetes && looked && len(data) == 0,
	}
}

// What names what Standing looks at.
func (v *Cluster) What() string { return "the JobManager Deployment" }

// Trim leaves a FlinkDeployment's status as it is.
func (v *Cluster) Trim(*v1beta1.FlinkDeploymentStatus) {}

// Finalizer is the one that holds the resource while its cluster may run.
func (v *Cluster) Finalizer() string { return v1beta1.FinalizerFlinkDeployment }

// Unsettled says why the pods of the JobManager are not known.
func (v *Cluster) Unsettled() (why string, unknown bool) {
	return v.Seen.Pods.Why(), v.Seen.Pods.IsUnknown()
}

// PodFailure is why the JobManager does not start; nil when nothing says so.
func (v *Cluster) PodFailure() *plan.Cause {
	if v.Failure == nil {
		return nil
	}
	return &plan.Cause{Reason: v.Failure.Reason, Message: v.Failure.Message}
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

// CanBeAsked reports whether a JobManager is there to be asked.
func (v *Cluster) CanBeAsked() bool {
	jm, present := v.Seen.JobManager.Get()
	return present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0
}

// BringsBack is true: a JobManager of an application submits its job itself.
func (v *Cluster) BringsBack() bool { return true }

// Endpoint is where the running cluster's JobManager answers: Service <id>-rest, with the port and scheme it was
// deployed with.
func (v *Cluster) Endpoint() plan.Endpoint {
	r := v.Seen.Resource
	scheme := "http"
	if options.Read(v.Look.Config().Bool, key.RestSSLEnabled, false) {
		scheme = "https"
	}
	return plan.Endpoint{
		URL: fmt.Sprintf(
			"%s://%s-rest.%s.svc:%d",
			scheme,
			r.Name,
			r.Namespace,
			options.Read(v.Look.Config().Int, key.RestPort, 8081),
		),
		Timeout: min(mostTimeout, options.Read(v.Look.Config().Duration, key.FlinkClientTimeout, mostTimeout)),
	}
}

// mostTimeout bounds one call to Flink, whatever kubernetes.operator.flink.client.timeout says: a pass has 20 s.
const mostTimeout = 10 * time.Second
