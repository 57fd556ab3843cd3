package job

import (
	"strconv"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// facts collects what packages upgrade and restore decide on.
type facts Life

// forUpgrade are what package upgrade decides on.
func (v facts) forUpgrade(purpose v1beta1.IntentPurpose) upgrade.Facts {
	f := upgrade.Facts{
		Now: v.Seen.Now, Application: v.IsApplication(), Wanted: v1beta1.UpgradeModeStateless,
		State:      v.Want.JobStatus.State,
		JobManager: v.Want.JobManagerDeploymentStatus, VersionChanged: v.Running().FlinkVersion != v.Spec.FlinkVersion,
		HighAvailability: HAData(v).known(), Recorded: v.Want.JobStatus.UpgradeSavepointPath, Options: v.UpgradeOptions(),
		Checkpoints: v.checkpointTimes(), Retention: v.Seen.Flink.Retention, Unread: LastState(v).Awaited(),
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
	f.Options.SavepointDir = savepointDirectory(Life(v)) != ""
	f.SavepointPending, f.Unanswered, f.Vanished = Snapshots(v).savepointPending(), unanswered(Life(v)), vanished(Life(v))
	f.Forgets, f.GraphUnread = LastState(v).forgets(), v.Seen.Flink.GraphUnread
	f.OutOfSight = v.Host.HA().Store.Unreadable()
	if v.startedEmpty() || v.startedFromPath() {
		f.NeverStarted = v.neverRanYet()
		if v.Host.Present() && v.Want.JobStatus.StartTime == "" && !f.NeverStarted {
			f.SilentNode = v.Host.SilentNode()
		}
	}
	return f
}

// startedEmpty reports whether the newest start was given no state, or is the first one and no recovery of it.
func (v facts) startedEmpty() bool {
	job, recorded := v.Last.Spec.Job, v.Want.JobStatus.UpgradeSavepointPath
	if v.IsFirst() {
		return recorded != v1beta1.LastStatePlaceholder
	}
	return job != nil && job.UpgradeMode == v1beta1.UpgradeModeStateless && recorded == ""
}

// startedFromPath reports whether the newest start was given a savepoint or checkpoint that status still names: it can
// be given it again.
func (v facts) startedFromPath() bool {
	job, recorded := v.Last.Spec.Job, v.Want.JobStatus.UpgradeSavepointPath
	return job != nil && job.UpgradeMode == v1beta1.UpgradeModeSavepoint && recorded != "" &&
		recorded != v1beta1.LastStatePlaceholder
}

func (v facts) checkpointTimes() plan.Observed[upgrade.Checkpoints] {
	c, ok := v.Seen.Flink.Checkpoints.Get()
	if !ok && !v.Seen.Flink.Checkpoints.IsAbsent() {
		return plan.Unknown[upgrade.Checkpoints](v.Seen.Flink.Checkpoints.Why())
	}
	return plan.Present(upgrade.Checkpoints{
		JobStart: startOf(v.Want.JobStatus.StartTime), Completed: c.Completed, Pending: c.Pending,
	})
}

// startOf reads the start time of a run as status has it; the zero time when it has none.
func startOf(text string) time.Time {
	millis, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(millis)
}

// forRestore are what package restore chooses on.
func (v facts) forRestore(
	purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec, mode v1beta1.UpgradeMode,
) restore.Facts {
	r, job := v.Seen.Resource, v.Want.JobStatus
	f := restore.Facts{
		Kind: v.Seen.kind(), Namespace: r.Namespace, Name: r.Name, Purpose: purpose, Mode: mode,
		Recorded:         job.UpgradeSavepointPath,
		HighAvailability: namesCheckpoint(HAData(v).of(&target)),
	}
	known := KnownCheckpoint(v.Want.JobStatus)
	if known != nil {
		f.Completed, f.NewestKnown = true, known.Path
	}
	emptyStill := v.Last != nil && v.startedEmpty() && v.neverRanYet()
	never := v.Seen.Flink.Checkpoints.IsAbsent() || emptyStill
	f.NoState = job.State == v1beta1.FlinkJobFinished || (never && known == nil)
	if LastState(v).Awaited() {
		f.Recorded = v1beta1.LastStatePlaceholder
	}
	if last := lastSavepoint(job); last != job.SupersededSavepoint && !emptyStill { // else it is of a job before it
		f.LegacySavepoint = last
	}
	f.RedeployNonce = redeployNonce(target)
	if target.Job != nil {
		f.InitialSavepointPath = target.Job.InitialSavepointPath
	}
	return f
}

func redeployNonce(spec v1beta1.FlinkDeploymentSpec) int64 {
	if spec.Job == nil || spec.Job.SavepointRedeployNonce == nil {
		return 0
	}
	return *spec.Job.SavepointRedeployNonce
}

// neverRanYet reports whether the newest start never ran a container.
func (v facts) neverRanYet() bool {
	return v.Want.JobStatus.StartTime == "" && v.Host.NeverRan()
}
