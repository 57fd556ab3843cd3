package sessionjob

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// The name of the cluster was changed past the API server and admission: the job stays where it runs, is seen there,
// and is ended there.
func TestAJobStaysOnTheClusterThatItRunsOn(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.DeploymentName, s.Job.Parallelism = "other", 4 })
	if name := session.ClusterOf(w.s.Resource); name != "session" {
		t.Fatalf("%s is looked at", name)
	}
	for range 5 {
		w.run()
		w.sleep(time.Minute)
	}
	s := w.status()
	if len(w.runs) != 1 || len(w.running()) != 1 || s.LifecycleState != v1beta1.LifecycleStable ||
		!strings.Contains(s.Error, "deploymentName can't be changed") ||
		strings.Contains(s.Error, "is not match with the session cluster") {
		t.Errorf("runs %d, running %q, %s, error %q", len(w.runs), w.running(), s.LifecycleState, s.Error)
	}
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.DeploymentName = "session" })
	w.untilSteady()
	if recorded := w.status().ReconciliationStatus.LastReconciledSpec; len(w.runs) != 2 ||
		!strings.Contains(recorded, `"deploymentName":"session"`) || !strings.Contains(recorded, `"parallelism":4`) {
		t.Errorf("set back: runs %d, recorded %s", len(w.runs), recorded)
	}
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.DeploymentName = "other" })
	w.delete()
	w.run()
	w.run()
	if len(w.running()) != 0 || len(w.s.Resource.Finalizers) != 0 {
		t.Errorf("deleted: running %q, finalizers %q", w.running(), w.s.Resource.Finalizers)
	}
}

// A rollback, and all else that is recorded while the spec names another cluster, names the one that the job is on.
func TestARecordNamesTheClusterThatTheJobIsOn(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.DeploymentName = "other" })
	w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobCanceled) // by somebody: a stateless job is started again
	for range 5 {
		w.run()
		w.sleep(time.Minute)
	}
	recorded := w.status().ReconciliationStatus.LastReconciledSpec
	if !strings.Contains(recorded, `"deploymentName":"session"`) {
		t.Errorf("recorded %s", recorded)
	}
	d := sessionCluster()
	goes := plan.Plan{Finish: []plan.Action{plan.RemoveFinalizer{}}}
	if p := Open(w.s).Dependants(w.s.Snapshots, goes); len(p) != 1 || p[0].Name != d.Name {
		t.Errorf("told %+v", p)
	}
	if p := Open(w.s).Dependants(w.s.Snapshots, plan.Plan{}); len(p) != 0 {
		t.Errorf("a job that stays holds up no deletion of its cluster, told %+v", p)
	}
	w.s.Cluster = plan.Absent[*v1beta1.FlinkDeployment]()
	v := Open(w.s).view
	if why, _ := v.ClusterReady(); !strings.Contains(why.Message, "session cluster session ") {
		t.Errorf("waits for %q", why.Message)
	}
}

// A spec that is invalid is told while the session cluster is away, too; a valid one only waits.
func TestAnInvalidSpecIsToldWithoutItsCluster(t *testing.T) {
	for name, c := range map[string]struct{ deployed, invalid bool }{
		"new, valid": {false, false}, "new, invalid": {false, true}, "deployed, valid": {true, false},
		"deployed, invalid": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateless)
			if c.deployed {
				w.untilSteady()
			}
			w.s.Cluster = plan.Absent[*v1beta1.FlinkDeployment]()
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.example.Other" })
			if c.invalid {
				w.s.SpecProblem = "spec.job.jarURI: it is missing"
			}
			w.run()
			if told := strings.Contains(w.status().Error, "it is missing"); told != c.invalid {
				t.Errorf("error %q, rounds %q", w.status().Error, w.log)
			}
			if s := w.status().Situation; !c.invalid && s != string(plan.Waiting) {
				t.Errorf("situation %s", s)
			}
		})
	}
}
