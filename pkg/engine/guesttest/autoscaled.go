package guesttest

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// Options of a spec.
const (
	// TurnedOn is an option of a spec.
	TurnedOn = `"job.autoscaler.enabled":"true"`
	// TurnedOff is an option of a spec.
	TurnedOff = `"job.autoscaler.enabled":"false"`
	// Resized is an option of a spec that an autoscaler has set.
	Resized = `"pipeline.jobvertex-parallelism-overrides":"` + Vertex + `:8"`
)

// Optioned sets the options of the spec, and of what was deployed, between the braces.
func Optioned(t *testing.T, s *world.Seen, spec, recorded string) {
	t.Helper()
	s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration("{" + recorded + "}")
	Deployed(t, s)
	s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration("{" + spec + "}")
}

// Autoscales is a job that runs by itself with the autoscaler on, of which nothing is kept yet.
func Autoscales(t *testing.T, s *world.Seen) {
	t.Helper()
	Optioned(t, s, TurnedOn, TurnedOn)
	s.Autoscaled = plan.Absent[autoscaled.Store]()
	s.Flink.Jobs = plan.Present([]world.Job{{ID: "a", State: v1beta1.FlinkJobRunning, Tasks: 2, Running: 2}})
}
