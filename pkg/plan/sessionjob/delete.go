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
//	  #  there is                                              finalizer  Flink is asked for  tells
//	 X1  no finalizer of ours                                  -          nothing             nothing
//	 X2  a request to run the job that may be on its way       stays      nothing             nothing
//	 X3  a job that is being stopped with the savepoint that   stays      a savepoint         nothing
//	     was asked for
//	 X4  no job, see jobLeft                                   goes       nothing             nothing
//	 X5  a job, and the cluster is being deleted and does not  goes       nothing             nothing
//	     wait for its jobs: it ends with the cluster
//	 X6  a job that nobody could ask for, for longer than a    goes       nothing             that it may run
//	     clean-up may take
//	 X7  a job that nobody can ask for                         stays      nothing             nothing
//	 X8  a job, and a savepoint was asked for                  stays      a savepoint         nothing
//	 X9  a job that Flink did not list for longer than that:   goes       nothing             that it may run
//	     it may come back
//	X10  a job that Flink does not list                        stays      nothing             nothing
//	X11  a job                                                 stays      a cancellation      nothing
//
// A savepoint has as long as a checkpoint may take, see SaveFirst; then the deletion goes on without. A cancellation is
// awaited.
func deleting(v view) (job.Result, bool) {
	r := v.Seen.Resource
	if r.DeletionTimestamp == nil {
		return job.Result{}, false
	}
	if _, missing := job.MissingFinalizer(v.Life); missing {
		return job.Result{Situation: plan.Deleting}, true
	}
	v.Want.LifecycleState = v1beta1.LifecycleDeleting
	if r.Status.LifecycleState != v1beta1.LifecycleDeleting {
		v.Tell(plan.Event{
			Reason: plan.ReasonCleanup, Component: plan.ComponentOperator, Message: "Cleaning up FlinkSessionJob",
		})
	}
	o := deletion(v).end()
	o.Situation = plan.Deleting
	return o, true
}

// deletion ends the job of a resource that is marked for deletion, then lets the resource go.
type deletion view

func (v deletion) end() job.Result {
	if v.runsSoon() {
		return job.Result{Wait: submitting}
	}
	d := job.Deletion(v.Life)
	if d.Open() && v.Intent().Stop == v1beta1.StopSavepoint && !v.Intent().Ended && v.Present() {
		if o, saving := d.SaveFirst(); saving { // the path of a savepoint that is complete is recorded first
			return o
		}
	}
	standing, why := v.Standing()
	overdue := d.Age() > v.CleanupTimeout()
	switch {
	case !v.jobLeft(standing) || v.goesWithCluster():
		return v.letGo()
	case standing != job.There && overdue:
		return v.letRun(why)
	case standing != job.There:
		return job.Result{Wait: plan.Cause{Reason: plan.ReasonSessionClusterNotReady, Message: why}}
	}
	if o, saving := d.SaveFirst(); saving {
		return o
	}
	j, listed := v.listed()
	switch {
	case !listed && overdue:
		return v.letRun("Flink does not list it, and may restore it from high-availability data")
	case !listed:
		return job.Result{Wait: plan.Cause{Reason: plan.ReasonJobNotListed, Message: "Flink does not list the job"}}
	}
	v.SetJobState(j.State)
	return stopper(v).TakeApart()
}

// runsSoon reports whether a request to run the job may be on its way: it was stored, and Flink does not list the job.
func (v deletion) runsSoon() bool {
	intent := v.Intent()
	if intent == nil || intent.Step != v1beta1.StepReleased || intent.Release == nil {
		return false
	}
	_, listed := v.listed()
	return !listed && v.Seen.Now.Before(cluster.CallUntil(intent))
}

// jobLeft reports whether a job of the resource may run. First match wins:
//
//	 #  the job                              left
//	J1  has no ID, or none was asked to run  no
//	J2  is listed and has ended              no
//	J3  is listed                            yes
//	J4  was recorded to have ended           no
//	J5  is Gone                              no
//	J6  otherwise                            yes
func (v deletion) jobLeft(standing job.Standing) bool {
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
func (v deletion) goesWithCluster() bool {
	return v.cluster != nil && v.cluster.Resource().DeletionTimestamp != nil && !v.cluster.BlocksOnSessionJobs()
}

// letRun lets the resource go while its job may run, and says so.
func (v deletion) letRun(why string) job.Result {
	v.Tell(plan.Event{
		Warning: true, Reason: plan.ReasonJobLeftRunning, Component: plan.ComponentOperator, Once: true,
		Message: fmt.Sprintf("The resource is deleted, and job %s may still run: %s", v.Want.JobStatus.JobID, why),
	})
	return v.letGo()
}

func (v deletion) letGo() job.Result {
	v.Want.LifecycleState = v1beta1.LifecycleDeleted
	return job.Result{Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v.Finalizer()}}}
}
