package sweep

import (
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// facts are what a look tells of one resource. The series has the resource's name and no pod's, so it does not matter
// who looks.
type facts struct {
	kind       string
	resource   metav1.Object
	now        time.Time
	info       map[string]string
	conditions []metav1.Condition
	// checkpointed is when the newest checkpoint was taken; zero means not known.
	checkpointed time.Time
}

// factsOf are those of a FlinkDeployment.
func factsOf(r *v1beta1.FlinkDeployment, now, checkpointed time.Time) facts {
	return facts{v1beta1.KindFlinkDeployment, r, now, r.Status.ClusterInfo, r.Status.Conditions, checkpointed}
}

// tell tells them.
func (o *Observer) tell(f facts) {
	if o.Metrics == nil {
		return
	}
	set := func(gauge metrics.Gauge, value float64, more ...metrics.Attribute) {
		o.Metrics.Set(gauge, f.now, value, append(
			more, metrics.Kind(f.kind), metrics.Namespace(f.resource.GetNamespace()), metrics.Name(f.resource.GetName()),
		)...)
	}
	for gauge, key := range map[metrics.Gauge]string{
		metrics.CPU: deployment.InfoCPU, metrics.Memory: deployment.InfoMemory, metrics.StateSize: deployment.InfoStateSize,
	} {
		if value, err := strconv.ParseFloat(f.info[key], 64); err == nil && value >= 0 {
			set(gauge, value)
		}
	}
	for _, c := range f.conditions {
		if c.Type == summary.Stalled && c.Status == metav1.ConditionTrue {
			set(metrics.Waiting, max(0, f.now.Sub(c.LastTransitionTime.Time).Seconds()), metrics.Reason(c.Reason))
		}
	}
	if !f.checkpointed.IsZero() {
		set(metrics.CheckpointAge, max(0, f.now.Sub(f.checkpointed).Seconds()))
	}
}
