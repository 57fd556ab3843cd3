package decide

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What a person reads of a start that Flink refuses does not come and go with each try.
func TestARefusedStartIsToldOn(t *testing.T) {
	told := func(kind, reason string, generation int64) func(s *world.Seen) {
		return func(s *world.Seen) {
			s.Resource.Status.Conditions = []metav1.Condition{{Type: kind, Reason: reason, ObservedGeneration: generation}}
		}
	}
	failed := string(plan.ReasonRestoreFailed)
	for name, row := range map[string]struct {
		told  func(s *world.Seen)
		ready bool
		state v1beta1.FlinkJobState // as Flink lists it; empty: not at all
		want  bool
	}{
		"it tries again":              {told(summary.Stalled, failed, 1), false, "", true},
		"it is ready, and has no job": {told(summary.Stalled, failed, 1), true, "", true},
		"its job begins":              {told(summary.Stalled, failed, 1), true, v1beta1.FlinkJobInitializing, true},
		"its job runs":                {told(summary.Stalled, failed, 1), true, v1beta1.FlinkJobRunning, false},
		"something else was told":     {told(summary.Stalled, "StopFailed", 1), false, "", false},
		"another generation's":        {told(summary.Stalled, failed, 7), false, "", false},
		"nothing was told":            {func(*world.Seen) {}, false, "", false},
		"another condition's":         {told(summary.Ready, failed, 1), false, "", false},
	} {
		v := guesttest.NewLife(t, row.told)
		if v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerDeploying; row.ready {
			v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerReady
		}
		if row.state != "" {
			v.Job = &world.Job{ID: "a", State: row.state}
		}
		if got := refusedBefore(v); (got != nil) != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRequirementsOfASpec(t *testing.T) {
	for name, row := range map[string]struct {
		asks    string
		now     plan.Bounds
		want    plan.Bounds
		differs bool
	}{
		"more":                   {"4", plan.Bounds{Lower: 1, Upper: 2}, plan.Bounds{Lower: 1, Upper: 4}, true},
		"less":                   {"2", plan.Bounds{Lower: 1, Upper: 4}, plan.Bounds{Lower: 1, Upper: 2}, true},
		"less than the lower":    {"2", plan.Bounds{Lower: 3, Upper: 4}, plan.Bounds{Lower: 2, Upper: 2}, true},
		"the upper, and a lower": {"2", plan.Bounds{Lower: 3, Upper: 2}, plan.Bounds{Lower: 2, Upper: 2}, true},
		"as it is":               {"2", plan.Bounds{Lower: 1, Upper: 2}, plan.Bounds{Lower: 1, Upper: 2}, false},
		"none":                   {"0", plan.Bounds{Lower: 1, Upper: 2}, plan.Bounds{Lower: 1, Upper: 2}, false},
		"no number":              {"x", plan.Bounds{Lower: 1, Upper: 2}, plan.Bounds{Lower: 1, Upper: 2}, false},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"pipeline.jobvertex-parallelism-overrides":"` + guesttest.Vertex + `:` + row.asks + `"}`,
			)
		})
		got, differs := requirements(
			v,
			map[string]plan.Bounds{guesttest.Vertex: row.now, "other": {Lower: 1, Upper: 9}},
		)
		if got[guesttest.Vertex] != row.want || differs != row.differs ||
			got["other"] != (plan.Bounds{Lower: 1, Upper: 9}) {
			t.Errorf("%s: %v %t, want %v %t", name, got, differs, row.want, row.differs)
		}
	}
}
