package job

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// sessionDeployed has a spec without a job deployed.
func sessionDeployed(t *testing.T) func(s *Seen) {
	return func(s *Seen) {
		s.Resource.Spec.Job = nil
		deployed(t, s)
	}
}

// An upgrade that comes to nothing leaves the recorded spec as what runs was started.
func TestHowAJobThatGoesOnWasStarted(t *testing.T) {
	from := func(kind v1beta1.StartKind) func(s *Seen) {
		return func(s *Seen) { s.Resource.Status.JobStatus.StartedFrom = &v1beta1.StartPoint{Kind: kind} }
	}
	for name, row := range map[string]struct {
		then func(s *Seen)
		want v1beta1.UpgradeMode // empty: no spec is recorded, or one without a job
	}{
		"nothing was deployed": {func(s *Seen) { neverDeployed(s); from(v1beta1.StartEmpty)(s) }, ""},
		"a session cluster was": {func(s *Seen) {
			sessionDeployed(t)(s)
			from(v1beta1.StartEmpty)(s)
		}, ""},
		"nobody knows":        {func(*Seen) {}, v1beta1.UpgradeModeSavepoint},
		"as the spec says":    {from(v1beta1.StartSavepoint), v1beta1.UpgradeModeSavepoint},
		"from nothing":        {from(v1beta1.StartEmpty), v1beta1.UpgradeModeStateless},
		"from its last state": {from(v1beta1.StartLastState), v1beta1.UpgradeModeLastState},
	} {
		for _, stable := range []bool{true, false} {
			v := newLife(t, func(s *Seen) {
				row.then(s)
				if r := &s.Resource.Status.ReconciliationStatus; stable {
					r.LastStableSpec = r.LastReconciledSpec
				} else {
					r.LastStableSpec = "another"
				}
			})
			before := v.Want.ReconciliationStatus.LastReconciledSpec
			Record(v).howItRuns()
			got := v1beta1.UpgradeMode("")
			if v.Last != nil && v.Last.Spec.Job != nil {
				got = v.Last.Spec.Job.UpgradeMode
			}
			if got != row.want {
				t.Errorf("%s: %q is recorded, want %q", name, got, row.want)
			}
			after := v.Want.ReconciliationStatus
			if (after.LastReconciledSpec != before) != (row.want != "" && row.want != v1beta1.UpgradeModeSavepoint) {
				t.Errorf("%s: the record changed from %s to %s", name, before, after.LastReconciledSpec)
			}
			if (after.LastStableSpec == after.LastReconciledSpec) != stable {
				t.Errorf("%s: stable %t, and the last stable spec is %s", name, stable, after.LastStableSpec)
			}
		}
	}
}

// What is written back after a rollback, and what runs since one, keep how the job is stopped next and its pending
// nonces; a spec without a job has none of them.
func TestARecordKeepsHowTheJobIsStopped(t *testing.T) {
	nonce := int64(7)
	with := func(was, is *v1beta1.JobSpec) Life {
		return newLife(t, func(s *Seen) {
			s.Resource.Spec.Job = was
			deployed(t, s)
			r := &s.Resource.Status.ReconciliationStatus
			s.Resource.Spec.Job = is
			text, err := v1beta1.ReconciledDeployment{Spec: s.Resource.Spec}.Text()
			if err != nil {
				t.Fatal(err)
			}
			r.LastStableSpec = text
		})
	}
	was := &v1beta1.JobSpec{
		UpgradeMode: v1beta1.UpgradeModeSavepoint, SavepointTriggerNonce: &nonce, CheckpointTriggerNonce: &nonce,
	}
	is := &v1beta1.JobSpec{UpgradeMode: v1beta1.UpgradeModeLastState}
	for name, act := range map[string]func(v Life){
		"rolled forward": func(v Life) { Record(v).rolledForward() }, "rolled back": func(v Life) { Record(v).whatRuns() },
	} {
		v := with(was, is)
		act(v)
		job := v.Last.Spec.Job
		if job.UpgradeMode != v1beta1.UpgradeModeSavepoint || job.SavepointTriggerNonce == nil ||
			job.CheckpointTriggerNonce == nil {
			t.Errorf("%s: %+v", name, job)
		}
		v = with(nil, is)
		act(v)
		if job = v.Last.Spec.Job; job.UpgradeMode != v1beta1.UpgradeModeLastState || job.SavepointTriggerNonce != nil {
			t.Errorf("%s over a session cluster: %+v", name, job)
		}
		v = with(was, nil)
		if act(v); v.Last.Spec.Job != nil {
			t.Errorf("%s to a session cluster: %+v", name, v.Last.Spec.Job)
		}
	}
}

