package ask

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/test/fields"
)

// Each question is a request to Flink: a look asks for what its moment needs, and for no more.
func TestWhatIsAskedOfFlink(t *testing.T) {
	const created, running, failed = v1beta1.FlinkJobCreated, v1beta1.FlinkJobRunning, v1beta1.FlinkJobFailed
	known := func(s *world.Seen) { s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a"} }
	changed := func(s *world.Seen) { known(s); s.Resource.Spec.Image, s.Resource.Generation = "another", 2 }
	stateless := func(s *world.Seen) {
		s.Resource.Spec.Job.UpgradeMode = v1beta1.UpgradeModeStateless
		guesttest.Deployed(t, s)
	}
	with := func(options string) func(s *world.Seen) {
		return func(s *world.Seen) {
			known(s)
			s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(options)
			guesttest.Deployed(t, s)
		}
	}
	aged := with(`{"kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age":"5 min"}`)
	adaptive := with(
		`{"jobmanager.scheduler":"adaptive","pipeline.jobvertex-parallelism-overrides":"` + guesttest.Vertex + `:1"}`,
	)
	rescaled := func(s *world.Seen) {
		adaptive(s)
		s.Autoscaled = plan.Absent[autoscaled.Store]()
		s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"jobmanager.scheduler":"adaptive","pipeline.jobvertex-parallelism-overrides":"` + guesttest.Vertex + `:2"}`,
		)
	}
	rollsBack := func(s *world.Seen) {
		known(s)
		changedSince(t, s)
		s.Resource.Annotations = map[string]string{v1beta1.AnnotationRollback: "1"}
	}
	rows := map[string]struct {
		was, is v1beta1.FlinkJobState // as status has it, and as Flink lists it; empty: not listed
		then    func(s *world.Seen)
		want    string
	}{
		"it runs":                                {running, running, known, ""},
		"it runs, stateless":                     {running, running, stateless, ""},
		"it runs, no checkpoint is known":        {running, running, func(*world.Seen) {}, "Checkpoints"},
		"its tasks begin, no checkpoint is":      {created, created, func(*world.Seen) {}, "Checkpoints Graph"},
		"its tasks begin":                        {created, created, known, ""},
		"its tasks begin, stateless":             {created, created, stateless, ""},
		"it began to run":                        {created, running, known, "Facts Retention"},
		"it is not listed":                       {running, "", known, ""},
		"it is not listed, and no checkpoint is": {running, "", func(*world.Seen) {}, ""},
		"it is not listed, and to be changed":    {running, "", changed, ""},
		"it is to be changed":                    {running, running, changed, "Checkpoints Retention"},
		"it is to be changed, its tasks begin":   {created, created, changed, "Checkpoints Retention Graph"},
		"it has failed":                          {running, failed, known, "Facts Failure Checkpoints Retention Graph"},
		"it is not stable": {
			running,
			running,
			func(s *world.Seen) { known(s); changedSince(t, s) },
			"Facts",
		},
		"it is not stable, nor listed": {
			running,
			"",
			func(s *world.Seen) { known(s); changedSince(t, s) },
			"Facts",
		},
		"its JobManager became ready": {running, running, func(s *world.Seen) {
			known(s)
			s.Resource.Status.JobManagerDeploymentStatus = v1beta1.JobManagerDeploying
		}, "Facts"},
		"it is to be rolled back": {created, created, rollsBack, "Facts"},
		"it is to be rolled back, in a session": {created, created, func(s *world.Seen) {
			rollsBack(s)
			s.Kind = v1beta1.JobKindFlinkSessionJob
		}, "Retention Graph"},
		"its checkpoints may be too old": {running, running, aged, ""},
		"they may be, and it is to be changed": {running, running, func(s *world.Seen) {
			aged(s)
			s.Resource.Spec.Job.UpgradeMode = v1beta1.UpgradeModeStateless
			guesttest.Deployed(t, s)
			s.Resource.Spec.Image = "another"
		}, "Checkpoints"},
		"it is to be changed, stateless": {running, running, func(s *world.Seen) {
			stateless(s)
			s.Resource.Spec.Image = "another"
		}, ""},
		"it may have lost progress": {running, running, func(s *world.Seen) {
			known(s)
			at := metav1.NewTime(guesttest.Noon)
			s.Resource.Status.LostProgress = &v1beta1.LostProgress{Suspected: &at}
		}, "Checkpoints"},
		"it is to be rescaled":             {running, running, rescaled, "Checkpoints Retention Requirements"},
		"it is to be rescaled, not listed": {running, "", rescaled, ""},
		"another run of one that had ended": {failed, running, func(s *world.Seen) {
			s.Resource.Status.JobStatus.StartTime = "1"
		}, ""},
		"another run of one that is stopped": {running, running, func(s *world.Seen) {
			s.Resource.Status.Intent = &v1beta1.Intent{
				Step: v1beta1.StepStopping, Stops: &v1beta1.Incarnation{JobID: "a", JobStartTime: "1"},
			}
		}, ""},
		"another run of one that was started": {created, running, func(s *world.Seen) {
			s.Resource.Status.Intent = &v1beta1.Intent{
				Step: v1beta1.StepReleased, Stops: &v1beta1.Incarnation{JobID: "a", JobStartTime: "1"},
			}
		}, "Facts Checkpoints Retention"},
		"it has failed, to be changed": {failed, failed, changed, "Failure Checkpoints Retention Graph"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := asked(t, row.was, row.is, row.then); got != row.want {
				t.Errorf("asked for %q, want %q", got, row.want)
			}
		})
	}
}

// asked is what Flink is asked about a job that is stable, with what a test makes of that: its state as status has it,
// and as Flink lists it; empty: not listed.
func asked(t *testing.T, was, is v1beta1.FlinkJobState, then func(s *world.Seen)) string {
	t.Helper()
	v := guesttest.NewLife(t, func(s *world.Seen) {
		status := &s.Resource.Status
		status.ReconciliationStatus.LastStableSpec = status.ReconciliationStatus.LastReconciledSpec
		status.JobManagerDeploymentStatus, status.JobStatus.State = v1beta1.JobManagerReady, was
		then(s)
		var jobs []world.Job
		if is != "" {
			jobs = []world.Job{{ID: "a", State: is, StartTime: "2", EndTime: guesttest.Noon.Add(-time.Hour)}}
		}
		s.Flink.Jobs = plan.Present(jobs)
	})
	more := Flink(v)
	more.Exceptions = 0
	return fields.Set(more)
}
