package operation_test

import (
	"fmt"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/validation"
	"github.com/kn-flink/kn-flink/test/handback"
)

// javaDoes is what the Java operator would do, by what it reads of the resource and the Deployment.
func javaDoes(w *enginetest.Deployment) string {
	w.T.Helper()
	r := w.Snapshot.Resource
	status := r.Status
	seen := handback.Seen{
		Now: w.Snapshot.Now, Spec: *r.Spec.DeepCopy(), Recorded: status.ReconciliationStatus, Job: status.JobStatus.State,
		Invalid: validation.Message(validation.Deployment(validation.DeploymentInput{
			Namespace: r.Namespace, Name: r.Name, Spec: r.Spec, Status: status, Operator: w.Snapshot.Operator,
		})) != "",
		Gone: status.JobManagerDeploymentStatus == v1beta1.JobManagerMissing,
	}
	if seen.Recorded.LastReconciledSpec != "" {
		last := w.Recorded().Spec
		seen.Last = &last
	}
	jm, present := w.Snapshot.JobManager.Get()
	seen.Made = seen.Gone && present &&
		jm.Annotations[v1beta1.AnnotationGeneration] == fmt.Sprint(status.ObservedGeneration)
	return handback.Does(seen)
}

func TestTheJavaOperatorTakesAResourceBack(t *testing.T) {
	from := map[handback.From]func(t *testing.T) *enginetest.Deployment{
		handback.Never: func(t *testing.T) *enginetest.Deployment {
			return enginetest.NewDeployment(t,
				enginetest.Application)
		},
		handback.Running: func(t *testing.T) *enginetest.Deployment {
			return enginetest.Stable(t,
				enginetest.Application)
		},
		handback.RolledBack: enginetest.RolledBack,
	}
	edits := map[handback.Edit]func(*v1beta1.FlinkDeploymentSpec){
		handback.Invalid:   func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 },
		handback.Suspended: func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended },
	}
	for name, row := range handback.Rows {
		t.Run(name, func(t *testing.T) {
			w := from[row.From](t)
			for _, edit := range row.Edits {
				w.Edit(edits[edit])
				if w.Run(); w.Snapshot.JobManager.IsPresent() &&
					w.Snapshot.Resource.Spec.Job.State == v1beta1.JobStateSuspended {
					w.Terminate()
					w.Run()
				}
			}
			status := w.Status()
			if open := status.Intent; open != nil && open.Step != v1beta1.StepReleased {
				t.Fatalf("an operation is under way: %+v", open)
			}
			if status.JobManagerDeploymentStatus == "" || status.ReconciliationStatus.State != row.State {
				t.Errorf(
					"JobManager %q, %+v, want %s", status.JobManagerDeploymentStatus, status.ReconciliationStatus, row.State,
				)
			}
			if is := w.DeployedGeneration(); status.ObservedGeneration != row.Observed || is != row.Deployed {
				t.Errorf("observed %d, deployed %d, want %d, %d", status.ObservedGeneration, is, row.Observed, row.Deployed)
			}
			if does := javaDoes(w); does != handback.Nothing {
				t.Errorf("the Java operator %s: %+v", does, status)
			}
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism, s.Job.State = 4, v1beta1.JobStateRunning })
			if does := javaDoes(w); does != row.Then {
				t.Errorf("after another edit the Java operator does %s, want %s", does, row.Then)
			}
		})
	}
}
