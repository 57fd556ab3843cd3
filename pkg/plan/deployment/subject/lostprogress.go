package subject

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// observeLostProgress notices a job that has begun again while nothing was under way: its start time is another one.
// before is what was recorded of the job until now.
//
//	high availability   the job          then
//	any                 may start empty  nothing: it keeps no state
//	on                  -                nothing: it was restored from its last checkpoint
//	off                 keeps its state  a Warning, and StateSafe=False, see endsLostProgress: it began from what this
//	                                     one gave
func (v *Subject) observeLostProgress(before v1beta1.JobStatus) {
	again := before.StartTime != "" && before.StartTime != v.Want.JobStatus.StartTime
	if !again || v.MayStartEmpty() || v.HA().Store.Mode != flinkconf.HANone {
		return
	}
	given := v.Want.JobStatus.UpgradeSavepointPath
	v.Want.LostProgress = &v1beta1.LostProgress{
		Seen: v.Now(), Before: before.StartTime, From: v.Hide(given), Generation: v.Resource().Generation,
	}
	message := v.ProgressLost()
	v.Tell(plan.Event{Warning: true, Reason: plan.ReasonJobRestarted, Component: plan.ComponentJob, Message: message})
}

// endsLostProgress reports whether a start ends what is told of lost progress: somebody gave the state up, chose
// another, or asked for the start after it was told. A spec that was there before it was seen goes on from what is
// left.
func (v *Subject) endsLostProgress(intent *v1beta1.Intent) bool {
	lost := v.Want.LostProgress
	switch {
	case lost == nil, intent.Purpose == v1beta1.PurposeRecover:
		return false
	case intent.Purpose == v1beta1.PurposeRedeploy, v.MayStartEmpty():
		return true
	}
	return intent.Generation > lost.Generation
}

// ProgressLost says what was lost and what a person can do; empty when nothing was.
func (v *Subject) ProgressLost() string {
	lost := v.Want.LostProgress
	if lost == nil {
		return ""
	}
	from := "without state"
	if lost.From != "" {
		from = "from " + lost.From
	}
	return fmt.Sprintf("The JobManager was replaced without high availability, as seen at %s, so the job began again %s:"+
		" what it had done since is lost or done twice. The newest checkpoint of the run before may still be there."+
		" %s Any other start takes the state that the job has then.",
		lost.Seen.UTC().Format(time.RFC3339), from, v.Remedy())
}
