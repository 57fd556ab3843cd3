package subject

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// SnapshotFacts are what the decisions about the job's snapshots depend on.
func (v *Subject) SnapshotFacts() snapshots.Facts {
	r := v.Seen.Resource
	f := snapshots.Facts{
		Now: v.Seen.Now, Kind: v1beta1.JobKindFlinkDeployment, Namespace: r.Namespace, Name: r.Name, UID: r.UID, Generation: r.Generation,
		Created: r.CreationTimestamp.Time, Running: v.Want.JobStatus.State == v1beta1.FlinkJobRunning, Wanted: v.Spec.Job,
		Status: v.Want.JobStatus, Intent: v.Want.Intent, Config: v.config(), Existing: v.Seen.Snapshots,
	}
	if running := v.Running(); running != nil {
		f.FlinkVersion, f.Defaults = running.FlinkVersion, v.Seen.Operator.Default(r.Namespace, running.FlinkVersion)
	}
	if v.Last != nil {
		f.Reconciled = v.Last.Spec.Job
	}
	return f
}

// TakesSnapshots reports whether the spec or the options ask for snapshots of the running job: a nonce that is not recorded yet, or a
// period.
func (v *Subject) TakesSnapshots() bool {
	if v.Last == nil || v.Last.Spec.Job == nil || v.Spec.Job == nil {
		return false
	}
	c := v.config()
	if c.Get(key.PeriodicSavepointInterval) != "" || c.Get(key.PeriodicCheckpointInterval) != "" {
		return true
	}
	return pendingNonce(v.Spec.Job.SavepointTriggerNonce, v.Last.Spec.Job.SavepointTriggerNonce) ||
		pendingNonce(v.Spec.Job.CheckpointTriggerNonce, v.Last.Spec.Job.CheckpointTriggerNonce)
}

func pendingNonce(wanted, recorded *int64) bool {
	return wanted != nil && (recorded == nil || *wanted != *recorded)
}

// HasHistory reports whether the status has a history of savepoints, which may have to be shortened.
func (v *Subject) HasHistory() bool {
	info := v.Want.JobStatus.SavepointInfo
	return info != nil && len(info.SavepointHistory) > 0
}

// Taken is what a steady job's snapshots need.
type Taken struct {
	// Actions in order.
	Actions []plan.Action
	// Record is one word when the status must be stored before them; empty when it may follow them.
	Record string
}

// TakeSnapshots takes what is due for a steady job, and cleans up what is old.
//
//	snapshots as resources   what is due                                        what is old
//	yes                      made; its nonce counts as handled with the status  FlinkStateSnapshots, the history in status
//	                         that goes with it, and its name follows from it
//	no                       begun in status, stored, then asked for            the history in status
func (v *Subject) TakeSnapshots() Taken {
	if v.Problem != "" || (!v.TakesSnapshots() && !v.HasHistory()) {
		return Taken{}
	}
	f := v.SnapshotFacts()
	due, notes := snapshots.Due(f)
	for _, note := range notes {
		v.Note(note)
	}
	if !snapshots.UsesResources(f) {
		if len(due) > 0 {
			status, asks := snapshots.BeginAll(f, due, v.Seen.Resource.ResourceVersion, v.Endpoint())
			v.Want.JobStatus = status
			return Taken{Actions: asks, Record: "snapshot"}
		}
		return v.shortenHistory(f)
	}
	var actions []plan.Action
	for _, t := range due {
		object, err := snapshots.MakeResource(f, t)
		if err != nil {
			v.Note("snapshot: " + err.Error())
			continue
		}
		actions = append(actions, plan.CreateSnapshot{Object: object})
		v.handled(t.Type, t.Nonce)
	}
	for _, old := range snapshots.Cleanup(f) {
		actions = append(actions, plan.DeleteSnapshot{Namespace: f.Namespace, Name: old.Name, UID: old.UID})
	}
	if len(actions) > 0 {
		return Taken{Actions: actions}
	}
	return v.shortenHistory(f)
}

// handled records a nonce as handled; nil records none. What was stable stays stable.
func (v *Subject) handled(t snapshots.Type, nonce *int64) {
	if nonce == nil || v.Last == nil || v.Last.Spec.Job == nil {
		return
	}
	r := &v.Want.ReconciliationStatus
	stable := r.LastStableSpec == r.LastReconciledSpec
	record := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy()}
	snapshots.RecordNonce(record.Spec.Job, t, nonce)
	v.StoreReconciled(record, v.IsFirst())
	if stable {
		r.LastStableSpec = r.LastReconciledSpec
	}
}

// KeepSavepoint keeps the savepoint of a stop: as a FlinkStateSnapshot, or in the status itself.
func (v *Subject) KeepSavepoint(path string) []plan.Action {
	f := v.SnapshotFacts()
	if !snapshots.UsesResources(f) {
		v.Want.JobStatus = snapshots.RecordUpgrade(v.Want.JobStatus, path, snapshots.FormatOf(f), v.Intent().StoredAt.Time)
		return nil
	}
	return []plan.Action{plan.CreateSnapshot{Object: snapshots.MakeUpgradeResource(f, path, snapshots.FormatOf(f), v.Intent().StoredAt.Time)}}
}
