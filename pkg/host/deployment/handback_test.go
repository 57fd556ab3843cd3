package deployment

import (
	"fmt"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/validation"
	"github.com/kn-flink/kn-flink/test/handback"
)

// javaDoes is what the Java operator would do, by what it reads of the resource and the Deployment.
func (w *fixture) javaDoes() string {
	w.t.Helper()
	r := w.s.Resource
	status := r.Status
	seen := handback.Seen{
		Now: w.s.Now, Spec: *r.Spec.DeepCopy(), Recorded: status.ReconciliationStatus, Job: status.JobStatus.State,
		Invalid: validation.Message(validation.Deployment(validation.DeploymentInput{
			Namespace: r.Namespace, Name: r.Name, Spec: r.Spec, Status: status, Operator: w.s.Operator,
		})) != "",
		Gone: status.JobManagerDeploymentStatus == v1beta1.JobManagerMissing,
	}
	if seen.Recorded.LastReconciledSpec != "" {
		last := w.recorded().Spec
		seen.Last = &last
	}
	jm, present := w.s.JobManager.Get()
	seen.Made = seen.Gone && present &&
		jm.Annotations[v1beta1.AnnotationGeneration] == fmt.Sprint(status.ObservedGeneration)
	return handback.Does(seen)
}

func TestTheJavaOperatorTakesAResourceBack(t *testing.T) {
	from := map[handback.From]func(t *testing.T) *fixture{
		handback.Never:      func(t *testing.T) *fixture { return newWorld(t, application) },
		handback.Running:    func(t *testing.T) *fixture { return stable(t, application) },
		handback.RolledBack: rolledBack,
	}
	edits := map[handback.Edit]func(*v1beta1.FlinkDeploymentSpec){
		handback.Invalid:   func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 },
		handback.Suspended: func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended },
	}
	for name, row := range handback.Rows {
		t.Run(name, func(t *testing.T) {
			w := from[row.From](t)
			for _, edit := range row.Edits {
				w.edit(edits[edit])
				if w.run(); w.s.JobManager.IsPresent() && w.s.Resource.Spec.Job.State == v1beta1.JobStateSuspended {
					w.terminate()
					w.run()
				}
			}
			status := w.status()
			if open := status.Intent; open != nil && open.Step != v1beta1.StepReleased {
				t.Fatalf("an operation is under way: %+v", open)
			}
			if status.JobManagerDeploymentStatus == "" || status.ReconciliationStatus.State != row.State {
				t.Errorf(
					"JobManager %q, %+v, want %s", status.JobManagerDeploymentStatus, status.ReconciliationStatus, row.State,
				)
			}
			if is := w.deployedGeneration(); status.ObservedGeneration != row.Observed || is != row.Deployed {
				t.Errorf("observed %d, deployed %d, want %d, %d", status.ObservedGeneration, is, row.Observed, row.Deployed)
			}
			if does := w.javaDoes(); does != handback.Nothing {
				t.Errorf("the Java operator %s: %+v", does, status)
			}
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism, s.Job.State = 4, v1beta1.JobStateRunning })
			if does := w.javaDoes(); does != row.Then {
				t.Errorf("after another edit the Java operator does %s, want %s", does, row.Then)
			}
		})
	}
}
