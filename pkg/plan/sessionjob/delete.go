package sessionjob

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// deleting ends a resource that is marked for deletion. First match wins:
//
//	there is                                           then
//	no finalizer of ours                               nothing
//	a request to run the job that may be on its way    wait
//	no job, see jobLeft                                let it go
//	a job, and the cluster is being deleted and does   let it go: the job ends with the cluster
//	not wait for its jobs
//	a savepoint was asked for                          take it, for as long as a checkpoint may take; then go on without
//	a job that nobody could ask for, for longer than   let it go, and say that the job may run
//	a clean-up may take
//	a job that nobody can ask for                      wait
//	a job                                              cancel it, until it has ended
func deleting(v *view) (job.Result, bool) {
	r := v.Seen.Resource
	if r.DeletionTimestamp == nil {
		return job.Result{}, false
	}
	if _, missing := v.MissingFinalizer(); missing {
		return job.Result{Situation: plan.Deleting}, true
	}
	v.Want.LifecycleState = v1beta1.LifecycleDeleting
	if r.Status.LifecycleState != v1beta1.LifecycleDeleting {
		v.Tell(plan.Event{
			Reason: plan.ReasonCleanup, Component: plan.ComponentOperator, Message: "Cleaning up FlinkSessionJob",
		})
	}
	o := v.end()
	o.Situation = plan.Deleting
	return o, true
}

func (v *view) end() job.Result {
	standing, why := v.Standing()
	overdue := v.DeletingFor() > v.CleanupTimeout()
	switch {
	case v.runsSoon():
		return job.Result{Wait: submitting}
	case v.DeletionOpen() && v.Intent().Stop == v1beta1.StopSavepoint && !v.Intent().Ended && v.Present():
		if o, saving := v.SaveFirst(); saving { // the path of a savepoint that is complete is recorded first
			return o
		}
	case !v.jobLeft(standing) || v.goesWithCluster():
		return v.letGo()
	case standing != job.There && overdue:
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonJobLeftRunning, Component: plan.ComponentOperator, Once: true,
			Message: fmt.Sprintf("The resource is deleted, and job %s may still run: %s", v.Want.JobStatus.JobID, why),
		})
		return v.letGo()
	case standing != job.There:
		return job.Result{Wait: plan.Cause{Reason: plan.ReasonSessionClusterNotReady, Message: why}}
	}
	if o, saving := v.SaveFirst(); saving {
		return o
	}
	j, listed := v.listed()
	switch {
	case !listed && overdue:
		return v.letGo()
	case !listed:
		return job.Result{Wait: plan.Cause{Reason: plan.ReasonJobNotListed, Message: "Flink does not list the job"}}
	}
	v.SetJobState(j.State)
	return v.TakeApart()
}

// runsSoon reports whether a request to run the job may be on its way: it was stored, and Flink does not list the job.
func (v *view) runsSoon() bool {
	intent := v.Intent()
	if intent == nil || intent.Step != v1beta1.StepReleased || intent.Release == nil {
		return false
	}
	_, listed := v.listed()
	return !listed && v.Seen.Now.Before(cluster.CallUntil(intent))
}

// jobLeft reports whether a job of the resource may run. First match wins:
//
//	the job                                     left
//	has no ID, or none was asked to run         no
//	is listed                                   until it has ended
//	was recorded to have ended                  no
//	is Gone                                     no
//	otherwise                                   yes
func (v *view) jobLeft(standing job.Standing) bool {
	status, intent := v.Want.JobStatus, v.Intent()
	j, listed := v.listed()
	switch {
	case status.JobID == "" || (intent != nil && intent.Step == v1beta1.StepStarting && !listed):
		return false
	case listed:
		return !j.State.IsTerminal()
	case status.State.IsTerminal():
		return false
	}
	return standing != job.Gone
}

// goesWithCluster reports whether the session cluster is being deleted, and does not wait for its jobs.
func (v *view) goesWithCluster() bool {
	return v.cluster != nil && v.cluster.Resource().DeletionTimestamp != nil && !v.cluster.BlocksOnSessionJobs()
}

func (v *view) letGo() job.Result {
	v.Want.LifecycleState = v1beta1.LifecycleDeleted
	return job.Result{Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v.Finalizer()}}}
}
