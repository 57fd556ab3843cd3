package cluster_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// An upgrade of another operator that came to nothing is over when what it recorded runs, and the spec asks for no
// more. Any doubt leaves it to the rules, which go on from the record.
func TestAnUpgradeThatCameToNothingIsOver(t *testing.T) {
	const over, goesOn = v1beta1.ReconciliationDeployed, v1beta1.ReconciliationUpgrading
	type recorded int
	const (
		running recorded = iota
		suspended
		session
	)
	lists := func(state v1beta1.FlinkJobState) plan.Observed[[]world.Job] {
		return plan.Present([]world.Job{{ID: clustertest.JobX, State: state}})
	}
	silent := plan.Unknown[[]world.Job]("refused")
	rows := map[string]struct {
		recorded recorded
		jobs     plan.Observed[[]world.Job]
		image    string // of the spec; the recorded one is "a"
		want     v1beta1.ReconciliationState
	}{
		"its job runs":                    {running, lists(v1beta1.FlinkJobRunning), "a", over},
		"its job runs, another spec":      {running, lists(v1beta1.FlinkJobRunning), "b", goesOn},
		"its job is being cancelled":      {running, lists(v1beta1.FlinkJobCancelling), "a", goesOn},
		"its job has ended":               {running, lists(v1beta1.FlinkJobFinished), "a", goesOn},
		"its job is not listed":           {running, plan.Present([]world.Job{}), "a", goesOn},
		"Flink does not answer":           {running, silent, "a", goesOn},
		"it is to be suspended, and runs": {suspended, lists(v1beta1.FlinkJobRunning), "a", goesOn},
		"a session":                       {session, plan.Present([]world.Job{}), "a", over},
		"a session, another spec":         {session, plan.Present([]world.Job{}), "b", goesOn},
		"a session that is not reached":   {session, silent, "a", goesOn},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := clustertest.Application(func(s *cluster.Snapshot) {
				r := s.Resource
				r.Spec.Image = "a"
				switch r.Spec.Job.State = v1beta1.JobStateRunning; row.recorded {
				case suspended:
					r.Spec.Job.State = v1beta1.JobStateSuspended
				case session:
					r.Spec.Job = nil
				}
				text, err := v1beta1.ReconciledDeployment{Spec: r.Spec}.Text()
				if err != nil {
					t.Fatal(err)
				}
				r.Spec.Image = row.image
				r.Status.ReconciliationStatus.LastReconciledSpec = text
				r.Status.ReconciliationStatus.State = goesOn
				r.Status.JobManagerDeploymentStatus, r.Status.JobStatus.JobID = v1beta1.JobManagerReady, clustertest.JobX
				s.JobManager, s.Flink.Jobs = plan.Present(&appsv1.Deployment{}), row.jobs
			})
			if cluster.TakeOver(v); v.Look.Want.ReconciliationStatus.State != row.want {
				t.Errorf("%s, want %s", v.Look.Want.ReconciliationStatus.State, row.want)
			}
		})
	}
}
