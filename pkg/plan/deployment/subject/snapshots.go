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

// TakeSnapshots makes the FlinkStateSnapshots that are due for a steady job, and deletes old ones. A nonce counts as handled with the status
// that goes with the object; the object's name follows from it, so a pass that comes again makes the same one.
//
//	snapshots as resources   then
//	yes                      make what is due, delete what is too old or too many
//	no                       say that it cannot be done yet
func (v *Subject) TakeSnapshots() []plan.Action {
	if !v.TakesSnapshots() || v.Problem != "" {
		return nil
	}
	f := v.SnapshotFacts()
	if !snapshots.UsesResources(f) {
		v.Tell(plan.Event{Warning: true, Reason: "SnapshotNotSupported", Component: plan.ComponentOperator, Once: true,
			Message: "Snapshots in the job's status cannot be taken yet: set kubernetes.operator.snapshot.resource.enabled to true"})
		return nil
	}
	due, notes := snapshots.Due(f)
	for _, note := range notes {
		v.Note(note)
	}
	var actions []plan.Action
	for _, t := range due {
		object, err := snapshots.MakeResource(f, t)
		if err != nil {
			v.Note("snapshot: " + err.Error())
			continue
		}
		actions = append(actions, plan.CreateSnapshot{Object: object})
		if t.Nonce != nil {
			record := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy()}
			snapshots.RecordNonce(record.Spec.Job, t.Type, t.Nonce)
			stable := v.Want.ReconciliationStatus.LastStableSpec == v.Want.ReconciliationStatus.LastReconciledSpec
			v.StoreReconciled(record, v.IsFirst())
			if stable {
				v.Want.ReconciliationStatus.LastStableSpec = v.Want.ReconciliationStatus.LastReconciledSpec
			}
		}
	}
	for _, old := range snapshots.Cleanup(f) {
		actions = append(actions, plan.DeleteSnapshot{Namespace: f.Namespace, Name: old.Name, UID: old.UID})
	}
	return actions
}

// KeepSavepoint keeps the savepoint of a stop as a FlinkStateSnapshot.
func (v *Subject) KeepSavepoint(path string) []plan.Action {
	f := v.SnapshotFacts()
	if !snapshots.UsesResources(f) {
		return nil
	}
	return []plan.Action{plan.CreateSnapshot{Object: snapshots.MakeUpgradeResource(f, path, snapshots.FormatOf(f), v.Intent().StoredAt.Time)}}
}
