package loss

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// Condition is the condition of a job that began again without its newest state, or maybe without; nil when it did not.
// One that may have left state out at its start, as it was told to, says so until the next start: what it goes on with
// is safe.
func Condition(v *world.Look) *metav1.Condition {
	lost, from := v.Want.LostProgress, v.Want.JobStatus.StartedFrom
	switch {
	case lost != nil && lost.Seen != nil:
		c := status.Condition(summary.StateSafe, false, plan.ReasonJobRestarted, lostText(v))
		return &c
	case lost != nil && lost.Unknown != nil:
		c := status.Condition(summary.StateSafe, false, plan.ReasonRestoreNotShown, unknownText(v))
		c.Status = metav1.ConditionUnknown
		return &c
	case from != nil && from.UnclaimedStateIgnored:
		c := status.Condition(summary.StateSafe, true, plan.ReasonUnclaimedStateIgnored,
			"The job was started from "+from.Path+facts.UnclaimedIgnored)
		return &c
	}
	return nil
}

// lostText says what was lost and what a person can do.
func lostText(v *world.Look) string {
	lost := v.Want.LostProgress
	from := "without state"
	if lost.From != "" {
		from = "from " + lost.From
	}
	return fmt.Sprintf("The JobManager was replaced, as seen at %s, and no high-availability data named the job's newest"+
		" checkpoint, so the job began again %s: what it had done since is lost or done twice. The newest checkpoint of"+
		" the run before may still be there. %s Any other start takes the state that the job has then.",
		lost.Seen.UTC().Format(time.RFC3339), from, v.Remedy())
}

// unknownText says the same where nobody knows whether something was lost, be it because nobody saw the job begin.
func unknownText(v *world.Look) string {
	lost := v.Want.LostProgress
	happened := "The JobManager was replaced, and lost again before %s, and Flink had not said by then from which" +
		" checkpoint the job had gone on. If the run before"
	if lost.Before == "" {
		happened = "A JobManager was taken down before %s, and it is not known whether it had begun the job. If it had," +
			" and it"
	}
	return fmt.Sprintf(happened+" had failed for good, what it had done is lost. Look whether"+
		" the job's checkpoint directory has a newer checkpoint of it. %s Any other start takes the state that the job"+
		" has then.", lost.Unknown.UTC().Format(time.RFC3339), v.Remedy())
}
