package operation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/validation"
	"github.com/kn-flink/kn-flink/test/handback"
)

// javaDoesToTheJob is what the Java operator would do, by what it reads of the resource and of its cluster, which is
// ready.
func javaDoesToTheJob(w *enginetest.SessionJob) string {
	w.T.Helper()
	r := w.Snapshot.Resource
	cluster, _ := w.Snapshot.Cluster.Get()
	seen := handback.Seen{
		Session:  true,
		Now:      w.Snapshot.Now,
		Spec:     session.SpecForm(*r.Spec.DeepCopy()),
		Recorded: r.Status.ReconciliationStatus,
		Job:      r.Status.JobStatus.State,
		Invalid: validation.Message(validation.SessionJob(validation.SessionJobInput{
			Namespace: r.Namespace, Spec: r.Spec, Status: r.Status, Cluster: cluster, Operator: w.Snapshot.Operator,
		})) != "",
	}
	if text := seen.Recorded.LastReconciledSpec; text != "" {
		last, err := v1beta1.ParseReconciledSessionJob(text)
		if err != nil || last.Meta == nil || last.Spec.DeploymentName != "session" {
			w.T.Fatalf("lastReconciledSpec: %v, %s", err, text)
		}
		spec := session.SpecForm(last.Spec)
		seen.Last = &spec
	}
	j, listed := world.FindJob(w.Jobs, r.Status.JobStatus.JobID)
	seen.Gone = !listed
	seen.Made = listed && j.State != v1beta1.FlinkJobCancelling && j.State != v1beta1.FlinkJobCanceled
	return handback.Does(seen)
}

// rolledBackJob is a session job that runs its last stable spec, of generation 1, after one of generation 2 failed.
func rolledBackJob(t *testing.T) *enginetest.SessionJob {
	t.Helper()
	w := enginetest.NewSessionJob(
		t,
		strings.Replace(enginetest.HostedStateless, `{`, `{"flinkConfiguration":`+enginetest.HostedRollsBack+`,`, 1),
	)
	w.UntilSteady()
	w.Newest = v1beta1.FlinkJobCreated
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.Bad" })
	for range 5 {
		w.Run()
		w.Sleep(2 * time.Second)
	}
	w.Newest = ""
	w.Sleep(2 * time.Minute)
	w.UntilSteady()
	w.Want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
	return w
}

func TestTheJavaOperatorTakesASessionJobBack(t *testing.T) {
	from := map[handback.From]func(t *testing.T) *enginetest.SessionJob{
		handback.Never: func(t *testing.T) *enginetest.SessionJob {
			return enginetest.NewSessionJob(t, enginetest.HostedStateless)
		},
		handback.Running: func(t *testing.T) *enginetest.SessionJob {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.UntilSteady()
			return w
		},
		handback.RolledBack: rolledBackJob,
	}
	edits := map[handback.Edit]func(*v1beta1.FlinkSessionJobSpec){
		handback.Invalid:   func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 0 },
		handback.Suspended: func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended },
	}
	for name, row := range handback.Rows {
		t.Run(name, func(t *testing.T) {
			w := from[row.From](t)
			for _, edit := range row.Edits {
				w.Edit(edits[edit])
				for range 3 {
					w.Run()
					w.Sleep(2 * time.Second)
				}
			}
			status, runs := w.Status(), len(w.Running())
			if status.Intent != nil {
				t.Fatalf("an operation is under way: %+v", status.Intent)
			}
			if status.ReconciliationStatus.State != row.State {
				t.Errorf("%+v, want %s", status.ReconciliationStatus, row.State)
			}
			deployed := status.ObservedGeneration
			if other := status.DeployedGeneration; other != nil {
				deployed = *other
			}
			if status.ObservedGeneration != row.Observed || deployed != row.Deployed {
				t.Errorf(
					"observed %d, deployed %d, want %d, %d",
					status.ObservedGeneration,
					deployed,
					row.Observed,
					row.Deployed,
				)
			}
			w.Sleep(time.Hour) // later than any deadline
			if does := javaDoesToTheJob(w); does != handback.Nothing {
				t.Errorf("the Java operator %s, and %d jobs run: %+v", does, runs, status)
			}
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism, s.Job.State = 4, v1beta1.JobStateRunning })
			if does := javaDoesToTheJob(w); does != row.Then {
				t.Errorf("after another edit the Java operator does %s, want %s", does, row.Then)
			}
		})
	}
}
