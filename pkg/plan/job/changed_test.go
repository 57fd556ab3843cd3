package job

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// A rescale in place that was begun and is not recorded is undone if the spec no longer asks for it, but not while
// something else is to be decided first, and never by starting a job that has ended.
func TestWhatIsLeftOfARescaleIsAChange(t *testing.T) {
	const suspended = v1beta1.JobStateSuspended
	rows := map[string]struct {
		then    func(v Life)
		problem string
		want    specdiff.Kind
	}{
		"none was begun":                {func(v Life) { v.Want.Rescaling = false }, "", specdiff.None},
		"one was begun":                 {func(Life) {}, "", specdiff.Scale},
		"the spec is invalid":           {func(Life) {}, "it is invalid", specdiff.None},
		"an operation is open":          {func(v Life) { v.Want.Intent = &v1beta1.Intent{} }, "", specdiff.None},
		"the job has ended":             {func(v Life) { v.SetJobState(v1beta1.FlinkJobFinished) }, "", specdiff.None},
		"the job is to be suspended":    {func(v Life) { v.Spec.Job.State = suspended }, "", specdiff.Upgrade},
		"the job was suspended":         {func(v Life) { v.Last.Spec.Job.State = suspended }, "", specdiff.Upgrade},
		"the spec asks for another job": {func(v Life) { v.Spec.Image = "another" }, "", specdiff.Upgrade},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := newLife(t, func(s *Seen) { s.Resource.Status.Rescaling = true })
			v.Spec, v.Problem = *v.Spec.DeepCopy(), row.problem
			row.then(v)
			v.changed = nil
			if got := v.Changed().Kind; got != row.want {
				t.Errorf("it is %s, want %s", got, row.want)
			}
		})
	}
}

// Until the mark of a rescale is stored, Flink is not asked for one; the start of another job takes it away.
func TestARescaleIsOverWithItsJob(t *testing.T) {
	v := newLife(t, func(s *Seen) { s.Resource.Status.Rescaling = true })
	for _, row := range []struct {
		purpose v1beta1.IntentPurpose
		stays   bool
	}{{v1beta1.PurposeRecover, true}, {v1beta1.PurposeUpgrade, false}} {
		v.Want.Rescaling = true
		v.Want.Intent = &v1beta1.Intent{Purpose: row.purpose, From: &v1beta1.StartPoint{Kind: v1beta1.StartEmpty}}
		Record(v).starting(v.Want.Intent, v.Spec)
		if v.Want.Rescaling != row.stays {
			t.Errorf("after a start for %s the mark stays: %t, want %t", row.purpose, v.Want.Rescaling, row.stays)
		}
	}
}
