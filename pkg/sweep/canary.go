package sweep

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// lookAtCanary looks whether the newest change of a canary has woken a pass, tells if it has not, and asks for the next
// change when it is due; see plan.CanarySeen. Nobody else is asked for it: a tick at the fast pace does not see it.
func (o *Observer) lookAtCanary(ctx context.Context, kind string, r metav1.Object, answered int64) error {
	asked, _ := time.Parse(time.RFC3339, r.GetAnnotations()[v1beta1.AnnotationCanaryAsked])
	seen := plan.CanarySeen{Generation: r.GetGeneration(), Answered: answered, Asked: asked}
	now, timeout := o.Gather.Now(), o.Gather.Operator.CanaryTimeout()
	unanswered := seen.Unanswered(now)
	if unanswered < timeout {
		unanswered = 0 // there is time left
	}
	o.Metrics.Set(
		metrics.CanaryUnanswered, now, unanswered.Seconds(), metrics.Kind(kind), metrics.Namespace(r.GetNamespace()),
		metrics.Name(r.GetName()),
	)
	if unanswered > 0 {
		telemetry.Traced(ctx, o.Log).Errorw(
			"no function has answered the change of a canary: the ApiServerSource, the Broker or the Trigger of "+
				"reconcile may be dead",
			telemetry.Key, event.Key{Kind: kind, Namespace: r.GetNamespace(), Name: r.GetName()}.String(),
			telemetry.DurationMS, unanswered.Milliseconds(),
		)
	}
	if !seen.Due(now, timeout) {
		return nil
	}
	return o.request(ctx, kind, r, event.ReasonHealth, "")
}
