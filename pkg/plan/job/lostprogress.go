package job

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// LostProgress knows whether a job that began again lost what it had done: it suspects that, judges it by what Flink
// says the job was restored from, and tells it until somebody gave the state up or chose another.
type LostProgress Life

// observe notices a job that has begun again while nothing was under way: its start time is another one. before is what
// was recorded of the job until now.
//
//	high availability  the job          then
//	any                may start empty  nothing: it keeps no state
//	off                keeps its state  lost: it began from what this start was given
//	on                 keeps its state  suspected, until Flink says what it was restored from: where a job fails for
//	                                    good, Flink deletes its high-availability data
//
// What is lost is a Warning, and StateSafe=False, see LostProgress.end.
func (v LostProgress) observe(before v1beta1.JobStatus) {
	again := beganAgain(v.Want.JobStatus.StartTime, before) && !v.MayStartEmpty()
	switch lost := v.Want.LostProgress; {
	case again && !HAData(v).on():
		v.Want.LostProgress = &v1beta1.LostProgress{Before: before.StartTime}
		v.lose(v.Want.JobStatus.UpgradeSavepointPath)
	case again:
		if lost != nil {
			v.giveUpRestore(before.StartTime)
		} else {
			v.Want.LostProgress = &v1beta1.LostProgress{Before: before.StartTime}
		}
		now := v.Now()
		v.Want.LostProgress.Suspected = &now
	}
	if suspected(v.Want.LostProgress) {
		v.judge()
	}
}

// beganAgain reports whether a start time that Flink tells of a job is of another run than status recorded, though
// nobody started one.
func beganAgain(startTime string, recorded v1beta1.JobStatus) bool {
	return recorded.StartTime != "" && recorded.StartTime != startTime
}

// suspected reports whether the job began again with high availability, and Flink did not say yet what it was restored
// from.
func suspected(lost *v1beta1.LostProgress) bool { return lost != nil && lost.Suspected != nil }

// awaitsRestore reports whether a change waits for what the job was restored from: once it is stopped, nobody can tell.
// That is known a few seconds after the job runs, or not within a minute after its JobManager became ready. A Flink
// that does not answer for less than a minute counts as one whose job goes on.
func (v LostProgress) awaitsRestore() bool {
	goesOn := v.Job != nil && !v.Job.State.IsTerminal() || v.Job == nil && unanswered(Life(v))
	if !suspected(v.Want.LostProgress) || !goesOn {
		return false
	}
	return v.Since(*v.Want.LostProgress.Suspected) < answerTimeout || v.Since(v.Host.AvailableAt()) < answerTimeout
}

// mayHaveMade is how many checkpoints a run of that start time may have completed until now, a few by hand included.
func (v LostProgress) mayHaveMade(run string) int64 {
	interval := options.Read(v.Config().Duration, key.CheckpointingInterval, 0)
	return 2 + int64(v.Seen.Now.Sub(startOf(run))/max(interval, time.Second))
}

// judge looks what a job that began again was restored from. "Its own" is a checkpoint that this run may have made:
// Flink has restarted the job from it, and shows what the run began from no more. First match wins:
//
//	the statistics                the job was restored from                                 then
//	unknown                       -                                                         suspected
//	may be from before a restore  nothing                                                   suspected
//	of a job that never began     nothing                                                   suspected
//	show a restore                nothing                                                   lost
//	its numbers began anew        its own                                                   lost
//	its numbers may have begun    its own                                                   nobody knows any more
//	anew
//	-                             its own, where the run may have begun from what this      nobody knows any more
//	                              start was given
//	-                             a savepoint, or what this start was given                 lost
//	-                             a checkpoint with a smaller number than the one known     lost
//	-                             another checkpoint                                        no more was lost
func (v LostProgress) judge() {
	c, found := v.Seen.Flink.Checkpoints.Get()
	empty := !found || c.Restored == nil
	own := !empty && mayBeOwnOf(c)
	switch {
	case v.Seen.Flink.Checkpoints.IsUnknown(), empty && !v.showsRestore(), empty && v.refusedToBegin():
	case empty, own && v.beganAnew(max(c.First, c.FirstLatest)):
		v.lose("")
	case own:
		if v.Want.JobStatus.UpgradeSavepointPath != "" || v.beganAnew(c.First) {
			v.giveUpRestore(v.Want.JobStatus.StartTime)
		}
		v.endSuspicion()
	case v.restoredOlder(*c.Restored):
		v.lose(c.Restored.Path)
	default:
		v.endSuspicion()
	}
}

