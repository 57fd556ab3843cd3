package tell_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// An option without effect is told once for each generation of a session job, also of one that is refused. Those of its
// cluster are told there.
func TestOptionsWithoutEffectAreToldOnceOfASessionJob(t *testing.T) {
	const both = `{"kubernetes.operator.retry.initial.interval":"1 s","kubernetes.operator.retry.max.attempts":"3"}`
	rows := map[string]struct {
		options string
		edit    func(*v1beta1.FlinkSessionJobSpec)
		told    int
	}{
		"it runs":       {both, nil, 1},
		"it is refused": {both, func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 0 }, 1},
		"none is set":   {`{"pipeline.max-parallelism":"128"}`, nil, 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster("kubernetes.operator.leader-election.enabled", "true"))
			w.Edit(enginetest.HostedOptions(row.options))
			if row.edit != nil {
				w.Edit(row.edit)
			}
			for range 3 {
				w.Run()
			}
			told := w.Told(plan.ReasonOptionWithoutEffect)
			if len(told) != row.told {
				t.Fatalf("told %q, want %d; %q", told, row.told, w.Log)
			}
			for _, message := range told {
				if !strings.Contains(message, "kubernetes.operator.retry.initial.interval has no effect: ") ||
					!strings.Contains(message, "; option kubernetes.operator.retry.max.attempts has") ||
					strings.Contains(message, "leader-election") {
					t.Errorf("told %q", message)
				}
			}
			for _, e := range w.Events {
				if e.Reason == plan.ReasonOptionWithoutEffect && !e.Once {
					t.Errorf("a second pass would tell it again: %+v", e)
				}
			}
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 6 })
			for range 3 {
				w.Run()
			}
			if told := w.Told(plan.ReasonOptionWithoutEffect); len(told) != 2*row.told {
				t.Errorf("told %q after two generations", told)
			}
		})
	}
}
