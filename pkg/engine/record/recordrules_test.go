package record

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// An upgrade that comes to nothing leaves the recorded spec as what runs was started.
func TestHowAJobThatGoesOnWasStarted(t *testing.T) {
	from := func(kind v1beta1.StartKind) func(s *world.Seen) {
		return func(s *world.Seen) { s.Resource.Status.JobStatus.StartedFrom = &v1beta1.StartPoint{Kind: kind} }
	}
	for name, row := range map[string]struct {
		then func(s *world.Seen)
		want v1beta1.UpgradeMode // empty: no spec is recorded, or one without a job
	}{
		"nothing was deployed": {func(s *world.Seen) { guesttest.NeverDeployed(s); from(v1beta1.StartEmpty)(s) }, ""},
		"a session cluster was": {func(s *world.Seen) {
			guesttest.SessionDeployed(t)(s)
			from(v1beta1.StartEmpty)(s)
		}, ""},
		"nobody knows":        {func(*world.Seen) {}, v1beta1.UpgradeModeSavepoint},
		"as the spec says":    {from(v1beta1.StartSavepoint), v1beta1.UpgradeModeSavepoint},
		"from nothing":        {from(v1beta1.StartEmpty), v1beta1.UpgradeModeStateless},
		"from its last state": {from(v1beta1.StartLastState), v1beta1.UpgradeModeLastState},
	} {
		for _, stable := range []bool{true, false} {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				row.then(s)
				if r := &s.Resource.Status.ReconciliationStatus; stable {
					r.LastStableSpec = r.LastReconciledSpec
				} else {
					r.LastStableSpec = "another"
				}
			})
			before := v.Want.ReconciliationStatus.LastReconciledSpec
			HowItRuns(v)
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
	with := func(was, is *v1beta1.JobSpec) *world.Look {
		return guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Spec.Job = was
			guesttest.Deployed(t, s)
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
	for name, act := range map[string]func(v *world.Look){
		"rolled forward": func(v *world.Look) { rolledForward(v) }, "rolled back": func(v *world.Look) { whatRuns(v) },
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
		v := guesttest.NewLife(t, func(s *world.Seen) {
			if s.Resource.Generation = 5; row.open {
				s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Generation: 3}
			}
		})
		v.Problem = row.problem
		if Suspended(v, v.Spec, v1beta1.UpgradeModeSavepoint); v.Deployed != row.want {
			t.Errorf("%s: generation %d, want %d", name, v.Deployed, row.want)
		}
	}
}