// A suspension that is asked for by an invalid spec is that of the generation that began it.
func TestWhichGenerationIsSuspended(t *testing.T) {
	for name, row := range map[string]struct {
		open    bool
		problem string
		want    int64
	}{
		"a valid spec":                         {true, "", 5},
		"a valid spec, and nothing is open":    {false, "", 5},
		"an invalid spec":                      {true, "no", 3},
		"an invalid spec, and nothing is open": {false, "no", 5},
	} {
		v := newLife(t, func(s *Seen) {
			if s.Resource.Generation = 5; row.open {
				s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Generation: 3}
			}
		})
		v.Problem = row.problem
		if Record(v).suspended(v.Spec, v1beta1.UpgradeModeSavepoint); v.Deployed != row.want {
			t.Errorf("%s: generation %d, want %d", name, v.Deployed, row.want)
		}
	}
}

// What is suspended says so, whatever was deployed before.
func TestASuspendedJobSaysSo(t *testing.T) {
	suspend := func(s *Seen) { s.Resource.Spec.Job.State = v1beta1.JobStateSuspended }
	for name, row := range map[string]struct {
		then func(s *Seen)
		want bool
	}{
		"it runs":                         {func(*Seen) {}, false},
		"it was suspended":                {func(s *Seen) { suspend(s); deployed(t, s) }, true},
		"it is to be suspended, and runs": {suspend, false},
		"it is new":                       {neverDeployed, false},
		"it is new, and begins suspended": {func(s *Seen) { neverDeployed(s); suspend(s) }, true},
		"it was suspended, and is to run": {func(s *Seen) {
			suspend(s)
			deployed(t, s)
			s.Resource.Spec.Job.State = v1beta1.JobStateRunning
		}, true},
	} {
		v := newLife(t, func(s *Seen) {
			s.Resource.Status.JobStatus.State = v1beta1.FlinkJobReconciling
			row.then(s)
		})
		Conclusion(v).setConditions(status.Verdict{Situation: plan.Waiting}, nil)
		got := false
		for _, c := range v.Want.Conditions {
			got = got || c.Type == summary.JobRunning && c.Reason == summary.ReasonSuspended
		}
		if got != row.want {
			t.Errorf("%s: suspended %t; %v", name, got, v.Want.Conditions)
		}
	}
}

