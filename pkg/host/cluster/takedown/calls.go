package takedown

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// awaitCalls waits, before a session cluster is taken down, for the requests of its jobs that may be on their way, and
// for stops whose end is not recorded. The intent is stored first: a job that stores its own after that sees it, and
// waits.
func awaitCalls(v *cluster.Cluster) (decision.Result, bool) {
	if !v.Look.IsSession() || v.Look.Intent() == nil {
		return decision.Result{}, false
	}
	if v.Look.StoresIntent() {
		return decision.Result{Situation: plan.Stopping, Again: true}, true
	}
	jobs, known := v.Seen.SessionJobs.Get()
	if !known && !v.Seen.SessionJobs.IsAbsent() {
		return decision.Unobservable("the session jobs of the cluster", v.Seen.SessionJobs.Why()), true
	}
	var waits []string
	for _, j := range jobs {
		if v.Seen.Now.Before(j.CallUntil) {
			waits = append(waits, j.Name)
		}
	}
	if len(waits) == 0 {
		return decision.Result{}, false
	}
	return decision.Result{Situation: plan.Stopping, Wait: plan.Cause{
		Reason:  plan.ReasonSessionJobsBusy,
		Message: fmt.Sprintf("requests or stops of session jobs are on their way: %s", strings.Join(waits, ", ")),
	}}, true
}
