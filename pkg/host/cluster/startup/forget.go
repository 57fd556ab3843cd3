package startup

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/claim"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A session cluster whose high-availability data is that of what ran last brings its jobs back, whoever had submitted
// them. Where what ran last kept none, or kept it elsewhere, that data is of an earlier time: its jobs were lost, ended
// or started again since, and a JobManager that finds it would run them beside what runs now. The same holds for what
// the Flink that ran last does not look at, see hadata.Entry.RunBy.

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
func forgetJobs(v *cluster.Cluster, intent *v1beta1.Intent) (decision.Result, bool) {
	if !intent.ForgetsJobs || v.Look.StoresIntent() || v.Look.Intent() != intent {
		return decision.Result{}, false
	}
	data := v.HA()
	if data.Store = cluster.HAStoreOfStart(v); !data.Store.Readable() {
		return decision.Result{}, false
	}
	jobs, known := v.Seen.SessionJobs.Get()
	switch what, why, unknown := data.Unknown(); {
	case unknown:
		return decision.Unobservable(what, why), true
	case !known:
		return decision.Unobservable("the session jobs of the cluster", v.Seen.SessionJobs.Why()), true
	}
	var forgotten []string
	version := facts.StoredTarget(v.Look).FlinkVersion
	for _, entry := range data.Entries() {
		switch owner := cluster.OwnerOf(entry, jobs); {
		case !entry.RunBy(version):
		case owner != nil && owner.JobID == entry.JobID && !owner.Ended:
		case owner != nil && v.Seen.Resource.Annotations[v1beta1.AnnotationIgnoreState] != "true":
			return claim.Stands(v, fmt.Sprintf("high-availability data with a checkpoint (%s) that may be the newest "+
				"state of session job %s", entry.Checkpoint, owner.Name)), true
		default:
			forgotten = append(forgotten, entry.JobID)
		}
	}
	if len(forgotten) == 0 {
		return decision.Result{}, false
	}
	if use := data.InUse(); use != "" {
		return decision.Result{
			Situation: plan.Starting, Wait: plan.Cause{Reason: plan.ReasonHighAvailabilityDataInUse, Message: use},
		}, true
	}
	return decision.Result{Actions: []plan.Action{data.Forget(forgotten)}, Tells: []plan.Event{{
		Reason: plan.ReasonJobsForgotten, Component: plan.ComponentJobManager,
		Message: "High-availability data of an earlier configuration is removed for jobs that no session job has: " +
			strings.Join(forgotten, ", "),
	}}}, true
}
