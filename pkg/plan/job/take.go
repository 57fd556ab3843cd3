package job

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// taken is what a steady job's snapshots need.
type taken struct {
	// Actions in order.
	Actions []plan.Action
	// Record is one word when the status must be stored before them; empty when it may follow them.
	Record string
}

// take takes what is due for a steady job, and cleans up what is old.
//
//	snapshots as resources   what is due                                        what is old
//	yes                      made; its nonce counts as handled with the status  FlinkStateSnapshots, the history in
//	                                                                            status
//	                         that goes with it, and its name follows from it
//	no                       begun in status, stored, then asked for            the history in status
func (v Snapshots) take() taken {
	closes := v.Seen.Resource.Status.Intent != nil // such a round has not asked for the snapshots yet
	if v.Problem != "" || closes || (!v.Wanted() && !v.HasHistory()) {
		return taken{}
	}
	f := v.facts()
	due, notes := snapshots.Due(f)
	for _, note := range notes {
		v.Note(note)
	}
	if !snapshots.UsesResources(f) {
		if len(due) > 0 {
			status, asks := snapshots.BeginAll(
				f, due, plan.Over(v.Seen.Resource.ResourceVersion, v.Seen.Now), v.Host.Endpoint(),
			)
			v.Want.JobStatus = status
			return taken{Actions: asks, Record: "snapshot"}
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
		return taken{Actions: actions}
	}
	return v.shortenHistory(f)
}

// handled records a nonce as handled; nil records none. What was stable stays stable.
func (v Snapshots) handled(t snapshots.Type, nonce *int64) {
	if nonce == nil || v.Last == nil || v.Last.Spec.Job == nil {
		return
	}
	r := &v.Want.ReconciliationStatus
	stable := r.LastStableSpec == r.LastReconciledSpec
	record := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy()}
	snapshots.RecordNonce(record.Spec.Job, t, nonce)
	Record(v).Store(record, v.IsFirst())
	if stable {
		r.LastStableSpec = r.LastReconciledSpec
	}
}

// keep keeps the savepoint of a stop: as a FlinkStateSnapshot, or in the status itself.
func (v Snapshots) keep(path string) []plan.Action {
	f := v.facts()
	if !snapshots.UsesResources(f) {
		v.Want.JobStatus = snapshots.RecordUpgrade(v.Want.JobStatus, path, snapshots.FormatOf(f), v.Intent().StoredAt.Time)
		return nil
	}
	return []plan.Action{
		plan.CreateSnapshot{
			Object: snapshots.MakeUpgradeResource(f, path, snapshots.FormatOf(f), v.Intent().StoredAt.Time),
		},
	}
}

// shortenHistory takes one savepoint from the history in status, and disposes of it. The shorter history is stored once
// Flink has accepted that, so nothing else may be waiting to be stored, also nothing that Flink left unanswered.
func (v Snapshots) shortenHistory(f snapshots.Facts) taken {
	stored := v.Resource().Status
	if stored.Situation != string(plan.Steady) || !status.SameMeaning(stored, v.Want) ||
		len(snapshots.Pending(f.Status)) > 0 {
		return taken{}
	}
	next, dispose := snapshots.PruneOne(f)
	if dispose != "" && v.leftOpen() {
		return taken{}
	}
	v.Want.JobStatus = next
	if dispose == "" {
		return taken{}
	}
	return taken{Actions: []plan.Action{plan.DisposeSavepoint{Endpoint: v.Host.Endpoint(), Path: dispose}}}
}

// leftOpen reports whether Flink left open what may be told of the job.
func (v Snapshots) leftOpen() bool {
	failures := v.Job != nil && exceptionHistory(v).due(*v.Job) > 0 && v.Seen.Flink.Exceptions.IsUnknown()
	checkpoint := looksForCheckpoint(Life(v)) && !v.MayStartEmpty() && v.Seen.Flink.Checkpoints.IsUnknown()
	return failures || checkpoint || (Health(v).Checked() && v.Seen.Flink.Health.IsUnknown())
}
