package record

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/restarts"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// SnapshotHandled records a nonce as handled; nil records none. What was stable stays stable.
func SnapshotHandled(v *world.Look, t snapshots.Type, nonce *int64) {
	if nonce == nil || v.Last == nil || v.Last.Spec.Job == nil {
		return
	}
	r := &v.Want.ReconciliationStatus
	stable := r.LastStableSpec == r.LastReconciledSpec
	record := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy()}
	snapshots.RecordNonce(record.Spec.Job, t, nonce)
	Store(v, record, v.IsFirst())
	if stable {
		r.LastStableSpec = r.LastReconciledSpec
	}
}

// Stopping is the status while a job is being stopped.
func Stopping(v *world.Look, purpose v1beta1.IntentPurpose, how v1beta1.StopKind) {
	status := &v.Want
	if c, known := v.Seen.Flink.Checkpoints.Get(); how == v1beta1.StopLastState {
		if status.JobStatus.StateTaken = nil; known {
			status.JobStatus.StateTaken = facts.StateTakenAt(v, c)
		}
	}
	if chosen := purpose == v1beta1.PurposeRedeploy || purpose == v1beta1.PurposeDelete; !chosen && !v.MayStartEmpty() {
		loss.GiveUpRun(v, status.JobStatus.StartTime) // nobody sees this run any more
	}
	loss.Stops(v, how)
	cancels := how == v1beta1.StopStateless || how == v1beta1.StopCancel
	if cancels && status.JobStatus.State != "" && !status.JobStatus.State.IsTerminal() {
		v.SetJobState(v1beta1.FlinkJobCancelling)
	}
	if purpose == v1beta1.PurposeDelete || purpose == v1beta1.PurposeRecover || v.Last == nil {
		return
	}
	if status.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack && v.LastStable != nil {
		whatRuns(v)
	}
	status.ReconciliationStatus.State = v1beta1.ReconciliationUpgrading
	if purpose == v1beta1.PurposeRollback {
		status.ReconciliationStatus.State = v1beta1.ReconciliationRollingBack
		status.ReconciliationStatus.ReconciliationTimestamp = v.Seen.Now.UnixMilli()
	}
	if how == v1beta1.StopSavepoint || how == v1beta1.StopCancel {
		return // nothing is given up before the end of the job is recorded
	}
	old := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy(), Meta: v.Last.Meta}
	if old.Spec.Job != nil {
		old.Spec.Job.UpgradeMode = v.Want.Intent.Restore
	}
	Store(v, old, false)
}

// Starting is the status while a start is prepared.
func Starting(v *world.Look, intent *v1beta1.Intent, target v1beta1.FlinkDeploymentSpec) {
	status := &v.Want
	status.Error, status.WrittenFor = "", v.Seen.Resource.UID
	if intent.From.Kind == v1beta1.StartLastState || !loss.AbandonsState(v, intent) {
		loss.GiveUpRun(v, status.JobStatus.StartTime)
	}
	loss.EndWithStart(v, intent)
	loss.Starts(v, intent)
	loss.StartsFromData(v, intent)
	status.Restarts = restarts.Count(status.Restarts, intent.Purpose, v.Now())
	status.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	status.ClusterInfo = nil
	if target.Job != nil {
		if intent.From.Kind != v1beta1.StartLastState { // another job, also under an ID that the user fixed
			status.JobStatus.Checkpoint, status.JobStatus.HighAvailabilityData = nil, nil
		}
		if status.JobStatus.JobID != intent.JobID { // until then a stop that comes late reaches it
			status.GivenUpStop = nil
		}
		status.JobStatus.JobID = intent.JobID
		status.JobStatus.StartTime, status.JobStatus.JobGraphRemoved, status.JobStatus.CheckpointTimeout = "", "", nil
		v.SetJobState(v1beta1.FlinkJobReconciling)
		status.JobStatus.UpgradeSavepointPath, status.JobStatus.StateTaken = intent.From.Path, intent.From.Taken
		status.JobStatus.BasedOn = snapshots.BasedOn(status.JobStatus, intent.From.Kind)
		if last := facts.LastSavepoint(status.JobStatus); last != "" && intent.From.Kind == v1beta1.StartEmpty {
			status.JobStatus.SupersededSavepoint = last
		}
		status.JobStatus.StartedFrom = intent.From.DeepCopy()
		status.JobStatus.StartedFrom.Path = v.Hide(intent.From.Path) // it is for people, upgradeSavepointPath for programs
		status.TaskManager = &v1beta1.TaskManagerInfo{}
	}
	if intent.Purpose == v1beta1.PurposeRecover {
		return
	}
	status.Retry, status.Rescaling = nil, false // what was to be stopped has ended
	if intent.Purpose == v1beta1.PurposeRollback {
		status.ReconciliationStatus.State = v1beta1.ReconciliationRollingBack
		return
	}
	status.ReconciliationStatus.State = v1beta1.ReconciliationUpgrading
	status.ReconciliationStatus.ReconciliationTimestamp = v.Seen.Now.UnixMilli()
	v.Deployed = intent.Generation
	record := v1beta1.ReconciledDeployment{Spec: *target.DeepCopy()}
	if record.Spec.Job != nil {
		record.Spec.Job.State = v1beta1.JobStateSuspended
		record.Spec.Job.UpgradeMode = facts.RestoredMode(intent.From)
	}
	keepNonces(v, &record.Spec)
	Store(v, record, v.Last == nil || v.IsFirst())
}

