package loss

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Verdict says what is known of the progress of a job that began again, or may have.
type Verdict string

// The verdicts.
const (
	// AsBefore: nothing is known that was not known before.
	AsBefore Verdict = "AsBefore"
	// Suspected: the job is held to what Flink says that it was restored from.
	Suspected Verdict = "Suspected"
	// Safe: no more was lost than is told.
	Safe Verdict = "Safe"
	// Lost: the job began again with less than it had done.
	Lost Verdict = "Lost"
	// Unknown: it cannot be found out any more whether it did.
	Unknown Verdict = "Unknown"
)

// Evidence is what was seen of such a job.
type Evidence string

// What a look sees: another run of the job, what Flink says it was restored from, and its high-availability data.
const (
	runWithoutHA      Evidence = "runWithoutHA"
	runWithHA         Evidence = "runWithHA"
	restoreUntold     Evidence = "restoreUntold"
	restoreOutdated   Evidence = "restoreOutdated"
	neverBegan        Evidence = "neverBegan"
	restoredNothing   Evidence = "restoredNothing"
	ownNumbersAnew    Evidence = "ownNumbersAnew"
	ownNumbersUnclear Evidence = "ownNumbersUnclear"
	ownNumbersOn      Evidence = "ownNumbersOn"
	restoredOlder     Evidence = "restoredOlder"
	restoredNewest    Evidence = "restoredNewest"
	dataAnother       Evidence = "dataAnother"
	dataForgot        Evidence = "dataForgot"
)

// What an operation sees as it begins, goes on or ends.
const (
	runGoneUntold    Evidence = "runGoneUntold"
	runGoneCounted   Evidence = "runGoneCounted"
	startFromNothing Evidence = "startFromNothing"
	startFromLess    Evidence = "startFromLess"
	startUnseen      Evidence = "startUnseen"
	startFromAnother Evidence = "startFromAnother"
	stopUnlisted     Evidence = "stopUnlisted"
	stopHeldUp       Evidence = "stopHeldUp"
	suspendedAbsent  Evidence = "suspendedAbsent"
	mayHaveBegun     Evidence = "mayHaveBegun"
)

// verdicts are by evidence. "Its own" is a checkpoint that this run may have made: Flink has restarted the job from it,
// and no longer shows what the run began from.
//
//	evidence           what was seen                                                              verdict
//	runWithoutHA       another run, which nobody started; the job keeps no high-availability      Lost
//	                   data, so it began from what its start was given
//	runWithHA          another run; where a job fails for good, Flink deletes that data           Suspected
//	restoreUntold      the statistics of a suspected run are unknown                              AsBefore
//	restoreOutdated    they name no restore, and may be from before it                            AsBefore
//	neverBegan         they name none, and Flink refused to begin the job without its data        AsBefore
//	restoredNothing    they name none                                                             Lost
//	ownNumbersAnew     it was restored from its own, and its numbers began anew                   Lost
//	ownNumbersUnclear  from its own, and its numbers may have begun anew, or the run from what    Unknown
//	                   its start was given; it may have made as many as are known
//	ownNumbersOn       from its own                                                               Safe
//	restoredOlder      from a savepoint, what its start was given, or a checkpoint with a         Lost
//	                   smaller number than the one known
//	restoredNewest     from another checkpoint                                                    Safe
//	dataAnother        it runs with other high-availability data than it was seen to run with     Lost
//	dataForgot         that data forgot its checkpoints, and the job runs                         Lost
//	runGoneUntold      a suspected run is gone, and nothing tells what it was restored from       Unknown
//	runGoneCounted     it is gone, and cannot have made as many checkpoints as are known          AsBefore
//	startFromNothing   a job that ran is lost, and starts from data that names no checkpoint:     Lost
//	                   no process writes to that any more
//	startFromLess      it starts from data that may name less than it had completed               Suspected
//	startUnseen        it was released long ago, no run was recorded, and the data names none     Suspected
//	startFromAnother   it starts from other data than it was last seen to run with                Lost
//	stopUnlisted       a job that ran is taken down for its data, and Flink does not list it      Suspected
//	stopHeldUp         such a stop takes longer than it most likely does                          Suspected
//	suspendedAbsent    a job that ran is suspended to go on from its data, and its JobManager     Suspected
//	                   is lost
//	mayHaveBegun       a JobManager was taken down, and may have begun the job                    Unknown
var verdicts = map[Evidence]Verdict{
	runWithoutHA: Lost, runWithHA: Suspected,
	restoreUntold: AsBefore, restoreOutdated: AsBefore, neverBegan: AsBefore,
	restoredNothing: Lost, ownNumbersAnew: Lost, ownNumbersUnclear: Unknown, ownNumbersOn: Safe,
	restoredOlder: Lost, restoredNewest: Safe, dataAnother: Lost, dataForgot: Lost,
	runGoneUntold: Unknown, runGoneCounted: AsBefore,
	startFromNothing: Lost, startFromLess: Suspected, startUnseen: Suspected, startFromAnother: Lost,
	stopUnlisted: Suspected, stopHeldUp: Suspected, suspendedAbsent: Suspected, mayHaveBegun: Unknown,
}

// give writes the verdict on evidence of a job, and tells of a new one. before is the start time of the run that may
// have done more, from what the job began again from, where that is known.
func give(v *world.Look, e Evidence, before, from string) {
	verdict := verdicts[e]
	if verdict == AsBefore {
		return
	}
	if v.Want.LostProgress == nil {
		v.Want.LostProgress = &v1beta1.LostProgress{Before: before}
	}
	lost, now := v.Want.LostProgress, v.Now()
	told := plan.Event{Warning: true, Component: plan.ComponentJob}
	switch verdict {
	case Suspected:
		lost.Suspected = &now
		return
	case Safe:
		if lost.Suspected = nil; lost.Seen == nil && lost.Unknown == nil {
			v.Want.LostProgress = nil
		}
		return
	case Lost:
		lost.Seen, lost.Suspected, lost.From = &now, nil, v.Hide(from)
		told.Reason, told.Message = plan.ReasonJobRestarted, lostText(v)
	case Unknown:
		lost.Unknown = &now
		told.Reason, told.Message = plan.ReasonRestoreNotShown, unknownText(v)
	}
	lost.Generation = v.Resource().Generation
	v.Tell(told)
}

// isTold reports whether status tells that progress was lost, or may have been.
func isTold(v *world.Look) bool {
	lost := v.Want.LostProgress
	return lost != nil && (lost.Seen != nil || lost.Unknown != nil)
}

// suspects reports whether the job is suspected to have lost progress.
func suspects(v *world.Look) bool { return facts.Suspected(v.Want.LostProgress) }
