package failed

import (
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Effect is an effect of a plan that failed.
type Effect struct {
	// Action is what failed; nil is the write of the status at the end of a round.
	Action plan.Action
	// Kind is that of the error.
	Kind fail.Kind
	// Reason is one CamelCase word, Message one line.
	Reason, Message string
	// Ours is true where the time of the pass was over, so that nobody refused anything.
	Ours bool
	// Plan is the one that the action is of.
	Plan plan.Plan
}

// snapshotsRefused is why a FlinkStateSnapshot could not be made or deleted.
func (e Effect) snapshotsRefused() world.SnapshotsRefused {
	return world.SnapshotsRefused{
		Reason: e.Reason, Message: e.Message, Stays: e.Kind == fail.Denied || e.Kind == fail.Invalid,
	}
}

// Answer is what follows.
type Answer string

// The answers.
const (
	// NextLook: nothing is stored, the next look tries it.
	NextLook Answer = "NextLook"
	// Ingress: the condition IngressReady says so.
	Ingress Answer = "Ingress"
	// Objected: it is decided anew, by what the API server said of a start that nothing was stopped for yet.
	Objected Answer = "Objected"
	// NoSnapshots: it is decided anew, without the FlinkStateSnapshot.
	NoSnapshots Answer = "NoSnapshots"
	// Submission: status says so, and it is tried again after a pause.
	Submission Answer = "Submission"
	// Counted: it is tried again after a pause, see Again.
	Counted Answer = "Counted"
	// TooLargeStatus: a smaller status is stored.
	TooLargeStatus Answer = "TooLargeStatus"
	// NotInPlace: it is decided anew, without a rescale in place.
	NotInPlace Answer = "NotInPlace"
	// Disposal: an event says so.
	Disposal Answer = "Disposal"
	// Answered: it is decided anew, with the refusal as Flink's answer.
	Answered Answer = "Answered"
	// BackOrShown: an upgrade is rolled back where it can be, else as Shown.
	BackOrShown Answer = "BackOrShown"
	// Shown: status says so, and a user has to act.
	Shown Answer = "Shown"
)

// AnswerTo says what follows an effect that failed, first match wins. "Ends" is that the pass has done what it can, so
// that the error is no failure of the pass.
//
//	  #  the action                               the error                    answer          ends
//	 F1  makes or changes an Ingress              -                            Ingress         yes
//	 F2  removes an Ingress                       no conflict                  Ingress         yes
//	 F3  rehearses a start                        not ours                     Objected        yes
//	 F4  makes or removes a FlinkStateSnapshot    neither conflict nor ours    NoSnapshots     no
//	 F5  uploads or runs a jar                    no conflict                  Submission      yes
//	 F6  -                                        transient, not ours          Counted         no
//	 F7  -                                        neither denied nor invalid   NextLook        no
//	 F8  writes the status                        it is too large              TooLargeStatus  no
//	 F9  rescales a job in place                  invalid                      NotInPlace      yes
//	F10  disposes of a savepoint of the history   invalid                      Disposal        yes
//	F11  asks Flink for a savepoint or checkpoint invalid                      Answered        yes
//	F12  makes the objects of a start             -                            BackOrShown     if rolled back
//	F13  -                                        -                            Shown           no
func AnswerTo(e Effect) Answer {
	conflict, invalid := e.Kind == fail.Conflict, e.Kind == fail.Invalid
	switch e.Action.(type) {
	case plan.ApplyIngress: // it has no precondition: what looks like a stale view is a webhook's answer
		return Ingress
	case plan.DeleteIngress:
		if !conflict {
			return Ingress
		}
	case plan.Rehearse:
		if !e.Ours {
			return Objected
		}
	case plan.CreateSnapshot, plan.DeleteSnapshot:
		if !conflict && !e.Ours {
			return NoSnapshots
		}
	case plan.UploadJar, plan.RunJar:
		if !conflict {
			return Submission
		}
	}
	switch {
	case e.Kind == fail.Transient && !e.Ours:
		return Counted
	case e.Kind != fail.Denied && !invalid:
		return NextLook
	case writesStatus(e.Action) && e.Reason == fail.ReasonTooLarge:
		return TooLargeStatus
	}
	switch e.Action.(type) {
	case plan.Rescale:
		if invalid {
			return NotInPlace
		}
	case plan.DisposeSavepoint:
		if invalid {
			return Disposal
		}
	case plan.TriggerSavepoint, plan.TriggerCheckpoint:
		if invalid {
			return Answered
		}
	case plan.PrepareStart:
		return BackOrShown
	}
	return Shown
}

// writesStatus reports whether what failed is a write of the resource's status.
func writesStatus(failed plan.Action) bool {
	_, record := failed.(plan.Record)
	return failed == nil || record
}

// Outcome is what a pass does about an effect that failed.
type Outcome struct {
	// Leaner are plans that go on with a deletion; the first whose status is not too large ends it.
	Leaner []plan.Plan
	// Plans say what failed; the first whose status is not too large is carried out.
	Plans []plan.Plan
	// Ends is true where the error is no failure of the pass.
	Ends bool
	// Both is true where an error of such a plan is told beside the one that it is about.
	Both bool
}
