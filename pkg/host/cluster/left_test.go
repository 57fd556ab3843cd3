package cluster_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A stop wakes up when a node comes back that has a pod of the cluster: one that was asked, and said no or is gone.
func TestWhichNodeIsSilent(t *testing.T) {
	rows := map[string]struct {
		nodes map[string]plan.Observed[bool]
		want  string
	}{
		"nobody asked":       {nil, ""},
		"nobody could ask":   {map[string]plan.Observed[bool]{"n": plan.Unknown[bool]("forbidden")}, ""},
		"it answers":         {map[string]plan.Observed[bool]{"n": plan.Present(true)}, ""},
		"it does not answer": {map[string]plan.Observed[bool]{"n": plan.Present(false)}, "n"},
		"it is gone":         {map[string]plan.Observed[bool]{"n": plan.Absent[bool]()}, "n"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := clustertest.Application(func(s *cluster.Snapshot) {
				s.Pods, s.Nodes = plan.Present([]corev1.Pod{clustertest.Pod("a", "n")}), row.nodes
			})
			if got := cluster.SilentNode(v); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
