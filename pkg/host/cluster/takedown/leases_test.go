package takedown

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

func TestALeaseRunsOutByOurOwnClock(t *testing.T) {
	const behind, ahead, later = "2026-11-21T11:58:40Z", "2026-11-21T12:10:00Z", "2026-11-21T12:10:05Z"
	two := func(first, second string) plan.Observed[[]hadata.ConfigMap] {
		a, _ := leader(first).Get()
		b, _ := leader(second).Get()
		b[0].Name = "demo-2-config-map"
		return plan.Present(append(a, b...))
	}
	long := led(plan.Present(hadata.Lease{Holder: "a", Renewed: behind, Lasts: 5 * time.Minute}))
	next := led(plan.Present(hadata.Lease{Holder: "b", Renewed: behind, Lasts: 15 * time.Second}))
	rows := map[string]struct {
		before plan.Observed[[]hadata.ConfigMap]
		ago    time.Duration
		data   plan.Observed[[]hadata.ConfigMap]
		out    bool
		noted  time.Duration // how long ago the leases were first seen so by what is stored then; -1: nothing is
		reason string
	}{
		"looked at first": {data: leader(behind), reason: "an old time may be of a clock that is behind"},
		"did not change for 75 s": {
			leader(behind), 75 * time.Second, leader(behind), false, 75 * time.Second, "its last second",
		},
		"did not change for 76 s": {
			leader(behind), 76 * time.Second, leader(behind), true, 76 * time.Second, "it ran out",
		},
		"the same, by a clock that is ahead": {
			leader(ahead), 76 * time.Second, leader(ahead), true, 76 * time.Second, "by our clock",
		},
		"renewed between": {
			leader(ahead), 76 * time.Second, leader(later), false, 0, "the holder lives",
		},
		"renewed, and it is early": {
			leader(ahead), 10 * time.Second, leader(later), false, 10 * time.Second, "no write for each",
		},
		"another holder": {
			leader(behind), 76 * time.Second, next, false, 0, "that one leads",
		},
		"it lasts for longer": {
			long, 2 * time.Minute, long, false, 2 * time.Minute, "5 min were agreed on",
		},
		"it lasted for longer": {
			long, 6*time.Minute + time.Second, long, true, 6*time.Minute + time.Second, "they are over",
		},
		"one of two is renewed": {
			two(behind, ahead), 76 * time.Second, two(behind, later), false, 0, "it may lead",
		},
		"neither of two is": {
			two(behind, ahead), 76 * time.Second, two(behind, ahead), true, 76 * time.Second, "both ran out",
		},
		"given back since": {
			leader(behind), time.Second, led(plan.Absent[hadata.Lease]()), true, -1, "its holder ended",
		},
		"the data cannot be read at one look": {
			leader(behind), 76 * time.Second, plan.Unknown[[]hadata.ConfigMap]("x"), false, 76 * time.Second,
			"it counts once it can",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			r := deletedFor(10 * time.Minute)
			r.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"high-availability.type":"kubernetes"}`)
			if row.before.IsPresent() {
				r.Status.Leases = seen(row.before, row.ago)
			}
			v := cluster.New(cluster.Snapshot{
				Seen: world.Seen{Now: clustertest.Now, Operator: flinkconf.NewOperator(nil), Resource: r},
				Objects: cluster.Objects{
					HAData: row.data, Pods: plan.Present([]corev1.Pod{clustertest.Pod("a", "n")}),
					Nodes: map[string]plan.Observed[bool]{"n": plan.Present(false)},
				},
			})
			watchLeases(v)
			if why := fenced(v); (why == "") != row.out {
				t.Errorf("run out is %t, because %q: %s", why == "", why, row.reason)
			}
			switch noted := v.Look.Want.Leases; {
			case row.noted < 0:
				if noted != nil {
					t.Errorf("noted %+v", noted)
				}
			case noted == nil || clustertest.Now.Sub(noted.Since.Time) != row.noted:
				t.Errorf("noted %+v, want one of %s ago: %s", noted, row.noted, row.reason)
			}
		})
	}
}

// deletedFor is a resource that was deleted so long ago.
func deletedFor(d time.Duration) *v1beta1.FlinkDeployment {
	since := metav1.NewTime(clustertest.Now.Add(-d))
	return &v1beta1.FlinkDeployment{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &since}}
}

// A lease is noted neither before it is asked for, since the decision would depend on what else was read, nor while the
// node of its holder answers.
func TestLeasesThatAreNotNoted(t *testing.T) {
	for name, row := range map[string]struct {
		deletedFor time.Duration
		answers    bool
	}{
		"the deletion has just begun": {time.Minute, false},
		"the node answers":            {10 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := deletedFor(row.deletedFor)
			r.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"high-availability.type":"kubernetes"}`)
			v := cluster.New(cluster.Snapshot{
				Seen: world.Seen{Now: clustertest.Now, Operator: flinkconf.NewOperator(nil), Resource: r},
				Objects: cluster.Objects{
					HAData: leader("once"), Pods: plan.Present([]corev1.Pod{clustertest.Pod("a", "n")}),
					Nodes: map[string]plan.Observed[bool]{"n": plan.Present(row.answers)},
				},
			})
			if watchLeases(v); v.Look.Want.Leases != nil {
				t.Errorf("noted %+v", v.Look.Want.Leases)
			}
		})
	}
}
