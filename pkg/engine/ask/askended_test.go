package ask

import (
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// endedFor says since when the status knows that the job has ended.
func endedFor(s *world.Seen, since time.Duration) {
	s.Resource.Status.JobStatus.UpdateTime = strconv.FormatInt(guesttest.Noon.Add(-since).UnixMilli(), 10)
}

// changedSince makes another spec the stable one: what was deployed, with another image, is not stable yet.
func changedSince(t *testing.T, s *world.Seen) {
	t.Helper()
	stable := *s.Resource.Spec.DeepCopy()
	stable.Image = "another"
	text, err := v1beta1.ReconciledDeployment{Spec: stable}.Text()
	if err != nil {
		t.Fatal(err)
	}
	s.Resource.Status.ReconciliationStatus.LastStableSpec = text
}

// What a job ended with is asked for once: until it is recorded, and when something starts from it.
func TestWhatIsAskedOfAJobThatHasEnded(t *testing.T) {
	const running, failed, cancelled = v1beta1.FlinkJobRunning, v1beta1.FlinkJobFailed, v1beta1.FlinkJobCanceled
	const finished, all = v1beta1.FlinkJobFinished, "Checkpoints Retention Graph"
	long := func(s *world.Seen) { endedFor(s, time.Hour) }
	told := func(s *world.Seen) {
		long(s)
		s.Resource.Status.Error = `{"type":"` + status.TypeJobFailed + `"}`
	}
	open := func(step v1beta1.IntentStep, ended bool) func(s *world.Seen) {
		return func(s *world.Seen) {
			long(s)
			s.Resource.Status.Intent = &v1beta1.Intent{
				Step: step, Ended: ended, Stops: &v1beta1.Incarnation{JobID: "a", JobStartTime: "2"},
			}
		}
	}
	rows := map[string]struct {
		was, is v1beta1.FlinkJobState
		then    func(s *world.Seen)
		want    string
	}{
		"long ago": {cancelled, cancelled, long, ""},
		"a moment ago": {
			cancelled,
			cancelled,
			func(s *world.Seen) { endedFor(s, facts.RecentEnd-time.Millisecond) },
			all,
		},
		"no moment ago":       {cancelled, cancelled, func(s *world.Seen) { endedFor(s, facts.RecentEnd) }, ""},
		"since the last look": {running, cancelled, long, "Facts " + all},
		"and is not stable":   {cancelled, cancelled, func(s *world.Seen) { long(s); changedSince(t, s) }, ""},
		"its end is not read": {cancelled, cancelled, func(s *world.Seen) {
			long(s)
			s.Resource.Status.JobStatus.LastStateUnread = true
		}, all},
		"nobody needs its end": {cancelled, cancelled, func(s *world.Seen) {
			long(s)
			s.Resource.Spec.Job.UpgradeMode, s.Resource.Status.JobStatus.LastStateUnread = "stateless", true
			guesttest.Deployed(t, s)
		}, ""},
		"it is to be changed": {
			cancelled,
			cancelled,
			func(s *world.Seen) { long(s); s.Resource.Spec.Image = "another" },
			all,
		},
		"it is to be rolled back": {cancelled, cancelled, func(s *world.Seen) {
			long(s)
			changedSince(t, s)
			s.Resource.Annotations = map[string]string{v1beta1.AnnotationRollback: "1"}
		}, all},
		"it was being stopped":            {cancelled, cancelled, open(v1beta1.StepStopping, false), all},
		"it was, and ended since":         {running, cancelled, open(v1beta1.StepStopping, false), all},
		"it was, and its end is recorded": {cancelled, cancelled, open(v1beta1.StepStopping, true), ""},
		"it was started":                  {cancelled, cancelled, open(v1beta1.StepReleased, false), ""},
		"by a stop that was given up": {finished, finished, func(s *world.Seen) {
			long(s)
			at := metav1.NewTime(guesttest.Noon.Add(-time.Hour - time.Minute))
			s.Resource.Status.GivenUpStop = &v1beta1.GivenUpStop{JobID: "a", At: at}
		}, "Checkpoints Graph LateStops"},
		"it failed, which is told":          {failed, failed, told, ""},
		"it failed, which is not told":      {failed, failed, long, "Failure"},
		"it failed again, and that is told": {running, failed, told, "Facts Failure " + all},
		"it failed a moment ago, and that is told": {failed, failed, func(s *world.Seen) {
			told(s)
			endedFor(s, 0)
		}, "Failure " + all},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			known := func(s *world.Seen) {
				s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a"}
				s.Resource.Status.JobStatus.StartTime = "2"
				row.then(s)
			}
			if got := asked(t, row.was, row.is, known); got != row.want {
				t.Errorf("asked for %q, want %q", got, row.want)
			}
		})
	}
}

// The first answer of what a job failed of may be from before: Flink answers from a cache.
func TestTheCauseIsReadAgainWhileAnotherMayBeTold(t *testing.T) {
	for since, want := range map[time.Duration]bool{
		facts.RecentEnd - time.Second: true, facts.RecentEnd + 30*time.Second: true, time.Hour: false,
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			endedFor(s, since)
			s.Resource.Status.Error = `{"type":"` + status.TypeJobFailed + `"}`
			s.Resource.Status.JobStatus.State = v1beta1.FlinkJobFailed
			s.Flink.Jobs = plan.Present([]world.Job{{
				ID: "a", State: v1beta1.FlinkJobFailed, StartTime: "2", EndTime: guesttest.Noon.Add(-since),
			}})
		})
		if got := Flink(v).Failure; got != want {
			t.Errorf("%s after its end the cause is asked for: %t, want %t", since, got, want)
		}
	}
}
