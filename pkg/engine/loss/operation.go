package loss

import (
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// A job may begin with less than it had done where nobody looked, as it failed for good meanwhile. What an operation
// cannot see is suspected, and Judge finds it out.

const (
	// promptStop is how long a stop may take at the most to count as one that took the job down as it was seen then,
	// where nobody has seen the job run on.
	promptStop = 10 * time.Second
	// mayHaveRun is how long after its release a job may have run where nobody has seen it.
	mayHaveRun = 10 * time.Second
	// TakedownTakes is how long a pass that has stored a stop needs until the cluster is told to end.
	TakedownTakes = 2 * time.Second
	// EndTakes is how long a JobManager needs to end then, at the most, unless its kubelet is away.
	EndTakes = 4 * time.Second
)

// Starts gives the verdict on a start from high-availability data: that may name less than the job had completed. A job
// may have failed for good, and have begun again from nothing, while nobody could look. Where a job that ran is lost,
// it may have made its first checkpoint since the last look, and Flink have let go of it.
func Starts(v *world.Look, intent *v1beta1.Intent) {
	if v.MayStartEmpty() || intent.From.Kind != v1beta1.StartLastState {
		return
	}
	stored := v.Resource().Status.Intent
	ranOn := suspects(v) || heldUp(v, stored)
	stopped := stored != nil && stored.Step == v1beta1.StepStopping
	unstopped := !stopped && slices.Contains([]v1beta1.IntentPurpose{
		v1beta1.PurposeRecover, v1beta1.PurposeUpgrade, v1beta1.PurposeSuspend, // of one that was withdrawn
	}, intent.Purpose)
	lost := (ranOn || unstopped) && v.Want.JobStatus.StartTime != ""
	released := stored != nil && stored.Step == v1beta1.StepReleased && v.Since(stored.StoredAt) > mayHaveRun
	unseen := released && intent.Purpose == v1beta1.PurposeRecover && v.Want.JobStatus.StartTime == ""
	known, before := facts.KnownCheckpoint(v.Want.JobStatus), v.Want.JobStatus.StartTime
	switch {
	case lost && intent.From.Path == "":
		give(v, startFromNothing, before, "")
	case unseen && intent.From.Path == "":
		give(v, startUnseen, before, "")
	case lost && v.Want.JobStatus.UpgradeSavepointPath != "", known != nil && known.Path != "":
		give(v, startFromLess, before, "")
	}
}

// heldUp reports whether a stop takes longer than it most likely does: the job may have run on meanwhile, as on a node
// whose kubelet is away, have made its first checkpoint, and have failed for good as its JobManager was told to end.
func heldUp(v *world.Look, stop *v1beta1.Intent) bool {
	return stop != nil && stop.Step == v1beta1.StepStopping && v.Since(stop.StoredAt) > promptStop
}

// Stops gives the verdict on a stop for the high-availability data of a job that Flink does not list: whoever stops a
// job that Flink lists knows what it has completed, or the data names it. A start that was released long ago may have
// run where no status could be written since, and data that names no checkpoint have named one.
func Stops(v *world.Look, how v1beta1.StopKind) {
	released, data := v.Host.ReleasedAt(), v.Host.HA()
	unseen := data.Checkpoint() == "" && !released.IsZero() && v.Seen.Now.Sub(released) > mayHaveRun && !v.Host.NeverRan()
	ran := v.Want.JobStatus.StartTime != "" || unseen
	if how == v1beta1.StopLastState && v.Job == nil && ran && facts.HAEnabled(v) && !v.MayStartEmpty() {
		give(v, stopUnlisted, v.Want.JobStatus.StartTime, "")
	}
}

// SuspendsAbsent gives the verdict on the suspension of a job whose JobManager is lost, to be resumed from its
// high-availability data: nobody knows what the job did last.
func SuspendsAbsent(v *world.Look, restore v1beta1.UpgradeMode) {
	status := v.Want.JobStatus
	if restore == v1beta1.UpgradeModeLastState && status.StartTime != "" && !status.State.IsTerminal() &&
		!v.MayStartEmpty() {
		give(v, suspendedAbsent, status.StartTime, "")
	}
}

// Suspends does the same where the suspension was held up, and the data names no checkpoint in the end.
func Suspends(v *world.Look, restore v1beta1.UpgradeMode) {
	if heldUp(v, v.Intent()) && v.Host.HA().Checkpoint() == "" {
		SuspendsAbsent(v, restore)
	}
}

// HeldUp gives the verdict on a stop by last-state that was held up for longer than that: the job ran on meanwhile, may
// have made its first checkpoint, and have failed for good as its JobManager was told to end. It reports whether that
// is to be recorded, which must be before the cluster is taken down: nobody sees it any more then.
func HeldUp(v *world.Look, most time.Duration) bool {
	intent := v.Intent()
	if intent.Stop != v1beta1.StopLastState || v.Since(intent.StoredAt) <= most || v.IsSession() ||
		v.MayStartEmpty() || facts.KnownCheckpoint(v.Want.JobStatus) != nil || suspects(v) || v.Host.NeverRan() {
		return false
	}
	give(v, stopHeldUp, v.Want.JobStatus.StartTime, "")
	return true
}

// MayHaveBegun gives the verdict, once, on a job which nobody saw run: it begins again from what it was given.
func MayHaveBegun(v *world.Look) {
	if isTold(v) {
		return
	}
	v.Want.LostProgress = nil
	give(v, mayHaveBegun, "", "")
}

// AbandonsState reports whether the start was requested without the job's current state.
func AbandonsState(v *world.Look, intent *v1beta1.Intent) bool {
	return intent.Purpose != v1beta1.PurposeRecover &&
		(intent.Purpose == v1beta1.PurposeRedeploy || v.MayStartEmpty())
}

// EndWithStart ends, with a start, what is told of lost progress: somebody gave the state up, chose another, or asked
// for the start after it was told. A spec that was there before it was seen goes on from what is left. What is only
// suspected stays for a start from high-availability data, whose job shows what it was restored from; from a path it is
// another job.
func EndWithStart(v *world.Look, intent *v1beta1.Intent) {
	lost := v.Want.LostProgress
	if lost == nil {
		return
	}
	if intent.From.Kind != v1beta1.StartLastState {
		lost.Suspected = nil
	}
	recovers, gaveUp := intent.Purpose == v1beta1.PurposeRecover, AbandonsState(v, intent)
	if gaveUp || isTold(v) && !recovers && intent.Generation > lost.Generation {
		lost.Seen, lost.Unknown = nil, nil
	}
	switch {
	case isTold(v):
	case lost.Suspected == nil || gaveUp:
		v.Want.LostProgress = nil
	default:
		v.Want.LostProgress = &v1beta1.LostProgress{Before: lost.Before, Suspected: lost.Suspected}
	}
}

// KeepFromRefused takes over, of a status that was refused because of its size, that the run it shows has lost what the
// job had done, or may have: that run may be over when there is room again. False where what is stored says as much,
// and where the refused status begins an operation: that comes again.
func KeepFromRefused(v *world.Look, run v1beta1.JobStatus, refused *v1beta1.LostProgress, intent *v1beta1.Intent) bool {
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