// mayBeOwnOf reports whether a run may have made the checkpoint itself that it was restored from last. One that was
// restored once, and whose numbers do not begin with 1, was restored as it began.
func mayBeOwnOf(c Checkpoints) bool {
	asItBegan := c.Restored.Times == 1 && c.First > 1
	return c.First > 0 && c.Restored.Number >= c.First && !asItBegan
}

// beganAnew reports whether the numbers of a run's checkpoints, of which this is the first, show that it was restored
// from none, or from an older one than the newest known.
func (v LostProgress) beganAnew(first int64) bool {
	known := KnownCheckpoint(v.Want.JobStatus)
	if first == 1 || known == nil {
		return first == 1
	}
	number, numbered := checkpointNumber(known.Path)
	return numbered && first <= number
}

// endSuspicion notes that no more was lost than is told.
func (v LostProgress) endSuspicion() {
	if lost := v.Want.LostProgress; lost.Seen == nil && lost.Unknown == nil {
		v.Want.LostProgress = nil
	} else {
		lost.Suspected = nil
	}
}

// refusedToBegin reports whether the job failed and was not to begin without its high-availability data: Flink refuses
// to start it then, see v1beta1.LastStatePlaceholder.
func (v LostProgress) refusedToBegin() bool {
	return v.Job.State == v1beta1.FlinkJobFailed &&
		v.Want.JobStatus.UpgradeSavepointPath == v1beta1.LastStatePlaceholder
}

// giveUpRestore notes that nobody can find out any more what a run, of that start time, was restored from, as another
// one follows. Where a checkpoint of the run before is known, its number tells, unless this one may have made as many,
// or this start was given a path: Flink goes on with its numbers, and nobody knows which.
func (v LostProgress) giveUpRestore(run string) {
	lost := v.Want.LostProgress
	if !suspected(v.Want.LostProgress) || lost.Unknown != nil || run == "" || run == lost.Before {
		return
	}
	given := v.Want.JobStatus.UpgradeSavepointPath
	if known := KnownCheckpoint(v.Want.JobStatus); known != nil && (given == "" || given == v1beta1.LastStatePlaceholder) {
		number, numbered := checkpointNumber(known.Path)
		if numbered && number > v.mayHaveMade(run) {
			return
		}
	}
	v.doubt()
}

// doubt records, and tells, that nobody knows whether the job lost what it had done.
func (v LostProgress) doubt() {
	lost, now := v.Want.LostProgress, v.Now()
	lost.Unknown, lost.Generation = &now, v.Resource().Generation
	v.Tell(plan.Event{
		Warning: true, Reason: plan.ReasonRestoreNotShown, Component: plan.ComponentJob, Message: v.unknownText(),
	})
}

// lose records, and tells, that the job began again from a state, or from none.
func (v LostProgress) lose(from string) {
	lost, now := v.Want.LostProgress, v.Now()
	lost.Seen, lost.Suspected, lost.From, lost.Generation = &now, nil, v.Hide(from), v.Resource().Generation
	message := v.lostText()
	v.Tell(plan.Event{Warning: true, Reason: plan.ReasonJobRestarted, Component: plan.ComponentJob, Message: message})
}

