package cluster

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// A session cluster whose high-availability data is that of what ran last brings its jobs back, whoever had submitted
// them. Where what ran last kept none, or kept it elsewhere, that data is of an earlier time: its jobs were lost, ended
// or started again since, and a JobManager that finds it would run them beside what runs now. The same holds for
// what the Flink that ran last does not look at, see hadata.Entry.RunBy.

// forgetJobs removes, before a session cluster is prepared, what high-availability data of an earlier time has of jobs.
// For each of them that the Flink which starts would run, first match wins:
//
//	 #  the job is            of a session job that       names a checkpoint  to be ignored  then
//	G1  its newest            has no end recorded         -                   -              it stays
//	G2  its newest            ended, in an unknown state  yes                 no             a person decides
//	G3  its newest or not     cannot be read              yes                 no             a person decides
//	G4  anybody's             -                           -                   -              it is forgotten
//
// What stays was lost since, and this is its newest state. To forget is to remove the graph, and what names its
// checkpoints.
func (v starter) forgetJobs(intent *v1beta1.Intent) (job.Result, bool) {
	if !intent.ForgetsJobs || v.StoresIntent() || v.Intent() != intent {
		return job.Result{}, false
	}
	data := v.HA()
	if data.Store = HAStoreOfStart(Cluster(v)); !data.Store.Readable() {
		return job.Result{}, false
	}
	jobs, known := v.Seen.SessionJobs.Get()
	switch what, why, unknown := data.Unknown(); {
	case unknown:
		return job.Unobservable(what, why), true
	case !known:
		return job.Unobservable("the session jobs of the cluster", v.Seen.SessionJobs.Why()), true
	}
	var forgotten []string
	version := job.Goal(v.Life).StoredTarget().FlinkVersion
	for _, entry := range data.Entries() {
		switch owner := ownerOf(entry, jobs); {
		case !entry.RunBy(version):
		case owner != nil && owner.JobID == entry.JobID && !owner.Ended:
		case owner != nil && v.Seen.Resource.Annotations[v1beta1.AnnotationIgnoreState] != "true":
			return stands(Cluster(v), fmt.Sprintf("high-availability data with a checkpoint (%s) that may be the newest "+
				"state of session job %s", entry.Checkpoint, owner.Name)), true
		default:
			forgotten = append(forgotten, entry.JobID)
		}
	}
	if len(forgotten) == 0 {
		return job.Result{}, false
	}
	if use := data.InUse(); use != "" {
		return job.Result{
			Situation: plan.Starting, Wait: plan.Cause{Reason: plan.ReasonHighAvailabilityDataInUse, Message: use},
		}, true
	}
	return job.Result{Actions: []plan.Action{data.Forget(forgotten)}, Tells: []plan.Event{{
		Reason: plan.ReasonJobsForgotten, Component: plan.ComponentJobManager,
		Message: "High-availability data of an earlier configuration is removed for jobs that no session job has: " +
			strings.Join(forgotten, ", "),
	}}}, true
}

// HAStoreOfStart is where the open start of a session cluster will find high-availability data.
func HAStoreOfStart(v Cluster) hadata.Store {
	target := job.Goal(v.Life).StoredTarget()
	return hadata.StoreOf(v.Compose(&target))
}

// ownerOf is the session job that may need what high-availability data has of a job; nil when none does.
func ownerOf(entry hadata.Entry, jobs []SessionJob) *SessionJob {
	for i, j := range jobs {
		if j.JobID == entry.JobID && (!j.Ended || (j.StateUnknown && entry.Checkpoint != "")) {
			return &jobs[i]
		}
	}
	for i, j := range jobs {
		if j.Unreadable && entry.Checkpoint != "" {
			return &jobs[i]
		}
	}
	return nil
}
