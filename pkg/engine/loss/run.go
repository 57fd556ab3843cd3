package loss

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// ObserveRun notices a job that has begun again while nothing was under way: its start time is another one. before is
// what was recorded of the job until now. A job that may start empty keeps no state.
func ObserveRun(v *world.Look, before v1beta1.JobStatus) {
	switch again := BeganAgain(v.Want.JobStatus.StartTime, before) && !v.MayStartEmpty(); {
	case again && !facts.HAEnabled(v):
		v.Want.LostProgress = nil // what was told of the run before is its own
		give(v, runWithoutHA, before.StartTime, v.Want.JobStatus.UpgradeSavepointPath)
	case again:
		if v.Want.LostProgress != nil {
			GiveUpRun(v, before.StartTime)
		}
		give(v, runWithHA, before.StartTime, "")
	}
	if suspects(v) {
		Judge(v)
	}
}

// BeganAgain reports whether a start time that Flink tells of a job is of another run than status recorded, though
// nobody started one.
func BeganAgain(startTime string, recorded v1beta1.JobStatus) bool {
	return recorded.StartTime != "" && recorded.StartTime != startTime
}

// Judge gives the verdict on a suspected run by what Flink says that it was restored from.
func Judge(v *world.Look) {
	seen, from := restoredFrom(v)
	if give(v, seen, "", from); seen == ownNumbersUnclear {
		v.Want.LostProgress.Suspected = nil // Flink will not show more
	}
}

// restoredFrom is what Flink says of a suspected run, first match wins, and what it was restored from.
func restoredFrom(v *world.Look) (Evidence, string) {
	c, found := v.Seen.Flink.Checkpoints.Get()
	nothing := !found || c.Restored == nil
	own := !nothing && mayBeOwnOf(c)
	switch {
	case v.Seen.Flink.Checkpoints.IsUnknown():
		return restoreUntold, ""
	case nothing && !showsRestore(v):
		return restoreOutdated, ""
	case nothing && refusedToBegin(v):
		return neverBegan, ""
	case nothing:
		return restoredNothing, ""
	case own && beganAnew(v, max(c.First, c.FirstLatest)):
		return ownNumbersAnew, ""
	case own && (v.Want.JobStatus.UpgradeSavepointPath != "" || beganAnew(v, c.First)) &&
		runGone(v, v.Want.JobStatus.StartTime) == runGoneUntold:
		return ownNumbersUnclear, ""
	case own:
		return ownNumbersOn, ""
	case isOlder(v, *c.Restored):
		return restoredOlder, c.Restored.Path
	}
	return restoredNewest, ""
}

// GiveUpRun gives the verdict on a suspected run, of that start time, that cannot be asked any more, as another one
// follows.
func GiveUpRun(v *world.Look, run string) { give(v, runGone(v, run), "", "") }

// runGone is what is left of a suspected run that is gone. Where a checkpoint of the run before is known, its number
// tells, unless this one may have made as many, or this start was given a path: Flink goes on with its numbers, and it
// is not known which.
func runGone(v *world.Look, run string) Evidence {
	lost := v.Want.LostProgress
	if !suspects(v) || lost.Unknown != nil || run == "" || run == lost.Before {
		return restoreUntold
	}
	given := v.Want.JobStatus.UpgradeSavepointPath
	known := facts.KnownCheckpoint(v.Want.JobStatus)
	if known != nil && (given == "" || given == v1beta1.LastStatePlaceholder) {
		number, numbered := facts.CheckpointNumber(known.Path)
		if numbered && number > mayHaveMade(v, run) {
			return runGoneCounted
		}
	}
	return runGoneUntold
}

// mayHaveMade bounds how many checkpoints a run of that start time can have completed until now, with a margin for some
// that were asked for by hand.
func mayHaveMade(v *world.Look, run string) int64 {
	interval := options.Read(v.Config().Duration, key.CheckpointingInterval, 0)
	return 2 + int64(v.Seen.Now.Sub(facts.StartOf(run))/max(interval, time.Second))
}

// AwaitsRestore reports whether a change waits for what the job was restored from: once it is stopped, it cannot be
// found out. That is known a few seconds after the job runs, or not within a minute after its JobManager became ready.
// A Flink that does not answer for less than a minute counts as one whose job goes on.
func AwaitsRestore(v *world.Look) bool {
	goesOn := v.Job != nil && !v.Job.State.IsTerminal() || v.Job == nil && world.Unanswered(v)
	if !suspects(v) || !goesOn {
		return false
	}
	return v.Since(*v.Want.LostProgress.Suspected) < world.AnswerTimeout ||
		v.Since(v.Host.AvailableAt()) < world.AnswerTimeout
}

// mayBeOwnOf reports whether a run may have made the checkpoint itself that it was restored from last. One that was
// restored once, and whose numbers do not begin with 1, was restored as it began.
func mayBeOwnOf(c world.Checkpoints) bool {
	asItBegan := c.Restored.Times == 1 && c.First > 1
	return c.First > 0 && c.Restored.Number >= c.First && !asItBegan
}

// beganAnew reports whether the numbers of a run's checkpoints, of which this is the first, show that it was restored
// from none, or from an older one than the newest known.
func beganAnew(v *world.Look, first int64) bool {
	known := facts.KnownCheckpoint(v.Want.JobStatus)
	if first == 1 || known == nil {
		return first == 1
	}
	number, numbered := facts.CheckpointNumber(known.Path)
	return numbered && first <= number
}

// refusedToBegin reports whether the job failed and was not to begin without its high-availability data: Flink refuses
// to start it then, see v1beta1.LastStatePlaceholder.
func refusedToBegin(v *world.Look) bool {
	return v.Job.State == v1beta1.FlinkJobFailed &&
		v.Want.JobStatus.UpgradeSavepointPath == v1beta1.LastStatePlaceholder
}

// showsRestore reports whether the statistics are newer than the moment in which the job was restored: its tasks have
// run, or it has ended, for longer than an answer is kept in Flink's cache.
func showsRestore(v *world.Look) bool {
	if v.Job.State.IsTerminal() {
		return facts.StatisticsSettled(v, *v.Job) && !v.Seen.Flink.NoGraph
	}
	age := v.Options.StatisticsAge() + facts.StatisticsRoom
	return v.Job.Runs() && v.Since(*v.Want.LostProgress.Suspected) >= age && v.Since(v.EndedAt()) >= age
}

// isOlder reports whether what a job was restored from is none of its own checkpoints, or older than the one that it is
// known to have completed.
func isOlder(v *world.Look, restored world.Restored) bool {
	given := restored.Path != "" && restored.Path == v.Want.JobStatus.UpgradeSavepointPath
	if known := facts.KnownCheckpoint(v.Want.JobStatus); known != nil && !given && !restored.Savepoint {
		number, isNumber := facts.CheckpointNumber(known.Path)
		return isNumber && restored.Number < number
	}
	return given || restored.Savepoint
}
