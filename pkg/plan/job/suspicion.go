package job

import (
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// What nobody saw is suspected: that a job which starts from its high-availability data begins with less than it had
// done, because it failed for good where nobody looked. LostProgress.judge finds out.

// suspectStart holds a start from high-availability data to what Flink says of it: the data may name less than the job
// had completed. A job may have failed for good, and have begun again from nothing, while nobody could look. Where a
// job that ran is lost, it may have made its first checkpoint since the last look, and Flink have let go of it:
//
//	the job                  its data names            then
//	ran                      no checkpoint             lost: it begins from nothing, and no process of it writes to the
//	                                                   data any more
//	ran                      maybe what it was given   suspected
//	completed a checkpoint   another                   suspected
//	was released long ago,   no checkpoint             suspected: it may have run where no status could be written
//	and no run was recorded
func (v LostProgress) suspectStart(intent *v1beta1.Intent) {
	if v.MayStartEmpty() || intent.From.Kind != v1beta1.StartLastState {
		return
	}
	stored := v.Resource().Status.Intent
	ranOn := suspected(v.Want.LostProgress) || heldUp(Life(v), stored)
	stopped := stored != nil && stored.Step == v1beta1.StepStopping
	unstopped := !stopped && slices.Contains([]v1beta1.IntentPurpose{
		v1beta1.PurposeRecover, v1beta1.PurposeUpgrade, v1beta1.PurposeSuspend, // of one that was withdrawn
	}, intent.Purpose)
	lost := (ranOn || unstopped) && v.Want.JobStatus.StartTime != ""
	released := stored != nil && stored.Step == v1beta1.StepReleased && v.Since(stored.StoredAt) > mayHaveRun
	unseen := released && intent.Purpose == v1beta1.PurposeRecover && v.Want.JobStatus.StartTime == ""
	known := KnownCheckpoint(v.Want.JobStatus)
	switch {
	case lost && intent.From.Path == "":
		v.suspect()
		v.lose("")
	case unseen && intent.From.Path == "":
		v.suspect()
	case lost && v.Want.JobStatus.UpgradeSavepointPath != "", known != nil && known.Path != "":
		v.suspect()
	}
}

// heldUp reports whether a stop takes longer than it most likely does: the job may have run on meanwhile, as on a node
// whose kubelet is away, have made its first checkpoint, and have failed for good as its JobManager was told to end.
func heldUp(v Life, stop *v1beta1.Intent) bool {
	return stop != nil && stop.Step == v1beta1.StepStopping && v.Since(stop.StoredAt) > promptStop
}

const (
	// promptStop is how long a stop may take at the most to count as one that took the job down as it was seen then,
	// see suspectStop, where nobody has seen the job run on.
	promptStop = 10 * time.Second
	// mayHaveRun is how long after its release a job may have run where nobody has seen it.
	mayHaveRun = 10 * time.Second
)

// suspectStop does the same where a job that ran is taken down for its high-availability data, and Flink does not list
// it: whoever stops a job that Flink lists knows what it has completed, or the data names it. A start that was released
// long ago may have run where no status could be written since, and data that names no checkpoint have named one.
func (v LostProgress) suspectStop(how v1beta1.StopKind) {
	released, data := v.Host.ReleasedAt(), v.Host.HA()
	unseen := data.Checkpoint() == "" && !released.IsZero() && v.Seen.Now.Sub(released) > mayHaveRun && !v.Host.NeverRan()
	ran := v.Want.JobStatus.StartTime != "" || unseen
	if how == v1beta1.StopLastState && v.Job == nil && ran && HAData(v).on() && !v.MayStartEmpty() {
		v.suspect()
	}
}

// suspectAbsent does the same where a job that ran is suspended, to be resumed from its high-availability data, and its
// Deployment is lost: nobody knows what the job did last.
func (v LostProgress) suspectAbsent(restore v1beta1.UpgradeMode) {
	status := v.Want.JobStatus
	if restore == v1beta1.UpgradeModeLastState && status.StartTime != "" && !status.State.IsTerminal() &&
		!v.MayStartEmpty() {
		v.suspect()
	}
}

// suspectSuspended does the same where its suspension was held up, and the data names no checkpoint in the end.
func (v LostProgress) suspectSuspended(restore v1beta1.UpgradeMode) {
	if heldUp(Life(v), v.Intent()) && v.Host.HA().Checkpoint() == "" {
		v.suspectAbsent(restore)
	}
}

// SuspectHeldUp does the same where a stop by last-state was held up for longer than that: the job ran on meanwhile,
// may have made its first checkpoint, and have failed for good as its JobManager was told to end. It reports whether
// that is to be recorded, which must be before the cluster is taken down: nobody sees it any more then.
func (v LostProgress) SuspectHeldUp(most time.Duration) bool {
	intent := v.Intent()
	if intent.Stop != v1beta1.StopLastState || v.Since(intent.StoredAt) <= most || v.IsSession() ||
		v.MayStartEmpty() || KnownCheckpoint(v.Want.JobStatus) != nil || suspected(v.Want.LostProgress) ||
		v.Host.NeverRan() {
		return false
	}
	v.suspect()
	return true
}

const (
	// TakedownTakes is how long a pass that has stored a stop needs until the cluster is told to end.
	TakedownTakes = 2 * time.Second
	// EndTakes is how long a JobManager needs to end then, at the most, unless its kubelet is away.
	EndTakes = 4 * time.Second
)

// suspect holds the next start to what Flink says that its job was restored from.
func (v LostProgress) suspect() {
	now := v.Now()
	if v.Want.LostProgress == nil {
		v.Want.LostProgress = &v1beta1.LostProgress{Before: v.Want.JobStatus.StartTime}
	}
	v.Want.LostProgress.Suspected = &now
}
