package world_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// A rescale in place that was begun and is not recorded is undone if the spec no longer asks for it, but not while
// something else is to be decided first, and never by starting a job that has ended.
func TestWhatIsLeftOfARescaleIsAChange(t *testing.T) {
	const suspended = v1beta1.JobStateSuspended
	rows := map[string]struct {
		then    func(v *world.Look)
		problem string
		want    specdiff.Kind
	}{
		"none was begun":                {func(v *world.Look) { v.Want.Rescaling = false }, "", specdiff.None},
		"one was begun":                 {func(*world.Look) {}, "", specdiff.Scale},
		"the spec is invalid":           {func(*world.Look) {}, "it is invalid", specdiff.None},
		"an operation is open":          {func(v *world.Look) { v.Want.Intent = &v1beta1.Intent{} }, "", specdiff.None},
		"the job has ended":             {func(v *world.Look) { v.SetJobState(v1beta1.FlinkJobFinished) }, "", specdiff.None},
		"the job is to be suspended":    {func(v *world.Look) { v.Spec.Job.State = suspended }, "", specdiff.Upgrade},
		"the job was suspended":         {func(v *world.Look) { v.Last.Spec.Job.State = suspended }, "", specdiff.Upgrade},
		"the spec asks for another job": {func(v *world.Look) { v.Spec.Image = "another" }, "", specdiff.Upgrade},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.Rescaling = true })
			v.Spec, v.Problem = *v.Spec.DeepCopy(), row.problem
			row.then(v)
			last := *v.Last
			v.Last = &last // what it changes is compared anew
			if got := v.Changed().Kind; got != row.want {
				t.Errorf("it is %s, want %s", got, row.want)
			}
		})
	}
}
