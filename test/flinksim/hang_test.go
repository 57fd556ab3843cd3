package flinksim

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// A JobManager that hangs takes connections and answers nobody, and the next process in its pod answers again.
func TestAJobManagerThatHangsAnswersNobody(t *testing.T) {
	w := running(t, application(nil))
	c, ctx := client(t, w), t.Context()
	must(c.Jobs(ctx))(t)
	w.Flink.Hang("flink", "demo")
	if _, err := c.Jobs(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it answers: %v", err)
	}
	if known, ready := w.Flink.Reach(Host("flink", "demo")); !known || !ready {
		t.Errorf("known %t, ready %t: its pod is not ready any more", known, ready)
	}
	for _, pod := range w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": "jobmanager"}) {
		w.Nodes.Crash("flink", pod.GetName(), "liveness")
	}
	for range 60 {
		w.Tick(2 * time.Second)
	}
	must(c.Jobs(ctx))(t)
}

// The clock of one node is that of its JobManager alone.
func TestTheClockOfOneNode(t *testing.T) {
	for node, want := range map[string]time.Duration{"node-1": -80 * time.Second, "node-2": 0} {
		w := NewWorld(t)
		w.Flink.SkewNode(node, -80*time.Second)
		deploy(t, w, application(nil))
		w.Settle()
		starts := w.Flink.Starts("flink", "demo")
		if len(starts) != 1 || starts[0].Ahead != want || starts[0].Began().Sub(starts[0].At) != -want {
			t.Errorf("%s: %+v, want a clock %s ahead", node, starts, want)
		}
	}
}
