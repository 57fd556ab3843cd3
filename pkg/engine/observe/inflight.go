package observe

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// InFlight brings the snapshots that status records up to what Flink says of them. It decides nothing.
func InFlight(v *world.Look) (decision.Result, bool) {
	v.Requests = snapshotsInFlight(v)
	return decision.Result{}, false
}

// snapshotsInFlight brings the snapshots in flight up to what Flink says of them. The answer is which requests have to
// be made again.
func snapshotsInFlight(v *world.Look) []plan.Action {
	requests := snapshots.Pending(v.Want.JobStatus)
	if len(requests) == 0 || v.Last == nil {
		return nil
	}
	f := facts.OfSnapshots(v)
	f.Running, f.Expected = expects(v, &f.Status)
	p := snapshots.ProgressOf(f, v.Seen.Flink.Requests)
	v.Want.JobStatus.SavepointInfo, v.Want.JobStatus.CheckpointInfo = p.Status.SavepointInfo, p.Status.CheckpointInfo
	for _, t := range p.Handled {
		record.SnapshotHandled(v, t, snapshots.NonceOf(v.Spec.Job, t))
	}
	v.Events = append(v.Events, p.Events...)
	var again []plan.Action
	for _, r := range requests {
		if slices.Contains(p.Again, r.Type) {
			again = append(again, snapshots.Ask(f, r.Type, r.TriggerID, v.Host.Endpoint()))
		}
	}
	return again
}

// expects is what requests may expect of the job, with the start time of the run that Flink lists.
//
//	Deployment                            Flink          the job
//	Unknown                               -              is expected
//	Absent, being deleted, no replicas    -              is gone
//	there                                 lists RUNNING  runs
//	there                                 lists as ended is gone
//	there                                 otherwise      is expected
func expects(v *world.Look, status *v1beta1.JobStatus) (running, expected bool) {
	switch standing, _ := v.Host.Standing(); standing {
	case world.StandingUnknown:
		return false, true
	case world.Gone, world.Going, world.Standby:
		return false, false
	}
	jobs, _ := v.Seen.Flink.Jobs.Get()
	j, listed := world.FindJob(jobs, status.JobID)
	if !listed {
		return false, true
	}
	status.StartTime = j.StartTime
	running = j.State == v1beta1.FlinkJobRunning
	return running, !running && !j.State.IsTerminal()
}
