package deployment

import (
	"fmt"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// What the Java operator's next loop would do with the job, by what it reads of the resource and the Deployment
// (acceptance rows 1.2, 2.5, 3.1 and 3.13, and its FlinkDeploymentController, AbstractFlinkResourceReconciler and
// AbstractFlinkDeploymentObserver of 1.15).
const (
	javaNothing   = "nothing"
	javaDeploys   = "deploys for the first time"
	javaUpgrades  = "upgrades"
	javaRollsBack = "rolls back"
	javaRecovers  = "recovers"
)

// javaDoes is that decision.
func (w *world) javaDoes() string {
	w.t.Helper()
	r := w.s.Resource
	status, spec := r.Status, *r.Spec.DeepCopy()
	findings := validation.Message(validation.Deployment(validation.DeploymentInput{
		Namespace: r.Namespace, Name: r.Name, Spec: spec, Status: status, Operator: w.s.Operator,
	}))
	recorded := status.ReconciliationStatus
	if recorded.LastReconciledSpec == "" {
		if findings != "" || spec.Job.DesiredState() == v1beta1.JobStateSuspended {
			return javaNothing
		}
		return javaDeploys
	}
	last := w.recorded()
	moves := recorded.State == v1beta1.ReconciliationUpgrading || recorded.State == v1beta1.ReconciliationRollingBack
	if findings != "" {
		if spec = *last.Spec.DeepCopy(); moves {
			spec.Job.State = v1beta1.JobStateRunning
		}
	}
	jm, present := w.s.JobManager.Get()
	missing := status.JobManagerDeploymentStatus == v1beta1.JobManagerMissing
	made := present && jm.Annotations[v1beta1.AnnotationGeneration] == fmt.Sprint(status.ObservedGeneration)
	if recorded.State == v1beta1.ReconciliationUpgrading && missing && made {
		return javaNothing
	}
	late := w.s.Now.Sub(time.UnixMilli(recorded.ReconciliationTimestamp)) > 5*time.Minute
	switch changed := specdiff.Classify(&last.Spec, &spec, spec.DesiredMode()).Kind.Effective(); {
	case changed, recorded.State == v1beta1.ReconciliationUpgrading:
		return javaUpgrades
	case recorded.State == v1beta1.ReconciliationRollingBack,
		recorded.State == v1beta1.ReconciliationDeployed && recorded.LastStableSpec != recorded.LastReconciledSpec && late:
		return javaRollsBack
	case last.Spec.Job.DesiredState() == v1beta1.JobStateRunning && missing && !status.JobStatus.State.IsTerminal():
		return javaRecovers
	}
	return javaNothing
}

// The Java operator gets the resource back while no operation is under way, and leaves the job as it is until the spec
// asks for more.
func TestTheJavaOperatorTakesAResourceBack(t *testing.T) {
	invalid := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 }
	suspended := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended }
	valid := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism, s.Job.State = 4, v1beta1.JobStateRunning }
	never := func(t *testing.T) *world { return newWorld(t, application) }
	runs := func(t *testing.T) *world { return stable(t, application) }
	type edits []func(*v1beta1.FlinkDeploymentSpec)
	const (
		deployed  = v1beta1.ReconciliationDeployed
		upgrading = v1beta1.ReconciliationUpgrading
		back      = v1beta1.ReconciliationRolledBack
	)
	rows := map[string]struct {
		from     func(t *testing.T) *world
		edits    edits
		observed int64
		deployed int64
		state    v1beta1.ReconciliationState
		then     string // what the next valid edit gives
	}{
		"an invalid first spec":             {never, edits{invalid}, 2, 2, upgrading, javaDeploys},
		"suspended from the start":          {never, edits{suspended}, 2, 2, upgrading, javaDeploys},
		"running":                           {runs, nil, 1, 1, deployed, javaUpgrades},
		"an invalid edit":                   {runs, edits{invalid}, 2, 1, deployed, javaUpgrades},
		"suspended":                         {runs, edits{suspended}, 2, 2, deployed, javaUpgrades},
		"suspended, then an invalid edit":   {runs, edits{suspended, invalid}, 3, 2, deployed, javaUpgrades},
		"rolled back":                       {rolledBack, nil, 2, 2, back, javaUpgrades},
		"rolled back, then an invalid edit": {rolledBack, edits{invalid}, 3, 2, back, javaUpgrades},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.from(t)
			for _, edit := range row.edits {
				w.edit(edit)
				if w.run(); w.s.JobManager.IsPresent() && w.s.Resource.Spec.Job.State == v1beta1.JobStateSuspended {
					w.terminate()
					w.run()
				}
			}
			status := w.status()
			if open := status.Intent; open != nil && open.Step != v1beta1.StepReleased {
				t.Fatalf("an operation is under way: %+v", open)
			}
			if status.JobManagerDeploymentStatus == "" || status.ReconciliationStatus.State != row.state {
				t.Errorf(
					"JobManager %q, %+v, want %s", status.JobManagerDeploymentStatus, status.ReconciliationStatus, row.state,
				)
			}
			if is := w.deployedGeneration(); status.ObservedGeneration != row.observed || is != row.deployed {
				t.Errorf("observed %d, deployed %d, want %d, %d", status.ObservedGeneration, is, row.observed, row.deployed)
			}
			if does := w.javaDoes(); does != javaNothing {
				t.Errorf("the Java operator %s: %+v", does, status)
			}
			w.edit(valid)
			if does := w.javaDoes(); does != row.then {
				t.Errorf("after another edit the Java operator does %s, want %s", does, row.then)
			}
		})
	}
}
