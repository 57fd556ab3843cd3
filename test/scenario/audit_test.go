package scenario

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// The log of changes has a line for each lifecycle state that a resource came to, in their order, and none while
// nothing changes.
func TestTheLogOfChanges(t *testing.T) {
	life := []string{"UPGRADING", "DEPLOYED", "STABLE", "UPGRADING", "DEPLOYED", "STABLE", "DELETING", "DELETED"}
	for name, onSession := range map[string]bool{"an application": false, "a session job": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.onSession = onSession
			core, lines := observer.New(zap.InfoLevel)
			h.audit = zap.New(core).Sugar()
			h.restart()
			h.apply(demo, application(stateful("savepoint")))
			h.untilStable(demo)
			before := lines.Len()
			h.pass(10 * time.Minute)
			if n := lines.Len() - before; n != 0 {
				t.Errorf("%d lines in ten quiet minutes", n)
			}
			h.edit(demo, parallelism(4))
			h.until("it runs with four", func() bool {
				return h.settled(demo, v1beta1.LifecycleStable)() && h.job(demo).Parallelism == 4
			})
			h.remove(demo)
			h.untilGone(demo)
			key, states := namespace+"/"+kindName(h.kindOf(demo))+"/"+demo, []string{}
			for _, line := range lines.All() {
				fields := line.ContextMap()
				if state, is := fields[telemetry.State].(string); is && fields[telemetry.Key] == key {
					states = append(states, state)
				}
			}
			want := life
			if onSession {
				want = append([]string{"CREATED"}, life...) // it waits for its cluster
			}
			if diff := cmp.Diff(want, states); diff != "" {
				t.Errorf("states (-want +got):\n%s", diff)
			}
		})
	}
}
