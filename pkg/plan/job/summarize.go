package job

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restarts"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// summarize derives from the result and the status what people and the clock read: situation, conditions, lifecycle
// state, pace.
func (v Conclusion) summarize(verdict status.Verdict, more ...metav1.Condition) {
	v.Want.Situation = string(verdict.Situation)
	if verdict.Stall == nil && v.Problem != "" {
		verdict.Stall = &plan.Cause{Reason: v.ProblemReason, Message: v.Problem}
	}
	resource := *v.Resource()
	resource.Status = v.Want
	v.Want.LifecycleState = summary.DeploymentLifecycle(&resource)
	v.Want.LifecycleSince = v.lifecycleSince()
	v.setConditions(verdict, more)
	v.setGenerations()
	inFlight := len(snapshots.Pending(v.Want.JobStatus)) > 0
	m := plan.Movement{
		Now: v.Seen.Now, Since: v.Want.PaceSince, Begins: v.StoresIntent(),
		Moves: (status.Moving(verdict.Situation) || inFlight) &&
			(verdict.Stall == nil || (v.Problem != "" && verdict.Stall.Reason == v.ProblemReason)),
	}
	if verdict.Stall == nil && !inFlight {
		m.Attempt = v.nextAttempt(verdict.Wait.Reason)
	}
	v.Want.Pace, v.Want.PaceSince = m.Pace()
}

// lifecycleSince is since when the resource is in its lifecycle state. One that was just made was so from its
// beginning.
func (v Conclusion) lifecycleSince() *metav1.Time {
	stored, since := v.Resource().Status, metav1.NewTime(v.Seen.Now.Truncate(time.Second))
	switch {
	case stored.LifecycleState == v.Want.LifecycleState:
		return stored.LifecycleSince
	case stored.LifecycleState == "" && v.Want.LifecycleState == v1beta1.LifecycleCreated:
		since = v.Resource().CreationTimestamp
	}
	return &since
}

func (v Conclusion) setConditions(verdict status.Verdict, more []metav1.Condition) {
	if running, ok := summary.MakeRunning(&v.Want); ok {
		more = append([]metav1.Condition{running}, more...)
	}
	if asked, ok := v.autoscaling(); ok {
		more = append(more, asked)
	}
	v.Want.Conditions = status.Conditions(status.Facts{
		Now: v.Seen.Now, Generation: v.Resource().Generation, Stored: v.Resource().Status.Conditions,
		Problem: v.Problem, ProblemReason: v.ProblemReason,
		JobManager: v.Want.JobManagerDeploymentStatus, Job: v.Want.JobStatus.State,
		Session:   v.IsSession(),
		Suspended: (!v.LastRunning() && v.Last != nil) || (v.Last == nil && !v.WantsRunning()),
		StateSafe: LostProgress(v).condition(), More: more, Hide: v.Hide,
	}, verdict)
}

// setGenerations says which spec was judged and, where that is another one, which one is deployed. Each look judges the
// spec that it sees.
func (v Conclusion) setGenerations() {
	v.Want.ObservedGeneration, v.Want.DeployedGeneration = v.Resource().Generation, nil
	if v.Want.ReconciliationStatus.LastReconciledSpec != "" && v.Deployed != v.Want.ObservedGeneration {
		deployed := v.Deployed
		v.Want.DeployedGeneration = &deployed
	}
}

// nextAttempt is when something that failed is tried again, if that is what is waited for; zero otherwise.
func (v Conclusion) nextAttempt(waitsFor plan.Reason) time.Time {
	refused := v.Want.Refused
	switch r := v.Want.Retry; {
	case refused != nil && string(waitsFor) == refused.Reason && refused.Generation == v.Resource().Generation:
		return refused.After.Time
	case waitsFor == restarts.Pending:
		return restarts.Due(v.Want.Restarts, v.Seen.Now)
	case r != nil && string(waitsFor) == r.Reason:
		return r.After.Time
	}
	return time.Time{}
}
