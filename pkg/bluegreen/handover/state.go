package handover

import "time"

// Step is how far a handover is. It is stored before what it does is begun.
type Step string

// The steps.
const (
	// Warm makes the target ready for the job, which runs on the side that serves.
	Warm Step = "WARM"
	// Stop stops the job of the side that serves with a savepoint.
	Stop Step = "STOP"
	// Release runs the job on the target, until its first completed checkpoint.
	Release Step = "RELEASE"
	// Fence ends the job of a target that failed. Nobody runs.
	Fence Step = "FENCE"
	// Return runs the job on the side that served, again.
	Return Step = "RETURN"
)

// State is what status keeps of a handover.
type State struct {
	// Step is how far it is.
	Step Step
	// Began is when the handover began, and Since when that step did.
	Began, Since time.Time
	// Failures counts the stops that failed.
	Failures int
	// Earlier is what the job that serves would start from when its stop was decided: no savepoint of that stop.
	Earlier string
	// Path is the savepoint of the stop, which the target starts from; empty before.
	Path string
	// Why says what was given up, for users; empty while nothing was.
	Why string
}

// Side is one of the two.
type Side string

// The sides.
const (
	// Nobody is neither of them.
	Nobody Side = ""
	// Serving is the side that served when the handover began.
	Serving Side = "serving"
	// Target is the new one.
	Target Side = "target"
)

// May is the one side whose job may be told to run; Nobody for neither.
func (s State) May() Side {
	switch s.Step {
	case Warm, Return:
		return Serving
	case Release:
		return Target
	}
	return Nobody
}

// Options are those of the pair.
type Options struct {
	// Grace is how long the target may take to become warm, and the stop.
	Grace time.Duration
	// Deadline is how long the target may take from its release to its first completed checkpoint.
	Deadline time.Duration
	// Preflight has main of the new job run up to its submission before the old job is stopped.
	Preflight bool
	// Upgrade says that a target without room is followed by the upgrade of the job in one place.
	Upgrade bool
}

// Wish is what the spec asks for now.
type Wish string

// The wishes.
const (
	// Move is the handover itself.
	Move Wish = "move"
	// Another is a handover to another spec.
	Another Wish = "another"
	// Back is the spec of the side that serves.
	Back Wish = "back"
	// Suspend is no job at all.
	Suspend Wish = "suspend"
)

// Answer is what is known of something that has a yes, a no, and a time before either.
type Answer string

// The answers.
const (
	// Unknown: it was not asked for, or who was asked did not answer.
	Unknown Answer = ""
	// Pending: it is under way.
	Pending Answer = "pending"
	// Yes and No are known for good.
	Yes Answer = "yes"
	No  Answer = "no"
)

// Job is a FlinkSessionJob of a side, by its status.
type Job struct {
	// Unread says why it could not be read; empty when it was.
	Unread string
	// Gone is true when there is none, or it is being deleted. How far it came, nobody can tell then.
	Gone bool
	// Wanted is true when its spec asks for a running job.
	Wanted bool
	// Runs is Yes when all its tasks run, and No when it has ended because its spec says so: it is suspended at its newest
	// generation, and nothing is under way.
	Runs Answer
	// Failed says why it cannot run; empty while it may. Its own passes may still try.
	Failed string
	// StopFailed says why the stop that its spec asks for failed; empty while it did not. It runs on.
	StopFailed string
	// Path is what its next start begins from, where it runs or ended with a savepoint; empty for none.
	Path string
	// Checkpoint is Yes once it has completed one since its start, and No when it is known that it has not.
	Checkpoint Answer
}

// Cluster is the session cluster of the target.
type Cluster struct {
	// Ready is Yes when its JobManager answers and its slots are enough for the job.
	Ready Answer
	// Why says what it waits for, or why it is not ready; empty for nothing.
	Why string
	// NoRoom says that its pods were refused or do not fit: by a quota, a limit, or the nodes.
	NoRoom bool
	// Planned is Yes when main came to its submission on it, and No when main failed.
	Planned Answer
	// PlanFailed says why main failed; empty when it did not.
	PlanFailed string
	// Ran is Yes when the job that warms it has ended well, and No when it failed.
	Ran Answer
}

// Seen is all that one decision sees.
type Seen struct {
	// Now is the time of the look.
	Now time.Time
	// State is what status keeps.
	State State
	// Options are those of the pair.
	Options Options
	// Wish is what the spec asks for.
	Wish Wish
	// Cluster is the target's.
	Cluster Cluster
	// Serving and Target are the jobs of the two sides.
	Serving, Target Job
}

// Effect is something to do. All are harmless when they are done twice.
type Effect string

// The effects. Those on a job change its spec, with its UID and generation as preconditions.
const (
	// Plan runs main up to its submission on the target.
	Plan Effect = "plan"
	// WarmUp runs the job that warms the target.
	WarmUp Effect = "warm up"
	// StopServing suspends the job of the side that serves, with a savepoint.
	StopServing Effect = "stop serving"
	// RunTarget runs the job of the target from State.Path.
	RunTarget Effect = "run target"
	// EndTarget suspends the job of the target without a savepoint, and keeps its checkpoints: upgrade mode last-state.
	EndTarget Effect = "end target"
	// RunServing runs the job of the side that served from the savepoint of its stop.
	RunServing Effect = "run serving"
)

// End is how a handover ends.
type End string

// The ends.
const (
	// Goes on.
	Goes End = ""
	// Done: the target serves, and the other side is retired.
	Done End = "done"
	// GivenUp: the side that served serves; the target is suspended and kept.
	GivenUp End = "given up"
	// Withdrawn: the target is not wanted any more.
	Withdrawn End = "withdrawn"
	// Upgraded: the job is upgraded in one place.
	Upgraded End = "upgraded"
	// Redirected: the target gets the spec that was changed, and the handover begins anew.
	Redirected End = "redirected"
)

// Decision is what one look decided.
type Decision struct {
	// State is the next one.
	State State
	// Stored is true when it is to be stored, over the version that was read, before the effects: whoever read an older
	// one does nothing then.
	Stored bool
	// Effects follow in order.
	Effects []Effect
	// End is how it ends; Goes while it goes on.
	End End
	// Wait says what is waited for; empty for nothing.
	Wait string
	// Stalled is true when that does not come unless a user acts.
	Stalled bool
}
