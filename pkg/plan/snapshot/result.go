package snapshot

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// result is what a rule decided, before the summary is added.
type result struct {
	situation plan.Situation
	// record stores the status before the actions.
	record bool
	// actions in order, without WakeClock and Record; finish are those that follow the status write.
	actions, finish []plan.Action
	// again asks for another round at once.
	again bool
	// stall says why nothing will happen until someone acts; zero when it is not so.
	stall cause
	// wait says what is under way; zero when nothing is.
	wait cause
	// jobDown: the job does not run and is waited for.
	jobDown bool
	// silent leaves the status as it is.
	silent bool
	// retryAt is when something that failed is tried again, if that is what is waited for; zero otherwise.
	retryAt time.Time
	// until is when another wait ends at the latest, and then is what follows; zero when nothing is known of that.
	until time.Time
	then  string
}

// requeue says how the pass goes on.
func (r result) requeue() plan.Requeue {
	switch {
	case r.again:
		return plan.RequeueNow
	case r.situation == Triggering, r.situation == Taking:
		return plan.RequeueSoon
	}
	return ""
}

// cause is a reason, one CamelCase word, and a message, one line.
type cause struct {
	reason  plan.Reason
	message string
}
