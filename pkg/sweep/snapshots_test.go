package sweep

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// put stores a FlinkStateSnapshot in a state; new when it is empty.
func put(t *testing.T, server *kubesim.Server, name string, state v1beta1.SnapshotState, pace string) {
	t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkStateSnapshot,
		"metadata": map[string]any{"namespace": "flink", "name": name},
		"spec": map[string]any{
			"savepoint": map[string]any{}, "jobReference": map[string]any{"kind": "FlinkDeployment", "name": "gone"},
		},
	}}
	if state != "" {
		u.SetLabels(map[string]string{v1beta1.LabelSnapshotState: string(state)})
	}
	if _, err := server.Create(v1beta1.FlinkStateSnapshotGVR, u); err != nil {
		t.Fatal(err)
	}
	if state == "" {
		return
	}
	if _, err := server.UpdateStatus(
		v1beta1.FlinkStateSnapshotGVR, "flink", name,
		map[string]any{"state": string(state), "pace": pace, "failures": int64(0)},
	); err != nil {
		t.Fatal(err)
	}
}

// hold marks a snapshot for deletion, which its finalizer holds up.
func hold(t *testing.T, server *kubesim.Server, name string) {
	t.Helper()
	_, err := server.Update(v1beta1.FlinkStateSnapshotGVR, "flink", name, func(u *unstructured.Unstructured) {
		u.SetFinalizers([]string{v1beta1.FinalizerFlinkStateSnapshot})
	})
	if err == nil {
		err = server.Delete(v1beta1.FlinkStateSnapshotGVR, "flink", name, kubesim.DeleteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnfinishedSnapshotsAreSwept(t *testing.T) {
	snapshotKind, _ := kindOf(v1beta1.KindFlinkStateSnapshot)
	tap, clock := wire.New(), kubesim.NewClock()
	server := kubesim.New(t, clock, tap)
	put(t, server, "new", "", "")
	put(t, server, "flying", v1beta1.SnapshotInProgress, "fast")
	put(t, server, "waiting", v1beta1.SnapshotTriggerPending, "slow")
	put(t, server, "done", v1beta1.SnapshotCompleted, "slow")
	put(t, server, "lost", v1beta1.SnapshotAbandoned, "slow")
	connect, err := gather.NewConnect(gather.Way{}) // nobody is asked: there is no such job
	if err != nil {
		t.Fatal(err)
	}
	posted := &mailbox{}
	o := &Observer{
		Gather: &gather.Gatherer{
			Kube: kube.New(server.Dynamic("observe")), Operator: flinkconf.NewOperator(nil), Brief: true, Now: clock.Now,
			Flink: connect,
		},
		Clock: clockOf(server), Kube: kube.New(server.Dynamic("observe")),
		Control: posted, Watches: func(string) bool { return true }, Log: zap.NewNop().Sugar(),
	}
	if err := o.fast(t.Context(), snapshotKind, &fleet{}); err != nil {
		t.Fatal(err)
	}
	if asked := posted.subjects(); !slices.Equal(asked, []string{"flink/FlinkStateSnapshot/flying"}) {
		t.Errorf("a fast tick asked for %q", asked)
	}
	clock.Advance(2 * leastPatience)
	all := fleet{complete: true}
	if err := o.sweep(t.Context(), snapshotKind, &all); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	asked := posted.subjects()
	for _, s := range asked {
		seen[s] = true
	}
	if len(seen) != 3 || len(asked) != 3 || !all.moving || !all.complete {
		t.Errorf(
			"a sweep asked for %q, moving %t, complete %t; want the new, the flying and the waiting one", asked, all.moving,
			all.complete,
		)
	}
	clock.Advance(10*time.Minute - time.Duration(clock.Now().Minute()%10)*time.Minute)
	sweep := func() []string {
		if err := o.sweep(t.Context(), snapshotKind, &fleet{}); err != nil {
			t.Fatal(err)
		}
		return posted.subjects()
	}
	hold(t, server, "done")
	put(t, server, "changed", v1beta1.SnapshotCompleted, "slow")
	if _, err := server.UpdateStatus(
		v1beta1.FlinkStateSnapshotGVR, "flink", "changed",
		map[string]any{"state": "COMPLETED", "pace": "slow", "failures": int64(0), "observedGeneration": int64(3)},
	); err != nil {
		t.Fatal(err)
	}
	if asked := sweep(); !slices.Contains(asked, "flink/FlinkStateSnapshot/done") ||
		!slices.Contains(asked, "flink/FlinkStateSnapshot/changed") ||
		slices.Contains(asked, "flink/FlinkStateSnapshot/lost") {
		t.Errorf("a sweep in a tenth minute asked for %q, not for the one that is to go and the changed one", asked)
	}
	clock.Advance(time.Minute)
	if asked := sweep(); slices.Contains(asked, "flink/FlinkStateSnapshot/done") {
		t.Errorf("a sweep in another minute asked for %q: the finished ones are too many", asked)
	}
	lists := tap.Count(wire.On("list", v1beta1.FlinkStateSnapshotGVR.Resource))
	clock.Advance(time.Minute)
	o.Watches = func(string) bool { return false }
	all = fleet{complete: true}
	if err := o.sweep(t.Context(), snapshotKind, &all); err != nil || all.moving {
		t.Errorf("another installation's: moving %t, %v", all.moving, err)
	}
	if asked := posted.subjects(); len(asked) != 0 {
		t.Errorf("another installation's were asked for: %q", asked)
	}
	if n := tap.Count(wire.On("list", v1beta1.FlinkStateSnapshotGVR.Resource)) - lists; n != 2 {
		t.Errorf("a sweep made %d lists, want 2", n)
	}
	tap.Inject(wire.Fault{Match: wire.On("list", v1beta1.FlinkStateSnapshotGVR.Resource), Status: 500})
	if err := o.sweep(t.Context(), snapshotKind, &all); err == nil || all.complete {
		t.Errorf("a sweep that saw nothing must not set the clock: %v, complete %t", err, all.complete)
	}
}

// clockOf is a clock that nobody reads.
func clockOf(server *kubesim.Server) *clock.Clock {
	return clock.New(kube.New(server.Dynamic("observe")), "flink-system", "flink-clock", server.Clock.Now)
}
