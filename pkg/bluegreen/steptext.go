package bluegreen

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// startOf is what the target starts from.
func startOf(t v1beta1.BlueGreenTransition) string {
	if t.Handover.From != "" {
		return t.Handover.From
	}
	return t.Path
}

// stepText says what a step does that has just begun.
func (v *view) stepText(t v1beta1.BlueGreenTransition) string {
	switch t.Step {
	case v1beta1.BlueGreenStop:
		return "the job of FlinkDeployment " + v.name(t.From) + " is being stopped with a savepoint"
	case v1beta1.BlueGreenRelease:
		return "the job starts on FlinkDeployment " + v.name(t.Target)
	case v1beta1.BlueGreenFence:
		return "the job is being ended on FlinkDeployment " + v.name(t.Target)
	case v1beta1.BlueGreenReturn:
		return "the job starts on FlinkDeployment " + v.name(t.From) + " again"
	}
	return "FlinkDeployment " + v.name(t.Target) + " is being made warm"
}

// dark is how long no job ran; false while that is not known.
func dark(h *v1beta1.BlueGreenHandover) (time.Duration, bool) {
	if h == nil || h.StoppedAt.IsZero() || h.RunningAt.IsZero() {
		return 0, false
	}
	return max(0, h.RunningAt.Sub(h.StoppedAt.Time)), true
}

// darkText says how long no job ran, for the end of a sentence.
func darkText(t v1beta1.BlueGreenTransition) string {
	if gap, known := dark(t.Handover); known {
		return fmt.Sprintf("; no job ran for %.2f s", gap.Seconds())
	}
	return ""
}