// Released is the status of a released start.
func Released(v *world.Look, target v1beta1.FlinkDeploymentSpec) {
	status := &v.Want
	deployed(v, &target)
	status.JobManagerDeploymentStatus = v1beta1.JobManagerDeploying
	if target.Job != nil {
		v.SetJobState(v1beta1.FlinkJobReconciling)
		status.TaskManager = world.TaskManagerInfo(v, target)
	}
	switch v.Intent().Purpose {
	case v1beta1.PurposeRecover:
		return
	case v1beta1.PurposeRollback:
		status.ReconciliationStatus.State = v1beta1.ReconciliationRolledBack
		status.ReconciliationStatus.ReconciliationTimestamp = v.Seen.Now.UnixMilli()
		return
	}
	status.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	status.ReconciliationStatus.ReconciliationTimestamp = v.Seen.Now.UnixMilli()
	record := v1beta1.ReconciledDeployment{Spec: *target.DeepCopy()}
	if record.Spec.Job != nil {
		record.Spec.Job.State = v1beta1.JobStateRunning
		record.Spec.Job.UpgradeMode = facts.RestoredMode(v.Intent().From)
	}
	keepNonces(v, &record.Spec)
	Store(v, record, v.Intent().Purpose == v1beta1.PurposeDeploy)
	if v.Intent().Purpose == v1beta1.PurposeRedeploy {
		v.LastStable, status.ReconciliationStatus.LastStableSpec = v.Last, status.ReconciliationStatus.LastReconciledSpec
	}
}

// Scaled records a spec that differs in the number of TaskManagers alone as the one that runs.
func Scaled(v *world.Look, target v1beta1.FlinkDeploymentSpec) {
	record := v1beta1.ReconciledDeployment{Spec: *target.DeepCopy()}
	if record.Spec.Job != nil {
		record.Spec.Job.State, record.Spec.Job.UpgradeMode = v1beta1.JobStateRunning, v.Last.Spec.Job.UpgradeMode
		v.Want.TaskManager = world.TaskManagerInfo(v, target)
	}
	keepNonces(v, &record.Spec)
	v.Deployed = v.Generation
	v.Want.Retry, v.Want.Rescaling = nil, false
	v.Want.ReconciliationStatus.ReconciliationTimestamp = v.Seen.Now.UnixMilli()
	Store(v, record, v.IsFirst())
}

