package decision

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Decision is what a rule decides, as a value: it can be asked for, printed and compared. A rule reads and changes
// nothing. Package record writes what the decision says of the status, package operation begins what it asks for.
type Decision struct {
	// Passes is true where the rules that follow decide. What is marked, found and shown counts all the same.
	Passes bool
	// Marks change the status, in this order, before anything else of the decision counts.
	Marks []Mark
	// Found is what the last rule, Settled, reads of the rules that pass.
	Found Found
	// Shown is what status.error says from now on; nil leaves it as it is.
	Shown *Shown
	// Events are published. Those of a decision that begins an operation are published once it has begun.
	Events []plan.Event
	// Also are actions beside whatever else is decided. Nothing depends on them.
	Also []plan.Action
	// Scaling is what the autoscaler said, for its condition; nil: it was not asked.
	Scaling *Scaling

	// Stop takes what runs down, or starts what follows where nothing runs; nil: nothing is stopped.
	Stop *Stop
	// Start starts a job where nothing runs; nil: nothing is started.
	Start *Start
	// Snapshots is true where a steady job takes the snapshots that are due.
	Snapshots bool
	// Begun changes the status once the operation has begun.
	Begun []Mark

	// Result is what happens where no operation begins.
	Result Result
}

// Found are the causes that a rule which passes leaves for the rules that follow. Each is nil where there is none.
type Found struct {
	// Pending says which change of the spec waits for what.
	Pending *plan.Cause
	// Refused says which change of the spec needs a user.
	Refused *plan.Cause
	// Unwell says why a job that makes no progress is not restarted.
	Unwell *plan.Cause
	// Stuck says why what does not become stable is not rolled back.
	Stuck *plan.Cause
}

// Over is what was found, with what was found before where this says nothing.
func (f Found) Over(before Found) Found {
	over := func(now, before *plan.Cause) *plan.Cause {
		if now != nil {
			return now
		}
		return before
	}
	return Found{
		Pending: over(f.Pending, before.Pending), Refused: over(f.Refused, before.Refused),
		Unwell: over(f.Unwell, before.Unwell), Stuck: over(f.Stuck, before.Stuck),
	}
}

// Shown is what status.error says, with the event that is told where status says something else until now; nil: none
// is.
type Shown struct {
	// Error is status.error.
	Error string
	// Event goes with it.
	Event *plan.Event
}

// Scaling is what the autoscaler said of a job.
type Scaling struct {
	// LacksRoom is true where the nodes have no room for what it decided.
	LacksRoom bool
	// Err is why nothing could be decided; nil when something was.
	Err error
}

// Mark is a change of the status by a decision.
type Mark string

// The marks.
const (
	// Untouched: the status stays as it is stored.
	Untouched Mark = "Untouched"
	// Copied: the status was written for another resource.
	Copied Mark = "Copied"
	// ErrorCleared: status.error is empty.
	ErrorCleared Mark = "ErrorCleared"
	// NoJobManager: there is no JobManager.
	NoJobManager Mark = "NoJobManager"
	// Deployed: the generation of the spec counts as the one that runs.
	Deployed Mark = "Deployed"
	// NotRetried: what failed is not tried again.
	NotRetried Mark = "NotRetried"
	// Stable: the spec acted on last runs well, if it does.
	Stable Mark = "Stable"
	// RolledForward: the spec is what runs since a rollback.
	RolledForward Mark = "RolledForward"
	// Reset: the autoscaler was reset.
	Reset Mark = "Reset"
	// Rescaling: a rescale in place has begun.
	Rescaling Mark = "Rescaling"
	// Scaled: the spec is recorded as what runs, after a scaling that left the cluster as it is.
	Scaled Mark = "Scaled"
	// HealthForgotten: the job's health is judged anew.
	HealthForgotten Mark = "HealthForgotten"
)

// Pass leaves the decision to the rules that follow.
func Pass(marks ...Mark) Decision { return Decision{Passes: true, Marks: marks} }

// Wait leaves the decision to the rules that follow, which read what was found.
func Wait(found Found) Decision { return Decision{Passes: true, Found: found} }

// Settle is a decision that begins no operation.
func Settle(r Result, marks ...Mark) Decision { return Decision{Result: r, Marks: marks} }

// Of is the decision of a rule that gives a result; applies is false where the rules that follow decide.
func Of(r Result, applies bool) Decision { return Decision{Result: r, Passes: !applies} }

// String is one line for logs and tests, as in "stop by Savepoint for Upgrade, restore savepoint".
func (d Decision) String() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch {
	case d.Passes:
		add("pass")
	case d.Stop != nil:
		add("stop by %s for %s, restore %s", d.Stop.How, d.Stop.Purpose, d.Stop.Restore)
	case d.Start != nil && d.Start.From != nil:
		add("start for %s from %s", d.Start.Purpose, d.Start.From.Kind)
	case d.Start != nil:
		add("start for %s, restore %s", d.Start.Purpose, d.Start.Restore)
	default:
		add("%s", d.Result.Situation)
	}
	for _, m := range append(d.Marks, d.Begun...) {
		add("mark %s", m)
	}
	for _, found := range []struct {
		name  string
		cause *plan.Cause
	}{
		{"pending", d.Found.Pending}, {"refused", d.Found.Refused}, {"unwell", d.Found.Unwell}, {"stuck", d.Found.Stuck},
		{"stalled", d.Result.Stall},
	} {
		if found.cause != nil {
			add("%s %s", found.name, found.cause.Reason)
		}
	}
	if d.Result.Wait.Reason != "" {
		add("wait %s", d.Result.Wait.Reason)
	}
	return strings.Join(parts, "; ")
}

// Start is for what, and from which state, a job is started.
type Start struct {
	// Purpose is what the start is for.
	Purpose v1beta1.IntentPurpose
	// Target is the spec that is started.
	Target v1beta1.FlinkDeploymentSpec
	// From is the state that the job starts from; nil: package restore chooses it by Restore.
	From *v1beta1.StartPoint
	// Restore is how the state was kept; without From.
	Restore v1beta1.UpgradeMode
}