func TestSinceWhenItIsInItsLifecycleState(t *testing.T) {
	made, before := metav1.NewTime(noon.Add(-time.Hour)), metav1.NewTime(noon.Add(-time.Minute))
	const created, stable = v1beta1.LifecycleCreated, v1beta1.LifecycleStable
	for name, row := range map[string]struct {
		was, is v1beta1.LifecycleState
		want    time.Time
	}{
		"as it was":                  {stable, stable, before.Time},
		"it was just made":           {"", created, made.Time},
		"it was just made, and runs": {"", stable, noon},
		"it is to begin again":       {stable, created, noon},
		"it has become stable":       {created, stable, noon},
	} {
		v := newLife(t, func(s *Seen) {
			s.Resource.CreationTimestamp = made
			s.Resource.Status.LifecycleState, s.Resource.Status.LifecycleSince = row.was, &before
		})
		v.Want.LifecycleState = row.is
		if got := Conclusion(v).lifecycleSince(); !got.Time.Equal(row.want) {
			t.Errorf("%s: since %s, want %s", name, got, row.want)
		}
	}
}

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
		v := newLife(t, func(s *Seen) {
			s.Resource.Spec.Job.UpgradeMode = row.mode
			deployed(t, s)
			s.Resource.Status.JobStatus.StartTime, s.Resource.Status.JobStatus.State = row.started, row.state
		})
		LostProgress(v).suspectAbsent(row.restore)
		if got := suspected(v.Want.LostProgress); got != row.want {
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
		v := newLife(t, func(s *Seen) {
			s.Resource.Spec.Job.UpgradeMode = v1beta1.UpgradeModeLastState
			deployed(t, s)
			s.Resource.Status.JobStatus.StartTime, s.Resource.Status.JobStatus.State = "1", v1beta1.FlinkJobRunning
			s.Resource.Status.Intent = &v1beta1.Intent{
				Step: v1beta1.StepStopping, StoredAt: metav1.NewTime(noon.Add(-row.took)),
			}
		})
		v.Host = &highlyAvailable{&guest{}}
		LostProgress(v).suspectSuspended(row.restore)
		if got := suspected(v.Want.LostProgress); got != row.want {
			t.Errorf("%s: suspected %t, want %t", name, got, row.want)
		}
	}
}

// highlyAvailable is a host whose high-availability data can be read.
type highlyAvailable struct{ *guest }

func (h *highlyAvailable) HA() hadata.Data {
	return hadata.Data{Store: hadata.Store{Mode: flinkconf.HAKubernetes}}
}

// Which data a job runs with is compared for one that keeps its state there, and looked for where that is not known.
func TestWhoseHighAvailabilityDataIsCompared(t *testing.T) {
	at := metav1.NewTime(noon)
	known := func(s *Seen) {
		s.Resource.Status.JobStatus.HighAvailabilityData = &v1beta1.KnownHighAvailabilityData{JobID: "a", UID: "1"}
	}
	for name, row := range map[string]struct {
		then             func(s *Seen)
		compared, wanted bool
	}{
		"a job":             {func(*Seen) {}, true, true},
		"its data is known": {known, true, false},
		"it may have lost progress": {func(s *Seen) {
			known(s)
			s.Resource.Status.LostProgress = &v1beta1.LostProgress{Suspected: &at}
		}, true, true},
		"it has ended": {func(s *Seen) { s.Resource.Status.JobStatus.State = v1beta1.FlinkJobFailed }, true, false},
		"it is being stopped": {func(s *Seen) {
			s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping}
		}, true, false},
		"it is suspended": {func(s *Seen) {
			s.Resource.Spec.Job.State = v1beta1.JobStateSuspended
			deployed(t, s)
		}, true, false},
		"a session job":        {func(s *Seen) { s.Kind = v1beta1.JobKindFlinkSessionJob }, false, false},
		"a session cluster":    {sessionDeployed(t), false, false},
		"nothing was deployed": {neverDeployed, false, false},
		"it needs no state": {func(s *Seen) {
			s.Resource.Spec.Job.UpgradeMode = v1beta1.UpgradeModeStateless
			deployed(t, s)
		}, false, false},
		"its ID is not known": {func(s *Seen) { s.Resource.Status.JobStatus.JobID = "" }, false, false},
	} {
		v := newLife(t, row.then)
		v.Host = &highlyAvailable{&guest{v}}
		if got := HAIncarnation(v).compared(); got != row.compared {
			t.Errorf("%s: compared %t, want %t", name, got, row.compared)
		}
		if got := HAIncarnation(v).Wanted(); got != row.wanted {
			t.Errorf("%s: wanted %t, want %t", name, got, row.wanted)
		}
		v.Host = &guest{v}
		if HAIncarnation(v).compared() {
			t.Errorf("%s: compared, and nobody can read it", name)
		}
	}
}
