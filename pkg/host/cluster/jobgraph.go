package cluster

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Flink keeps the graph of a job in its high-availability data until the job has ended, and a JobManager runs every
// graph that it finds. Where we can look, a start drops them. In a ZooKeeper where only Flink can look, the end of the
// job is all that removes its graph: that no JobManager runs any more is not enough.

// graphRemoval is how long Flink is given to remove the graph of a job that has ended. Nothing at its REST interface
// says that it did: it shows the end of the job first, and then removes the graph, again and again where that fails
// (cleanup-strategy). A JobManager that is there for so long after the end has removed it; one that was killed before
// may have left it. It is counted from when the end was seen: Flink's clock may be another one.
const graphRemoval = 10 * time.Second

// ObserveJobGraph records, in a status that has the end of the job, whether its graph is gone. First match wins:
//
//	Flink          the job                                  the graph
//	does not
//	answer         -                                        as it was
//	answers        runs                                     is there
//	answers        has ended, graphRemoval ago              is gone
//	answers        is not listed, its end is recorded, and  is gone: a JobManager begins with what it finds
//	               the JobManager is ready for graphRemoval
//	answers        otherwise                                as it was
func ObserveJobGraph(v *Cluster) {
	status := &v.Look.Want.JobStatus
	jobs, answers := v.Seen.Flink.Jobs.Get()
	if !answers || !v.HA().Store.Unreadable() || v.Look.IsSession() {
		return
	}
	j, listed := world.FindJob(jobs, status.JobID)
	recorded := status.State.IsTerminal() && v.Look.Since(v.Look.EndedAt()) >= graphRemoval
	switch {
	case listed && !j.State.IsTerminal():
		status.JobGraphRemoved = ""
	case recorded && (listed || v.Look.Since(v.AvailableAt()) >= graphRemoval):
		status.JobGraphRemoved = status.JobID
	}
}

// LeftNoGraph reports whether it is known that no graph of an earlier job is left: it was seen to go, or no job began.
func LeftNoGraph(v *Cluster) bool {
	status, intent := v.Look.Want.JobStatus, v.Look.Intent()
	if status.JobGraphRemoved != "" && status.JobGraphRemoved == status.JobID {
		return true
	}
	if intent == nil {
		return false
	}
	gaveUp := intent.Ended && (intent.Stop == v1beta1.StopStateless || intent.Stop == "") // see stopper.giveUp
	never := intent.Stop == v1beta1.StopNone && status.StartTime == "" && !status.State.IsTerminal()
	return (gaveUp || never) && !intent.Began || intent.Step == v1beta1.StepStarting
}

// JobGraphLeft says what a person can do about a graph that may be left.
func JobGraphLeft(v *Cluster, what string) plan.Cause {
	r, store := v.Seen.Resource, v.HA().Store
	return plan.Cause{Reason: plan.ReasonJobGraphUnreadable,
		Message: fmt.Sprintf("%s, and a start would run the job graph that it may have left beside the new job. %s "+
			"When no JobManager of it runs: %s; then: kubectl annotate flinkdeployment %s -n %s %s=true",
			what, store.Problem, store.Removal(), r.Name, r.Namespace, v1beta1.AnnotationIgnoreState)}
}
