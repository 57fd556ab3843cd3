package operation

import (
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
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
	// Stall says why a person has to act; nil when it is not so.
	Stall *plan.Cause
}

// TakeSnapshots takes what is due for a steady job, and cleans up what is old.
//
//	snapshots as resources   what is due                                        what is old
//	yes                      made; its nonce counts as handled with the status  FlinkStateSnapshots, the history in
//	                                                                            status
//	                         that goes with it, and its name follows from it
//	no                       begun in status, stored, then asked for            the history in status
func TakeSnapshots(v *world.Look) taken {
	closes := v.Seen.Resource.Status.Intent != nil // such a round has not asked for the snapshots yet
	if v.Problem != "" || closes || (!facts.SnapshotsWanted(v) && !facts.HasSnapshotHistory(v)) {
		return taken{}
	}
	f := facts.OfSnapshots(v)
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
		return shortenHistory(v, f)
	}
	if refused := v.Seen.SnapshotsRefused; refused != nil {
		return snapshotRefused(v, *refused)
	}
	var actions []plan.Action
	for _, t := range due {
		object, err := snapshots.MakeResource(f, t)
		if err != nil {
			v.Note("snapshot: " + err.Error())
			continue
		}
		actions = append(actions, plan.CreateSnapshot{Object: object})
		record.SnapshotHandled(v, t.Type, t.Nonce)
	}
	for _, old := range snapshots.Cleanup(f) {
		actions = append(actions, plan.DeleteSnapshot{Namespace: f.Namespace, Name: old.Name, UID: old.UID})
	}
	if len(actions) > 0 {
		return taken{Actions: actions}
	}
	return shortenHistory(v, f)
}

// snapshotRefused shows why a FlinkStateSnapshot could not be made or deleted. It is for others: what else was found is
// stored, and nothing that was asked for counts as handled.
func snapshotRefused(v *world.Look, why world.SnapshotsRefused) taken {
	if !why.Stays {
		return taken{}
	}
	v.Want.Error = v.Resource().Status.Error // what is told already
	failed := report.EffectFailed(v, why.Reason, why.Message)
	record.Show(v, failed.Shown)
	return taken{Stall: failed.Result.Stall}
}

// keepSavepoint keeps the savepoint of a stop: as a FlinkStateSnapshot, or in the status itself.
func keepSavepoint(v *world.Look, path string) []plan.Action {
	f := facts.OfSnapshots(v)
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
func shortenHistory(v *world.Look, f snapshots.Facts) taken {
	stored := v.Resource().Status
	if stored.Situation != string(plan.Steady) || !status.SameMeaning(stored, v.Want) ||
		len(snapshots.Pending(f.Status)) > 0 {
		return taken{}
	}
	next, dispose := snapshots.PruneOne(f)
	if dispose != "" && leftOpen(v) {
		return taken{}
	}
	v.Want.JobStatus = next
	if dispose == "" {
		return taken{}
	}
	return taken{Actions: []plan.Action{plan.DisposeSavepoint{Endpoint: v.Host.Endpoint(), Path: dispose}}}
}

// leftOpen reports whether Flink left open what may be told of the job.
func leftOpen(v *world.Look) bool {
	failures := v.Job != nil && facts.ExceptionsDue(v, *v.Job) > 0 && v.Seen.Flink.Exceptions.IsUnknown()
	checkpoint := facts.LooksForCheckpoint(v) && !v.MayStartEmpty() && v.Seen.Flink.Checkpoints.IsUnknown()
	return failures || checkpoint || (facts.HealthChecked(v) && v.Seen.Flink.Health.IsUnknown())
}
