package facts

import (
	"strconv"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// LastSavepoint is where the newest savepoint in status lies; empty when there is none.
func LastSavepoint(job v1beta1.JobStatus) string {
	if job.SavepointInfo == nil || job.SavepointInfo.LastSavepoint == nil {
		return ""
	}
	return job.SavepointInfo.LastSavepoint.Location
}

// RestoredMode is the upgrade mode that a start from this state is recorded with.
func RestoredMode(from *v1beta1.StartPoint) v1beta1.UpgradeMode {
	switch from.Kind {
	case v1beta1.StartSavepoint:
		return v1beta1.UpgradeModeSavepoint
	case v1beta1.StartLastState:
		return v1beta1.UpgradeModeLastState
	default:
		return v1beta1.UpgradeModeStateless
	}
}

// unclaimedIgnored is what such a start did, for people.
const UnclaimedIgnored = " with allowNonRestoredState: state that none of its operators claims is left out, and" +
	" Flink does not report it"

// ForUpgrade are what package upgrade decides on.
func ForUpgrade(v *world.Look, purpose v1beta1.IntentPurpose) upgrade.Facts {
	f := upgrade.Facts{
		Now:            v.Seen.Now,
		Application:    v.IsApplication(),
		Wanted:         v1beta1.UpgradeModeStateless,
		State:          v.Want.JobStatus.State,
		JobManager:     v.Want.JobManagerDeploymentStatus,
		VersionChanged: v.Running().FlinkVersion != v.Spec.FlinkVersion,
		HighAvailability: KnownHAData(
			v,
		),
		Recorded:    v.Want.JobStatus.UpgradeSavepointPath,
		Options:     v.Options.UpgradeOptions(),
		Checkpoints: checkpointTimes(v),
		Retention:   v.Seen.Flink.Retention,
		Unread:      LastStateAwaited(v),
	}
	if !v.MayStartEmpty() && purpose != v1beta1.PurposeRedeploy {
		f.Wanted = v.Spec.Job.DesiredUpgradeMode()
		if f.Wanted == v1beta1.UpgradeModeStateless { // an invalid spec that wants its state kept
			f.Wanted = v.Seen.Resource.Spec.Job.DesiredUpgradeMode()
		}
	}
	if job := v.Last.Spec.Job; job != nil {
		f.RecordedMode = job.UpgradeMode
	}
	f.Options.SavepointDir = world.SavepointDirectory(v) != ""
	f.SavepointPending, f.Unanswered, f.Vanished = SavepointPending(v), world.Unanswered(v), Vanished(v)
	f.Forgets, f.GraphUnread = StatisticsForget(v), v.Seen.Flink.GraphUnread
	f.OutOfSight = v.Host.HA().Store.Unreadable()
	if startedEmpty(v) || startedFromPath(v) {
		f.NeverStarted = neverRanYet(v)
		if v.Host.Present() && v.Want.JobStatus.StartTime == "" && !f.NeverStarted {
			f.SilentNode = v.Host.SilentNode()
		}
	}
	return f
}

// startedEmpty reports whether the newest start was given no state, or is the first one and no recovery of it.
func startedEmpty(v *world.Look) bool {
	job, recorded := v.Last.Spec.Job, v.Want.JobStatus.UpgradeSavepointPath
	if v.IsFirst() {
		return recorded != v1beta1.LastStatePlaceholder
	}
	return job != nil && job.UpgradeMode == v1beta1.UpgradeModeStateless && recorded == ""
}

// startedFromPath reports whether the newest start was given a savepoint or checkpoint that status still names: it can
// be given it again.
func startedFromPath(v *world.Look) bool {
	job, recorded := v.Last.Spec.Job, v.Want.JobStatus.UpgradeSavepointPath
	return job != nil && job.UpgradeMode == v1beta1.UpgradeModeSavepoint && recorded != "" &&
		recorded != v1beta1.LastStatePlaceholder
}

func checkpointTimes(v *world.Look) plan.Observed[upgrade.Checkpoints] {
	c, ok := v.Seen.Flink.Checkpoints.Get()
	if !ok && !v.Seen.Flink.Checkpoints.IsAbsent() {
		return plan.Unknown[upgrade.Checkpoints](v.Seen.Flink.Checkpoints.Why())
	}
	return plan.Present(upgrade.Checkpoints{
		JobStart: StartOf(v.Want.JobStatus.StartTime), Completed: c.Completed, Pending: c.Pending,
	})
}

// StartOf reads the start time of a run as status has it; the zero time when it has none.
func StartOf(text string) time.Time {
	millis, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(millis)
}

// ForRestore are what package restore chooses on.
func ForRestore(v *world.Look,
	purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec, mode v1beta1.UpgradeMode,
) restore.Facts {
	r, job := v.Seen.Resource, v.Want.JobStatus
	f := restore.Facts{
		Kind: v.Seen.JobKind(), Namespace: r.Namespace, Name: r.Name, Purpose: purpose, Mode: mode,
		Recorded:         job.UpgradeSavepointPath,
		HighAvailability: NamesCheckpoint(HADataOf(v, &target)),
	}
	known := KnownCheckpoint(v.Want.JobStatus)
	if known != nil {
		f.Completed, f.NewestKnown = true, known.Path
	}
	emptyStill := v.Last != nil && startedEmpty(v) && neverRanYet(v)
	never := v.Seen.Flink.Checkpoints.IsAbsent() || emptyStill
	f.NoState = job.State == v1beta1.FlinkJobFinished || (never && known == nil)
	if LastStateAwaited(v) {
		f.Recorded = v1beta1.LastStatePlaceholder
	}
	if last := LastSavepoint(job); last != job.SupersededSavepoint && !emptyStill { // else it is of a job before it
		f.LegacySavepoint = last
	}
	f.RedeployNonce = world.RedeployNonce(target)
	if target.Job != nil {
		f.InitialSavepointPath = target.Job.InitialSavepointPath
	}
	return f
}

// neverRanYet reports whether the newest start never ran a container.
func neverRanYet(v *world.Look) bool {
	return v.Want.JobStatus.StartTime == "" && v.Host.NeverRan()
}

// IsStable reports whether the spec acted on last runs well by this look.
//
//	cluster      stable once
//	application  the job's tasks run, or it is FINISHED by itself
//	session      Flink answers
func IsStable(v *world.Look) bool {
	if v.Want.ReconciliationStatus.State != v1beta1.ReconciliationDeployed || v.Last == nil ||
		v.Want.JobManagerDeploymentStatus != v1beta1.JobManagerReady {
		return false
	}
	runs := v.Job != nil && v.Job.Runs()
	return v.Last.Spec.Job == nil || runs || (v.LastRunning() && v.Want.JobStatus.State == v1beta1.FlinkJobFinished)
}
