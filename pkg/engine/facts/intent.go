package facts

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Whole reports whether an intent says what its step needs.
//
//	step       says
//	Stopping   what it stops
//	Starting   which state the job starts from
//	Released   what was released
func Whole(intent *v1beta1.Intent) bool {
	switch intent.Step {
	case v1beta1.StepStopping:
		return intent.Stops != nil && (!intent.Ended || intent.From != nil || !keepsState(intent.Stop))
	case v1beta1.StepStarting:
		return intent.From != nil
	case v1beta1.StepReleased:
		return intent.Release != nil && intent.From != nil
	}
	return true // an unknown step is told as that
}

// keepsState reports whether a stop ends with a state that its successor starts from.
func keepsState(how v1beta1.StopKind) bool {
	return how == v1beta1.StopSavepoint || how == v1beta1.StopCancel
}
