package sessionjob_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// The name of the cluster was changed past the API server and admission: the job stays where it runs, is seen there,
// and is ended there.
func TestAJobStaysOnTheClusterThatItRunsOn(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.DeploymentName, s.Job.Parallelism = "other", 4 })
	if name := session.ClusterOf(w.Snapshot.Resource); name != "session" {
		t.Fatalf("%s is looked at", name)
	}
	for range 5 {
		w.Run()
		w.Sleep(time.Minute)
	}
	s := w.Status()
	if len(w.Runs) != 1 || len(w.Running()) != 1 || s.LifecycleState != v1beta1.LifecycleStable ||
		!strings.Contains(s.Error, "deploymentName can't be changed") ||
		strings.Contains(s.Error, "is not match with the session cluster") {
		t.Errorf("runs %d, running %q, %s, error %q", len(w.Runs), w.Running(), s.LifecycleState, s.Error)
	}
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.DeploymentName = "session" })
	w.UntilSteady()
	if recorded := w.Status().ReconciliationStatus.LastReconciledSpec; len(w.Runs) != 2 ||
		!strings.Contains(recorded, `"deploymentName":"session"`) || !strings.Contains(recorded, `"parallelism":4`) {
		t.Errorf("set back: runs %d, recorded %s", len(w.Runs), recorded)
	}
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.DeploymentName = "other" })
	w.Delete()
	w.Run()
	w.Run()
	if len(w.Running()) != 0 || len(w.Snapshot.Resource.Finalizers) != 0 {
		t.Errorf("deleted: running %q, finalizers %q", w.Running(), w.Snapshot.Resource.Finalizers)
	}
}

// A rollback, and all else that is recorded while the spec names another cluster, names the one that the job is on.
func TestARecordNamesTheClusterThatTheJobIsOn(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.DeploymentName = "other" })
	w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobCanceled) // by somebody: a stateless job is started again
	for range 5 {
		w.Run()
		w.Sleep(time.Minute)
	}
	recorded := w.Status().ReconciliationStatus.LastReconciledSpec
	if !strings.Contains(recorded, `"deploymentName":"session"`) {
		t.Errorf("recorded %s", recorded)
	}
	d := enginetest.SessionCluster()
	goes := plan.Plan{Finish: []plan.Action{plan.RemoveFinalizer{}}}
	if p := sessionjob.Open(w.Snapshot).Dependants(w.Snapshot.Snapshots, goes); len(p) != 1 || p[0].Name != d.Name {
		t.Errorf("told %+v", p)
	}
	if p := sessionjob.Open(w.Snapshot).Dependants(w.Snapshot.Snapshots, plan.Plan{}); len(p) != 0 {
		t.Errorf("a job that stays holds up no deletion of its cluster, told %+v", p)
	}
	w.Snapshot.Cluster = plan.Absent[*v1beta1.FlinkDeployment]()
	v := session.New(w.Snapshot)
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
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			if c.deployed {
				w.UntilSteady()
			}
			w.Snapshot.Cluster = plan.Absent[*v1beta1.FlinkDeployment]()
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.example.Other" })
			if c.invalid {
				w.Snapshot.SpecProblem = "spec.job.jarURI: it is missing"
			}
			w.Run()
			if told := strings.Contains(w.Status().Error, "it is missing"); told != c.invalid {
				t.Errorf("error %q, rounds %q", w.Status().Error, w.Log)
			}
			if s := w.Status().Situation; !c.invalid && s != string(plan.Waiting) {
				t.Errorf("situation %s", s)
			}
		})
	}
}
