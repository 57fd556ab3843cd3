package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Verdict is what a rule decided, as far as it shows in status.
type Verdict struct {
	// Situation is what the round found.
	Situation plan.Situation
	// Stall says why nothing will happen until someone acts; nil when it is not so.
	Stall *plan.Cause
	// Wait says what is waited for; zero for the situation's own words.
	Wait plan.Cause
	// PodFailure says why the JobManager does not start; nil when nothing says so.
	PodFailure *plan.Cause
}

// moving are the situations in which something is under way that a next look may carry on.
var moving = map[plan.Situation]bool{
	plan.Deleting: true, plan.Stopping: true, plan.Starting: true, plan.FirstStart: true, plan.Upgrade: true,
	plan.Suspend: true, plan.Resume: true, plan.Lost: true, plan.Waiting: true, plan.Unobservable: true,
}

// Moving reports whether something is under way in a situation.
func Moving(s plan.Situation) bool { return moving[s] }

// Wait is what status.wait says of a cause in a situation: nil where nothing has a time, or where that is not known.
func Wait(cause plan.Cause, s plan.Situation) *v1beta1.Wait {
	if cause.Until.Unix() <= 0 {
		return nil
	}
	reason := cause.Reason
	if reason == "" {
		reason = plan.Reason(s)
	}
	return &v1beta1.Wait{
		For: string(reason), Until: metav1.NewTime(cause.Until.UTC().Truncate(time.Second)), Then: cause.Then,
	}
}
