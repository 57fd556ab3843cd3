package loss

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// A job that is suspended, to go on from its last state, and was lost before: what it did last nobody saw.
func TestASuspendedJobThatWasLost(t *testing.T) {
	const lastState = v1beta1.UpgradeModeLastState
	for name, row := range map[string]struct {
		restore v1beta1.UpgradeMode
		started string
		state   v1beta1.FlinkJobState
		mode    v1beta1.UpgradeMode
		want    bool
	}{
		"it ran":                  {lastState, "1", v1beta1.FlinkJobRunning, v1beta1.UpgradeModeSavepoint, true},
		"from a savepoint":        {v1beta1.UpgradeModeSavepoint, "1", v1beta1.FlinkJobRunning, lastState, false},
		"it never ran":            {lastState, "", v1beta1.FlinkJobReconciling, lastState, false},
		"it had ended":            {lastState, "1", v1beta1.FlinkJobFinished, lastState, false},
		"it needs no state":       {lastState, "1", v1beta1.FlinkJobRunning, v1beta1.UpgradeModeStateless, false},
		"it never ran, and ended": {lastState, "", v1beta1.FlinkJobFinished, lastState, false},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Spec.Job.UpgradeMode = row.mode
			guesttest.Deployed(t, s)
			s.Resource.Status.JobStatus.StartTime, s.Resource.Status.JobStatus.State = row.started, row.state
		})
		SuspendsAbsent(v, row.restore)
		if got := facts.Suspected(v.Want.LostProgress); got != row.want {
			t.Errorf("%s: suspected %t, want %t", name, got, row.want)
		}
	}
}

// A suspension that was held up, of a job whose data names no checkpoint in the end: it may have made one meanwhile,
// and have failed for good as its JobManager ended.
func TestASuspensionThatWasHeldUp(t *testing.T) {
	for name, row := range map[string]struct {
		took    time.Duration
		restore v1beta1.UpgradeMode
		want    bool
	}{
		"at once":          {2 * time.Second, v1beta1.UpgradeModeLastState, false},
		"held up":          {11 * time.Second, v1beta1.UpgradeModeLastState, true},
		"with a savepoint": {11 * time.Second, v1beta1.UpgradeModeSavepoint, false},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Spec.Job.UpgradeMode = v1beta1.UpgradeModeLastState
			guesttest.Deployed(t, s)
			s.Resource.Status.JobStatus.StartTime, s.Resource.Status.JobStatus.State = "1", v1beta1.FlinkJobRunning
			s.Resource.Status.Intent = &v1beta1.Intent{
				Step: v1beta1.StepStopping, StoredAt: metav1.NewTime(guesttest.Noon.Add(-row.took)),
			}
		})
		v.Host = &highlyAvailable{&guesttest.Guest{}}
		Suspends(v, row.restore)
		if got := facts.Suspected(v.Want.LostProgress); got != row.want {
			t.Errorf("%s: suspected %t, want %t", name, got, row.want)
		}
	}
}

// highlyAvailable is a host whose high-availability data can be read.
type highlyAvailable struct{ *guesttest.Guest }

func (h *highlyAvailable) HA() hadata.Data {
	return hadata.Data{Store: hadata.Store{Mode: flinkconf.HAKubernetes}}
}

// Which data a job runs with is compared for one that keeps its state there, and looked for where that is not known.
func TestWhoseHighAvailabilityDataIsCompared(t *testing.T) {
	at := metav1.NewTime(guesttest.Noon)
	known := func(s *world.Seen) {
		s.Resource.Status.JobStatus.HighAvailabilityData = &v1beta1.KnownHighAvailabilityData{JobID: "a", UID: "1"}
	}
	for name, row := range map[string]struct {
		then             func(s *world.Seen)
		compared, wanted bool
	}{
		"a job":             {func(*world.Seen) {}, true, true},
		"its data is known": {known, true, false},
		"it may have lost progress": {func(s *world.Seen) {
			known(s)
			s.Resource.Status.LostProgress = &v1beta1.LostProgress{Suspected: &at}
		}, true, true},
		"it has ended": {func(s *world.Seen) { s.Resource.Status.JobStatus.State = v1beta1.FlinkJobFailed }, true, false},
		"it is being stopped": {func(s *world.Seen) {
			s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping}
		}, true, false},
		"it is suspended": {func(s *world.Seen) {
			s.Resource.Spec.Job.State = v1beta1.JobStateSuspended
			guesttest.Deployed(t, s)
		}, true, false},
		"a session job":        {func(s *world.Seen) { s.Kind = v1beta1.JobKindFlinkSessionJob }, false, false},
		"a session cluster":    {guesttest.SessionDeployed(t), false, false},
		"nothing was deployed": {guesttest.NeverDeployed, false, false},
		"it needs no state": {func(s *world.Seen) {
			s.Resource.Spec.Job.UpgradeMode = v1beta1.UpgradeModeStateless
			guesttest.Deployed(t, s)
		}, false, false},
		"its ID is not known": {func(s *world.Seen) { s.Resource.Status.JobStatus.JobID = "" }, false, false},
	} {
		v := guesttest.NewLife(t, row.then)
		v.Host = &highlyAvailable{&guesttest.Guest{Look: v}}
		if got := isCompared(v); got != row.compared {
			t.Errorf("%s: compared %t, want %t", name, got, row.compared)
		}
		if got := DataWanted(v); got != row.wanted {
			t.Errorf("%s: wanted %t, want %t", name, got, row.wanted)
		}
		v.Host = &guesttest.Guest{Look: v}
		if isCompared(v) {
			t.Errorf("%s: compared, and nobody can read it", name)
		}
	}
}
