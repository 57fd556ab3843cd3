package jobsnapshots

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// Observe brings the snapshots in flight up to what Flink says of them. The answer is which requests have to be made
// again.
func Observe(v *subject.Subject) []plan.Action {
	requests := snapshots.Pending(v.Want.JobStatus)
	if len(requests) == 0 || v.Last == nil {
		return nil
	}
	f := v.SnapshotFacts()
	f.Running, f.Expected = standing(v, &f.Status)
	p := snapshots.ProgressOf(f, v.Seen.Flink.Requests)
	v.Want.JobStatus.SavepointInfo, v.Want.JobStatus.CheckpointInfo = p.Status.SavepointInfo, p.Status.CheckpointInfo
	for _, t := range p.Handled {
		handled(v, t, snapshots.NonceOf(v.Spec.Job, t))
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
func standing(v *subject.Subject, status *v1beta1.JobStatus) (running, expected bool) {
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Seen.JobManager.IsUnknown():
		return false, true
	case !present || jm.DeletionTimestamp != nil || (jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0):
		return false, false
	}
	jobs, _ := v.Seen.Flink.Jobs.Get()
	j, listed := job.FindJob(jobs, status.JobID)
	if !listed {
		return false, true
	}
	status.StartTime = j.StartTime
	running = j.State == v1beta1.FlinkJobRunning
	return running, !running && !j.State.IsTerminal()
}
