package apply

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// effect carries one action out, and counts it; and a decision of the autoscaler where that stored one.
func (c *Executor) effect(ctx context.Context, r *round, action plan.Action) error {
	err := c.do(ctx, r, action)
	if c.Metrics != nil {
		c.Metrics.Count(
			ctx, metrics.Effects, 1, metrics.Kind(r.resource.GetKind()),
			metrics.Action(strings.TrimPrefix(fmt.Sprintf("%T", action), "plan.")),
			metrics.ErrorType(string(fail.KindOf(err))),
		)
		if kept, is := action.(plan.KeepAutoscaled); is && err == nil && !kept.At.IsZero() {
			c.Metrics.Count(
				ctx, metrics.Cycles, 1, metrics.Kind(r.resource.GetKind()), metrics.Namespace(kept.Namespace),
				metrics.Name(r.resource.GetName()), metrics.Decided(metrics.Scaled),
			)
		}
	}
	return err
}

// changed counts what a written status says of a change of the lifecycle state, how long the one before was, and of the
// end of a time in which the resource was not ready. It counts the gap of a handover, too. Whoever loses the race for
// that write counts nothing.
func (c *Executor) changed(ctx context.Context, before, after *unstructured.Unstructured) {
	if c.Metrics == nil {
		return
	}
	of := func(more ...metrics.Attribute) []metrics.Attribute {
		return append(more, metrics.Kind(after.GetKind()), metrics.Namespace(after.GetNamespace()))
	}
	old, now := lifecycle(before), lifecycle(after)
	if old != now {
		to := of(metrics.From(old), metrics.State(now))
		c.Metrics.Count(ctx, metrics.Transitions, 1, to...)
		if since, at := lifecycleSince(before), lifecycleSince(after); !since.IsZero() && !at.IsZero() {
			c.Metrics.Time(ctx, metrics.StateDuration, max(0, at.Sub(since)), to...)
		}
	}
	if gap, known := handoverGap(after); known {
		if _, before := handoverGap(before); !before {
			c.Metrics.Time(ctx, metrics.HandoverGap, gap, of()...)
		}
	}
	was, since := readiness(before)
	if is, at := readiness(after); is && !was && !since.IsZero() {
		c.Metrics.Time(ctx, metrics.UnreadyDuration, max(0, at.Sub(since)), of(metrics.State(now))...)
	}
}

// handoverGap is how long no job ran in the handover under way; false while that is not known.
func handoverGap(u *unstructured.Unstructured) (time.Duration, bool) {
	at := func(field string) (time.Time, error) {
		text, _, _ := unstructured.NestedString(u.Object, "status", "transition", "handover", field)
		return time.Parse(time.RFC3339Nano, text)
	}
	stopped, noStop := at("stoppedAt")
	running, noRun := at("runningAt")
	return max(0, running.Sub(stopped)), noStop == nil && noRun == nil
}

// stateFields are where a status has the state of a resource, and since when.
func stateFields(u *unstructured.Unstructured) (state, since string) {
	if u.GetKind() == v1beta1.KindFlinkBlueGreenDeployment {
		return "blueGreenState", "lastReconciledTimestamp"
	}
	return "lifecycleState", "lifecycleSince"
}

func lifecycle(u *unstructured.Unstructured) string {
	field, _ := stateFields(u)
	state, _, _ := unstructured.NestedString(u.Object, "status", field)
	return state
}

// lifecycleSince is since when a resource is in its lifecycle state; zero means not known.
func lifecycleSince(u *unstructured.Unstructured) time.Time {
	_, field := stateFields(u)
	text, _, _ := unstructured.NestedString(u.Object, "status", field)
	since, _ := time.Parse(time.RFC3339, text) // zero when it is none
	return since
}

// readiness is whether a resource is ready, and since when it is or is not; zero means not known.
func readiness(u *unstructured.Unstructured) (is bool, since time.Time) {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		if condition["type"] == summary.Ready {
			text, _ := condition["lastTransitionTime"].(string)
			since, _ = time.Parse(time.RFC3339, text) // zero when it is none
			return condition["status"] == string(metav1.ConditionTrue), since
		}
	}
	return false, u.GetCreationTimestamp().Time
}