// showsRestore reports whether the statistics are newer than the moment in which the job was restored: its tasks have
// run, or it has ended, for longer than an answer is kept in Flink's cache.
func (v LostProgress) showsRestore() bool {
	if v.Job.State.IsTerminal() {
		return LastState(v).settled(*v.Job) && !v.Seen.Flink.NoGraph
	}
	age := v.StatisticsAge() + statisticsRoom
	return v.Job.Runs() && v.Since(*v.Want.LostProgress.Suspected) >= age && v.Since(v.EndedAt()) >= age
}

// restoredOlder reports whether what a job was restored from is none of its own checkpoints, or older than the one that
// it is known to have completed.
func (v LostProgress) restoredOlder(restored Restored) bool {
	given := restored.Path != "" && restored.Path == v.Want.JobStatus.UpgradeSavepointPath
	if known := KnownCheckpoint(v.Want.JobStatus); known != nil && !given && !restored.Savepoint {
		number, isNumber := checkpointNumber(known.Path)
		return isNumber && restored.Number < number
	}
	return given || restored.Savepoint
}

// doubtUnseen tells, once, that nobody knows whether a job which nobody saw run lost what it did: it begins again from
// what it was given.
func (v LostProgress) doubtUnseen() {
	if lost := v.Want.LostProgress; lost != nil && (lost.Seen != nil || lost.Unknown != nil) {
		return
	}
	v.Want.LostProgress = &v1beta1.LostProgress{}
	v.doubt()
}

// givesUp reports whether who asked for a start lets go of the state that the job has, or chose another.
func (v LostProgress) givesUp(intent *v1beta1.Intent) bool {
	return intent.Purpose != v1beta1.PurposeRecover &&
		(intent.Purpose == v1beta1.PurposeRedeploy || v.MayStartEmpty())
}

// end ends, with a start, what is told of lost progress: somebody gave the state up, chose another, or asked for the
// start after it was told. A spec that was there before it was seen goes on from what is left. What is only suspected
// stays for a start from high-availability data, whose job shows what it was restored from; from a path it is another
// job.
func (v LostProgress) end(intent *v1beta1.Intent) {
	lost := v.Want.LostProgress
	if lost == nil {
		return
	}
	if intent.From.Kind != v1beta1.StartLastState {
		lost.Suspected = nil
	}
	recovers, gaveUp := intent.Purpose == v1beta1.PurposeRecover, v.givesUp(intent)
	told := lost.Seen != nil || lost.Unknown != nil
	if gaveUp || (told && !recovers && intent.Generation > lost.Generation) {
		lost.Seen, lost.Unknown = nil, nil
	}
	switch {
	case lost.Seen != nil || lost.Unknown != nil:
	case lost.Suspected == nil || gaveUp:
		v.Want.LostProgress = nil
	default:
		v.Want.LostProgress = &v1beta1.LostProgress{Before: lost.Before, Suspected: lost.Suspected}
	}
}

// Keep takes over, of a status that was refused because of its size, that the run it shows has lost what the job had
// done, or may have: that run may be over when there is room again. False where what is stored says as much, and where
// the refused status begins an operation: that comes again.
func (v LostProgress) Keep(run v1beta1.JobStatus, refused *v1beta1.LostProgress, intent *v1beta1.Intent) bool {
	stored, job := v.Want.LostProgress, &v.Want.JobStatus
	begins := intent != nil && (v.Intent() == nil || v.Intent().OperationID != intent.OperationID)
	if refused == nil || run.StartTime == "" || begins ||
		(stored != nil && stored.Before == refused.Before && certainty(stored) >= certainty(refused)) {
		return false
	}
	v.Want.LostProgress = refused.DeepCopy()
	job.StartTime, job.HighAvailabilityData = run.StartTime, run.HighAvailabilityData.DeepCopy() // what it was told by
	return true
}

// certainty orders what is known of lost progress.
func certainty(lost *v1beta1.LostProgress) int {
	switch {
	case lost.Seen != nil:
		return 2
	case lost.Unknown != nil:
		return 1
	}
	return 0
}
