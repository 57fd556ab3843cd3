package tell

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restarts"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// summarize derives from the result and the status what people and the clock read: situation, conditions, lifecycle
// state, pace.
func summarize(v *world.Look, verdict status.Verdict, more ...metav1.Condition) {
	v.Want.Situation = string(verdict.Situation)
	switch verdict.Situation {
	case plan.Steady, plan.Suspended, plan.Ended: // nothing is taken down any more
		v.Want.Leases = nil
	}
	if verdict.Stall == nil && v.Problem != "" {
		verdict.Stall = &plan.Cause{Reason: v.ProblemReason, Message: v.Problem}
	}
	if verdict.Stall == nil && verdict.Situation == plan.Ended {
		verdict.Stall = endedBadly(v)
	}
	resource := *v.Resource()
	resource.Status = v.Want
	v.Want.LifecycleState = summary.DeploymentLifecycle(&resource)
	v.Want.LifecycleSince = lifecycleSince(v)
	setConditions(v, verdict, more)
	v.Want.Wait = waitOf(v, verdict)
	setGenerations(v)
	inFlight := len(snapshots.Pending(v.Want.JobStatus)) > 0
	m := plan.Movement{
		Now: v.Seen.Now, Since: v.Want.PaceSince, Begins: v.StoresIntent(),
		Moves: (status.Moving(verdict.Situation) || inFlight) &&
			(verdict.Stall == nil || (v.Problem != "" && verdict.Stall.Reason == v.ProblemReason)),
	}
	if verdict.Stall == nil && !inFlight {
		m.Attempt = nextAttempt(v, verdict.Wait.Reason)
	}
	v.Want.Pace, v.Want.PaceSince = m.Pace()
}

// endedBadly is why a job that has ended is not what the spec asks for, and how it is started again; nil for one that
// has FINISHED. Without it kstatus, and so Flux, would wait for a job that nothing restarts.
func endedBadly(v *world.Look) *plan.Cause {
	const again = "to start it again, change the spec or spec.restartNonce"
	switch v.Want.JobStatus.State {
	case v1beta1.FlinkJobFailed:
		return &plan.Cause{Reason: plan.ReasonJobFailed, Message: "the job has FAILED; " + again + ". " + toldCause(v)}
	case v1beta1.FlinkJobCanceled:
		return &plan.Cause{
			Reason: plan.ReasonJobCanceled, Message: "the job was cancelled outside of the operator; " + again,
		}
	}
	return nil
}

// toldCause is the message of status.error, or where the cause is to be looked for.
func toldCause(v *world.Look) string {
	var told struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(v.Want.Error), &told); err != nil || told.Message == "" {
		return "The logs of the JobManager have the cause"
	}
	return "The cause: " + told.Message
}

// lifecycleSince is since when the resource is in its lifecycle state. One that was just made was so from its
// beginning.
func lifecycleSince(v *world.Look) *metav1.Time {
	stored, since := v.Resource().Status, metav1.NewTime(v.Seen.Now.Truncate(time.Second))
	switch {
	case stored.LifecycleState == v.Want.LifecycleState:
		return stored.LifecycleSince
	case stored.LifecycleState == "" && v.Want.LifecycleState == v1beta1.LifecycleCreated:
		since = v.Resource().CreationTimestamp
	}
	return &since
}

func setConditions(v *world.Look, verdict status.Verdict, more []metav1.Condition) {
	if running, ok := summary.MakeRunning(&v.Want); ok {
		more = append([]metav1.Condition{running}, more...)
	}
	if asked, ok := autoscaling(v); ok {
		more = append(more, asked)
	}
	problem, reason := v.Problem, v.ProblemReason
	if r := unfit(v, verdict); problem == "" && r != nil {
		problem, reason = r.Message, r.Reason
	}
	v.Want.Conditions = status.Conditions(status.Facts{
		Now: v.Seen.Now, Generation: v.Resource().Generation, Stored: v.Resource().Status.Conditions,
		Problem: problem, ProblemReason: reason,
		JobManager: v.Want.JobManagerDeploymentStatus, Job: v.Want.JobStatus.State,
		Session:   v.IsSession(),
		Suspended: (!v.LastRunning() && v.Last != nil) || (v.Last == nil && !v.WantsRunning()),
		StateSafe: loss.Condition(v), More: more, Hide: v.Shown,
	}, verdict)
}

// unfit is why a spec that validates is not accepted all the same: nothing can be made of it; nil when that is not so.
func unfit(v *world.Look, verdict status.Verdict) *plan.Cause {
	invalid := string(metav1.StatusReasonInvalid)
	switch r := v.Found.Refused; {
	case r != nil && r.Reason == plan.ReasonRefusedByKubernetes:
		return r
	case verdict.Stall == nil:
		return nil
	case verdict.Stall.Reason == plan.ReasonCannotRender, string(verdict.Stall.Reason) == invalid && v.Intent() != nil &&
		v.Intent().Step == v1beta1.StepStarting:
		return verdict.Stall
	}
	return nil
}

// setGenerations says which spec was judged and, where that is another one, which one is deployed. Each look judges the
// spec that it sees.
func setGenerations(v *world.Look) {
	v.Want.ObservedGeneration, v.Want.DeployedGeneration = v.Resource().Generation, nil
	if v.Want.ReconciliationStatus.LastReconciledSpec != "" && v.Deployed != v.Want.ObservedGeneration {
		deployed := v.Deployed
		v.Want.DeployedGeneration = &deployed
	}
}

// waitOf is what status.wait says. First match wins:
//
//	what is waited for                                 status.wait
//	has a time, as the rule knows it                   until then, and what follows
//	a start that may be rolled back becomes stable     until it is rolled back
//	otherwise, or nothing                              absent
func waitOf(v *world.Look, verdict status.Verdict) *v1beta1.Wait {
	cause := verdict.Wait
	if verdict.Stall != nil {
		cause = *verdict.Stall
	}
	if verdict.Stall == nil && !status.Moving(verdict.Situation) {
		return nil
	}
	at, goesBack := facts.RollbackAt(v)
	if cause.Until.IsZero() && goesBack && verdict.Stall == nil && v.AtRest() && !facts.IsStable(v) {
		cause.Until, cause.Then = at, "what was deployed is rolled back to the last stable spec"
	}
	return status.Wait(cause, verdict.Situation)
}

// nextAttempt is when something that failed is tried again, if that is what is waited for; zero otherwise.
func nextAttempt(v *world.Look, waitsFor plan.Reason) time.Time {
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