// reset records that the autoscaler was reset, in the spec acted on last, where nothing else is to change.
func reset(v *world.Look) {
	record := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy()}
	record.Spec.Job.AutoscalerResetNonce = v.Spec.Job.AutoscalerResetNonce
	stable := v.Want.ReconciliationStatus.LastStableSpec == v.Want.ReconciliationStatus.LastReconciledSpec
	Store(v, record, v.IsFirst())
	if stable {
		v.LastStable, v.Want.ReconciliationStatus.LastStableSpec = v.Last, v.Want.ReconciliationStatus.LastReconciledSpec
	}
}

// markStable records the spec acted on last as one that runs well, where it does.
func markStable(v *world.Look) {
	if r := &v.Want.ReconciliationStatus; facts.IsStable(v) {
		r.LastStableSpec = r.LastReconciledSpec
	}
}

// Suspended is the status of a job that was suspended as asked; it ends the open intent. Where that was told of a state
// to start from, the resumption starts from it. A job that ended unseen, whose graph may be left where only Flink can
// look, is not shown as FINISHED: the resumption would run beside it.
func Suspended(v *world.Look, target v1beta1.FlinkDeploymentSpec, restore v1beta1.UpgradeMode) {
	status := &v.Want
	v.Deployed = v.Generation
	if intent := status.Intent; intent != nil && v.Problem != "" {
		v.Deployed = intent.Generation
	}
	if from := facts.ChosenState(v); from != nil {
		restore = facts.RestoredMode(from)
		RestoreFrom(v, *from)
		status.LostProgress = nil // whoever chose a state gave up what the job had
	}
	loss.Suspends(v, restore)
	unseen := facts.FindsJobGraph(v, &target) && status.JobStatus.JobGraphRemoved != status.JobStatus.JobID
	status.Intent, status.Retry = nil, nil
	status.JobStatus.LastStateUnread = false
	status.Error = ""
	status.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if !status.JobStatus.State.IsTerminal() && !unseen {
		v.SetJobState(v1beta1.FlinkJobFinished)
	}
	status.TaskManager = &v1beta1.TaskManagerInfo{}
	status.ClusterInfo = nil
	status.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	status.ReconciliationStatus.ReconciliationTimestamp = v.Seen.Now.UnixMilli()
	record := v1beta1.ReconciledDeployment{Spec: *target.DeepCopy()}
	record.Spec.Job.State = v1beta1.JobStateSuspended
	record.Spec.Job.UpgradeMode = restore
	keepNonces(v, &record.Spec)
	Store(v, record, false)
	status.ReconciliationStatus.LastStableSpec = status.ReconciliationStatus.LastReconciledSpec
}

// AttemptFailed closes the open intent, whose stop took nothing away, and answers when the next attempt may be made.
func AttemptFailed(v *world.Look, reason plan.Reason, message string) time.Time {
	intent := v.Intent()
	v.Want.Retry = backoff.Failed(v.Want.Retry, intent.Generation, v.Now(), string(reason), v.Shown(message))
	if intent.Stop == v1beta1.StopSavepoint {
		next := &v1beta1.GivenUpStop{JobID: intent.Stops.JobID, TriggerID: intent.TriggerID, At: v.Now()}
		if last := v.Want.GivenUpStop; last != nil && last.JobID == next.JobID && v.Since(last.At) < facts.LateFor {
			next.Earlier = append([]string{last.TriggerID}, last.Earlier...)
			next.Earlier = next.Earlier[:min(len(next.Earlier), facts.MostEarlier)]
		}
		v.Want.GivenUpStop = next
	}
	v.Want.Intent = nil
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	HowItRuns(v)
	return v.Want.Retry.After.Time
}

// HowItRuns takes back the upgradeMode that a stop had recorded for its successor: what runs was started from what
// status.jobStatus.startedFrom says.
func HowItRuns(v *world.Look) {
	from := v.Want.JobStatus.StartedFrom
	if v.Last == nil || v.Last.Spec.Job == nil || from == nil || v.Last.Spec.Job.UpgradeMode == facts.RestoredMode(from) {
		return
	}
	r := &v.Want.ReconciliationStatus
	stable := r.LastStableSpec == r.LastReconciledSpec
	record := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy()}
	record.Spec.Job.UpgradeMode = facts.RestoredMode(from)
	Store(v, record, v.IsFirst())
	if stable {
		r.LastStableSpec = r.LastReconciledSpec
	}
}

