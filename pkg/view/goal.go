package view

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// End says how far a wait is.
type End int

const (
	// Going: it is not there yet.
	Going End = iota
	// Reached: it is as asked.
	Reached
	// Never: it ended otherwise, or waits for a user.
	Never
)

// goal is something that can be waited for.
type goal struct {
	// reached and never say how a resource whose newest generation was looked at is.
	reached func(s subject) bool
	never   func(s subject) bool
}

// goals are what can be waited for. A resource that is Stalled never gets there, unless it is there.
//
//	goal       there when                             never when
//	ready      Ready is True                          Stalled
//	stable     lifecycleState STABLE                  Stalled, FAILED, ROLLED_BACK
//	running    the job is RUNNING                     Stalled, or the job has ended
//	suspended  lifecycleState SUSPENDED               Stalled
//	finished   the job is FINISHED                    Stalled, or the job ended otherwise
//	completed  the snapshot is COMPLETED              Stalled, ABANDONED
//	deleted    the resource is gone                   -
var goals = map[string]goal{
	"ready": {func(s subject) bool {
		return s.holds(summary.Ready) != nil || s.ofAnother() && s.lifecycle(v1beta1.LifecycleStable)
	}, nothingMore},
	"stable": {func(s subject) bool { return s.lifecycle(v1beta1.LifecycleStable) }, func(s subject) bool {
		return s.lifecycle(v1beta1.LifecycleFailed, v1beta1.LifecycleRolledBack)
	}},
	"running": {func(s subject) bool { return s.Status.JobStatus.State == v1beta1.FlinkJobRunning }, ended},
	"suspended": {
		func(s subject) bool { return s.lifecycle(v1beta1.LifecycleSuspended) || s.suspendedPair() }, nothingMore,
	},
	"finished": {func(s subject) bool { return s.Status.JobStatus.State == v1beta1.FlinkJobFinished }, ended},
	"completed": {func(s subject) bool { return s.Status.State == string(v1beta1.SnapshotCompleted) },
		func(s subject) bool { return s.Status.State == string(v1beta1.SnapshotAbandoned) }},
	"deleted": {nothingMore, nothingMore},
}

// ofAnother is whether the status is of an operator that does not say whether a resource is ready.
func (s subject) ofAnother() bool {
	return s.condition(summary.Ready) == nil && s.condition(summary.Stalled) == nil
}

func nothingMore(subject) bool { return false }

func ended(s subject) bool { return s.Status.JobStatus.State.IsTerminal() }

func (s subject) lifecycle(of ...v1beta1.LifecycleState) bool {
	return slices.Contains(of, s.Status.LifecycleState)
}

// suspendedPair is whether a blue/green deployment, which has no lifecycleState, is suspended.
func (s subject) suspendedPair() bool {
	c := s.holds(summary.Ready)
	return s.Status.BlueGreenState != "" && c != nil && c.Reason == summary.ReasonSuspended
}

// Goals are the names of what can be waited for.
func Goals() []string {
	return []string{"ready", "stable", "running", "suspended", "finished", "completed", "deleted"}
}

// GoalOf is what a resource is waited for where nothing is named: that its snapshot is complete, that its job is
// suspended as its spec asks, or that it is ready.
func GoalOf(object *unstructured.Unstructured) string {
	s, _ := read(object) // what cannot be read waits to be ready
	job := s.jobSpec()
	switch {
	case object.GetDeletionTimestamp() != nil:
		return "deleted"
	case s.GetKind() == v1beta1.KindFlinkStateSnapshot:
		return "completed"
	case job != nil && job.State == string(v1beta1.JobStateSuspended):
		return "suspended"
	}
	return "ready"
}

// Progress is how a wait stands.
type Progress struct {
	// End says how far it is.
	End End
	// Line is the resource in one line.
	Line string
	// Unseen is whether no operator has looked at the newest generation yet.
	Unseen bool
}

// ProgressOf is how a wait for a goal stands; a nil resource is gone.
func ProgressOf(object *unstructured.Unstructured, name string) Progress {
	if object == nil {
		end := Never
		if name == "deleted" {
			end = Reached
		}
		return Progress{end, "it is gone", false}
	}
	s, err := read(object)
	row := RowOf(object)
	progress := Progress{Line: row.Line()}
	if err != nil {
		progress.End = Never
		return progress
	}
	if row.Judged < row.Generation {
		progress.Unseen = true
		if row.Judged > 0 {
			progress.Line += fmt.Sprintf(" (generation %d was not looked at yet)", row.Generation)
		}
		return progress
	}
	switch goal := goals[name]; {
	case goal.reached(s):
		progress.End = Reached
	case name != "deleted" && (goal.never(s) || row.Need == NeedUser):
		progress.End = Never
	}
	return progress
}

// Line is a row in one line.
func (r Row) Line() string {
	line := dash(r.Lifecycle)
	switch {
	case strings.Contains(r.Job, " job"): // how many a session cluster has
		line += ", " + r.Job
	case r.Job != "":
		line += ", job " + r.Job
	}
	if r.Now != "" {
		line += strings.TrimRight(" "+r.Need.mark(), " ") + " " + r.Now
	}
	return line
}

// Kept is the state that a suspended job has kept, as what follows a sentence; empty for any other.
func Kept(object *unstructured.Unstructured) string {
	if object == nil {
		return ""
	}
	s, _ := read(object) // what cannot be read names no state
	if !s.lifecycle(v1beta1.LifecycleSuspended) {
		return ""
	}
	for _, state := range s.states() {
		if state.What == "next start" {
			return ", state: " + s.secrets().Text(state.Path)
		}
	}
	return ", no state"
}
