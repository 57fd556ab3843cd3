package subject

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// Snapshots that the job's own status records (kubernetes.operator.snapshot.resource.enabled is false); package snapshots draws one.

// ObserveRequests brings the snapshots in flight up to what Flink says of them. The answer is which requests have to be made again.
func (v *Subject) ObserveRequests() []plan.Action {
	requests := snapshots.Pending(v.Want.JobStatus)
	if len(requests) == 0 || v.Last == nil {
		return nil
	}
	f := v.SnapshotFacts()
	f.Running, f.Expected = v.standing(&f.Status)
	p := snapshots.ProgressOf(f, v.Seen.Flink.Requests)
	v.Want.JobStatus.SavepointInfo, v.Want.JobStatus.CheckpointInfo = p.Status.SavepointInfo, p.Status.CheckpointInfo
	for _, t := range p.Handled {
		v.handled(t, snapshots.NonceOf(v.Spec.Job, t))
	}
	v.Events = append(v.Events, p.Events...)
	var again []plan.Action
	for _, r := range requests {
		if slices.Contains(p.Again, r.Type) {
			again = append(again, snapshots.Ask(f, r.Type, r.TriggerID, v.Endpoint()))
		}
	}
	return again
}

// standing is what requests may expect of the job, with the start time of the run that Flink lists.
//
//	Deployment                            Flink          the job
//	Unknown                               -              is expected
//	Absent, being deleted, no replicas    -              is gone
//	there                                 lists RUNNING  runs
//	there                                 lists as ended is gone
//	there                                 otherwise      is expected
func (v *Subject) standing(status *v1beta1.JobStatus) (running, expected bool) {
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Seen.JobManager.IsUnknown():
		return false, true
	case !present || jm.DeletionTimestamp != nil || (jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0):
		return false, false
	}
	jobs, _ := v.Seen.Flink.Jobs.Get()
	job, listed := FindJob(jobs, status.JobID)
	if !listed {
		return false, true
	}
	status.StartTime = job.StartTime
	running = job.State == v1beta1.FlinkJobRunning
	return running, !running && !job.State.IsTerminal()
}

// SavepointPending reports whether a savepoint that somebody asked for keeps a change waiting: it is being written, and
// kubernetes.operator.job.upgrade.ignore-pending-savepoint is false.
func (v *Subject) SavepointPending() bool {
	pending := slices.ContainsFunc(snapshots.Pending(v.Want.JobStatus), func(r snapshots.Request) bool { return r.Type == snapshots.Savepoint })
	return pending && v.Want.JobStatus.State == v1beta1.FlinkJobRunning && !v.IgnoresPendingSavepoint()
}

// shortenHistory takes one savepoint from the history in status, and disposes of it. The shorter history is stored once Flink has accepted
// that, so nothing else may be waiting to be stored.
func (v *Subject) shortenHistory(f snapshots.Facts) Taken {
	stored := v.Resource().Status
	if stored.Situation != string(plan.Steady) || !SameMeaning(stored, v.Want) || len(snapshots.Pending(f.Status)) > 0 {
		return Taken{}
	}
	next, dispose := snapshots.PruneOne(f)
	v.Want.JobStatus = next
	if dispose == "" {
		return Taken{}
	}
	return Taken{Actions: []plan.Action{plan.DisposeSavepoint{Endpoint: v.Endpoint(), Path: dispose}}}
}