// whatRuns makes the stable spec, which runs since a rollback, the recorded one: a change that leaves ROLLED_BACK
// begins from it, and if it comes to nothing that is what still runs. A state that the spec does not choose anew is not
// chosen by the comparison with it either.
func whatRuns(v *world.Look) {
	record, chooses := v1beta1.ReconciledDeployment{Spec: *v.LastStable.Spec.DeepCopy()}, facts.ChoosesState(v)
	if failed := v.Last.Spec.Job; record.Spec.Job != nil && failed != nil {
		record.Spec.Job.UpgradeMode = failed.UpgradeMode
		if v.Spec.Job != nil && !chooses {
			record.Spec.Job.SavepointRedeployNonce = v.Spec.Job.SavepointRedeployNonce
		}
	}
	keepNonces(v, &record.Spec)
	Store(v, record, false)
	v.LastStable, v.Want.ReconciliationStatus.LastStableSpec = v.Last, v.Want.ReconciliationStatus.LastReconciledSpec
}

// rolledForward is the status after the user wrote the spec back that runs since a rollback: it is what was asked for.
func rolledForward(v *world.Look) {
	record := v1beta1.ReconciledDeployment{Spec: *v.Spec.DeepCopy()}
	if record.Spec.Job != nil && v.Last.Spec.Job != nil {
		record.Spec.Job.UpgradeMode = v.Last.Spec.Job.UpgradeMode
	}
	keepNonces(v, &record.Spec)
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	v.Want.ReconciliationStatus.ReconciliationTimestamp = v.Seen.Now.UnixMilli()
	v.Deployed = v.Generation
	v.Want.Error = ""
	Store(v, record, false)
}

// NeverDeployed takes back the record of a first start that was never released.
func NeverDeployed(v *world.Look) {
	status := &v.Want
	status.Intent, status.TaskManager, status.Error = nil, nil, ""
	status.JobStatus = v1beta1.JobStatus{}
	status.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	status.ReconciliationStatus = v1beta1.ReconciliationStatus{State: v1beta1.ReconciliationUpgrading}
	v.Last = nil
}

// keepNonces keeps trigger nonces pending: one that is bumped together with an upgrade still asks for its savepoint
// afterwards, and one that resets the autoscaler is recorded when nothing is kept any more, see Forgotten.
func keepNonces(v *world.Look, spec *v1beta1.FlinkDeploymentSpec) {
	if spec.Job == nil || v.Last == nil || v.Last.Spec.Job == nil {
		return
	}
	spec.Job.SavepointTriggerNonce = v.Last.Spec.Job.SavepointTriggerNonce
	spec.Job.CheckpointTriggerNonce = v.Last.Spec.Job.CheckpointTriggerNonce
	if world.KeepsAutoscaled(v) && facts.KeepsSomething(v.Seen.Autoscaled) {
		spec.Job.AutoscalerResetNonce = v.Last.Spec.Job.AutoscalerResetNonce
	}
}

// Store makes the record lastReconciledSpec; first is its firstDeployment.
func Store(v *world.Look, record v1beta1.ReconciledDeployment, first bool) {
	record.Meta = &v1beta1.ReconciledMetadata{APIVersion: v1beta1.APIVersion, FirstDeployment: first}
	text, err := record.Text()
	if err != nil {
		v.Note("lastReconciledSpec cannot be printed: " + err.Error())
		return
	}
	v.Want.ReconciliationStatus.LastReconciledSpec = text
	v.Last = &record
}

// RestoreFrom records what the next start is from.
func RestoreFrom(v *world.Look, from v1beta1.StartPoint) {
	status := &v.Want.JobStatus
	status.UpgradeSavepointPath, status.StateTaken, status.LastStateUnread = from.Path, from.Taken, false
}
