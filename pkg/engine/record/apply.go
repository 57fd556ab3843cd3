package record

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// Decided writes what a decision says of the status, also one that passes. Events of an operation wait until it has
// begun, see Begun.
func Decided(v *world.Look, d decision.Decision) {
	Mark(v, d.Marks...)
	v.Found = d.Found.Over(v.Found)
	Show(v, d.Shown)
	if d.Scaling != nil {
		v.Autoscaler.LacksRoom, v.Autoscaler.Err = d.Scaling.LacksRoom, d.Scaling.Err
	}
	v.Also = append(v.Also, d.Also...)
	if d.Stop == nil && d.Start == nil {
		v.Events = append(v.Events, d.Events...)
	}
}

// Begun writes what counts once the operation of a decision has begun. Why it begins is told before what is done; told
// is how many events were told before it.
func Begun(v *world.Look, d decision.Decision, told int) {
	v.Events = slices.Insert(v.Events, told, d.Events...)
	Mark(v, d.Begun...)
}

// Show writes status.error, and tells what goes with it where that is new. Nil leaves it as it is.
func Show(v *world.Look, s *decision.Shown) {
	if s == nil {
		return
	}
	if s.Event != nil && v.Want.Error != s.Error {
		v.Tell(*s.Event)
	}
	v.Want.Error = s.Error
}

// Mark writes marks.
func Mark(v *world.Look, marks ...decision.Mark) {
	for _, m := range marks {
		switch m {
		case decision.Untouched:
			v.Untouched = true
		case decision.Copied:
			v.IsCopy = true
		case decision.ErrorCleared:
			v.Want.Error = ""
		case decision.NoJobManager:
			v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
		case decision.Deployed:
			v.Deployed = v.Generation
		case decision.NotRetried:
			v.Want.Retry = nil
		case decision.Stable:
			markStable(v)
		case decision.RolledForward:
			rolledForward(v)
		case decision.Reset:
			reset(v)
		case decision.Rescaling:
			v.Want.Rescaling = true
		case decision.Scaled:
			Scaled(v, v.Spec)
		case decision.HealthForgotten:
			forgetHealth(v)
		}
	}
}
