package cluster_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A JobManager that is not there has no jobs, and one that is there and does not answer holds its deletion up for the
// clean-up timeout.
func TestHowLongSilenceHoldsASessionCluster(t *testing.T) {
	rows := map[string]struct {
		available int32
		since     time.Duration
		held      bool
	}{
		"it is silent":          {1, 5*time.Minute - time.Second, true},
		"it is silent for long": {1, 5 * time.Minute, false},
		"it is not available":   {0, 0, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := clustertest.Application(func(s *cluster.Snapshot) {
				s.Resource.Spec.Job = nil
				s.Resource.DeletionTimestamp = &metav1.Time{Time: clustertest.Now.Add(-row.since)}
				jm := &appsv1.Deployment{}
				jm.Status.AvailableReplicas = row.available
				s.JobManager, s.Flink.Jobs = plan.Present(jm), plan.Unknown[[]world.Job]("refused")
				s.SessionJobs = plan.Present([]cluster.SessionJob{})
			})
			if got := strings.Join(cluster.SessionBlockers(v), ""); (got != "") != row.held {
				t.Errorf("%q, held: %t", got, row.held)
			}
		})
	}
}
