package sessionjob

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// deleting ends a resource that is marked for deletion. First match wins:
//
//	  #  there is                                           finalizer  Flink is asked for  tells             skipped
//	 X1  no finalizer of ours                               -          nothing             nothing           -
//	 X2  a job that Flink may yet begin, see runsSoon, for  goes       nothing             that it may run   -
//	     longer than a clean-up may take
//	 X3  a job that Flink may yet begin                     stays      nothing             nothing           -
//	 X4  a stop with savepoint, in time, that Flink does    stays      a savepoint         nothing           -
//	     not know and the deletion needs
//	 X5  a stop with savepoint under way, in time, or one   stays      nothing             nothing           -
//	     that is complete: its path is recorded first
//	 X6  no job, see jobLeft                                goes       nothing             nothing           told, if the
//	                                                                                                         job is Gone
//	 X7  a job, and the cluster is being deleted and does   goes       nothing             nothing           told
//	     not wait for its jobs: it ends with the cluster
//	 X8  a job that has ended, and may be restored, for     goes       nothing             that it may run   -
//	     longer than a clean-up may take
//	 X9  a job that has ended, and may be restored          stays      nothing             nothing           -
//	X10  a job that could not be asked for, or was not      goes       nothing             that it may run   told
//	     listed, for longer than a clean-up may take
//	X11  a job that nobody can ask for, or that is not      stays      nothing             nothing           -
//	     listed and may come back
//	X12  a job, and a savepoint was asked for               stays      a savepoint         nothing           -
//	X13  a job that was told to end for longer than that    goes       nothing             that it may run   -
//	X14  a job                                              stays      a cancellation      nothing           -
//
// A savepoint has as long as a checkpoint may take, see SaveFirst; then the deletion goes on without. It is
// skipped where it was asked for and is not known to be complete.
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
	result := deletion(v).end()
	result.Situation = plan.Deleting
	return result, true
}

// deletion ends the job of a resource that is marked for deletion, then lets the resource go.
type deletion view

func (v deletion) end() job.Result {
	if former, runs := formerJob(view(v)); runs {
		if v.isFirstLook() || job.Deletion(v.Life).Age() <= v.CleanupTimeout() {
			return view(v).endAgain(former, plan.Deleting)
		}
		v.tellLeft(former.ID, "it had ended, runs again, and does not end")
	}
	if v.runsSoon() {
		if v.longerThanCleanup(*v.Intent().Release.RunAt) {
			return v.letRun("Flink was asked to run it and may begin it yet")
		}
		return job.Result{Wait: submitting}
	}
	d := job.Deletion(v.Life)
	if r, saving := d.CarrySave(); saving {
		return r
	}
	standing, why := v.Standing()
	switch {
	case !v.jobLeft(standing):
		if _, listed := v.listed(); !listed && standing == job.Gone {
			d.Skipped("the job is gone with its session cluster")
		}
		return v.letGo()
	case v.goesWithCluster():
		d.Skipped("the session cluster is deleted and does not wait for its jobs")
		return v.letGo()
	case v.hasEnded():
		return v.awaitStored()
	case standing != job.There:
		return v.away(plan.Cause{Reason: plan.ReasonSessionClusterNotReady, Message: why}, why)
	case !v.Present():
		return v.away(plan.Cause{Reason: plan.ReasonJobNotListed, Message: "Flink does not list the job"},
			"Flink does not list it, and may restore it from high-availability data")
	}
	if r, saving := d.SaveFirst(); saving {
		return r
	}
	return v.cancel()
}

// runsSoon reports whether Flink may yet begin the job: it does not list it, and was asked to run the jar, by a
// JobManager that was not replaced since.
func (v deletion) runsSoon() bool {
	intent := v.Intent()
	if intent == nil || intent.Step != v1beta1.StepReleased || intent.Release == nil || intent.Release.RunAt == nil {
		return false
	}
	gone := v.seen.JobManager.IsAbsent() || v.goesWithCluster() || upload(v).replaced()
	return !gone && !v.Present() && v.Since(*intent.Release.RunAt) < v.SubmissionTimeout()
}

// hasEnded reports whether the newest that is known of the job is that it has ended.
func (v deletion) hasEnded() bool {
	if j, listed := v.listed(); listed {
		return j.State.IsTerminal()
	}
	return v.Want.JobStatus.State.IsTerminal()
}

// awaitStored waits until Flink can no longer bring the job back.
func (v deletion) awaitStored() job.Result {
	if v.longerThanCleanup(v.EndedAt()) {
		return v.letRun("it has ended, and its job graph was not seen to be gone from the high-availability data")
	}
	return job.Result{Wait: plan.Cause{
		Reason: plan.ReasonJobCancelling, Message: "the job has ended; Flink removes its job graph",
	}}
}

// longerThanCleanup reports whether the deletion has waited for longer than a clean-up may take, for what began at a
// time. Where the status does not fit into etcd, that time is not kept: the deletion's own counts.
func (v deletion) longerThanCleanup(began metav1.Time) bool {
	age := job.Deletion(v.Life).Age()
	if !job.Deletion(v.Life).TooLarge() {
		age = min(age, v.Since(began))
	}
	return age > v.CleanupTimeout()
}

// away waits for a job that cannot be seen. The time counts from the first look of the deletion that did not see it, or
// from when it was told to end.
func (v deletion) away(wait plan.Cause, why string) job.Result {
	if v.isFirstLook() || v.Want.JobStatus.State != v1beta1.FlinkJobCancelling {
		v.finds(v1beta1.FlinkJobReconciling)
	}
	if !v.longerThanCleanup(v.EndedAt()) {
		return job.Result{Wait: wait}
	}
	job.Deletion(v.Life).Skipped(why)
	return v.letRun(why)
}

// cancel tells the job to end, and waits for that. That it was told is recorded first: a job that does not end, or that
// nobody may cancel, is left after a clean-up's time from then.
func (v deletion) cancel() job.Result {
	told := !v.isFirstLook() && v.Want.JobStatus.State == v1beta1.FlinkJobCancelling
	if told && v.longerThanCleanup(v.EndedAt()) {
		return v.letRun(fmt.Sprintf("it was told to end at %s and has not", v.EndedAt().UTC().Format(time.RFC3339)))
	}
	v.finds(v1beta1.FlinkJobCancelling)
	r := stopper(v).TakeApart()
	if !told && len(r.Actions) > 0 {
		r.Record = "cancellation"
	}
	return r
}

// isFirstLook reports whether no look before found the resource marked for deletion.
func (v deletion) isFirstLook() bool {
	return v.Seen.Resource.Status.LifecycleState != v1beta1.LifecycleDeleting
}

// finds records how the deletion finds the job. What was recorded before the deletion says nothing of how long that
// has lasted.
func (v deletion) finds(state v1beta1.FlinkJobState) {
	if v.isFirstLook() {
		v.Want.JobStatus.State = ""
	}
	v.SetJobState(state)
}

// jobLeft reports whether a job of the resource may run. First match wins:
//
//	 #  the job                              left
//	J1  has no ID, or none was asked to run  no
//	J2  has ended, and runsAgain             yes
//	J3  is listed and has ended              no
//	J4  is listed                            yes
//	J5  was recorded to have ended           no
//	J6  is Gone                              no
//	J7  otherwise                            yes
func (v deletion) jobLeft(standing job.Standing) bool {
	status, intent := v.Want.JobStatus, v.Intent()
	_, listed := v.listed()
	switch {
	case status.JobID == "" || (intent != nil && intent.Step == v1beta1.StepStarting && !listed):
		return false
	case v.hasEnded():
		return v.runsAgain()
	case listed:
		return true
	}
	return standing != job.Gone
}

// endStored is how long Flink is given to store that a job has ended, where nobody else can see that it did.
const endStored = time.Minute

// runsAgain reports whether a job that has ended may be restored: Flink shows the end first, and then stores it and
// removes the job graph. A JobManager that is killed between brings the job back.
//
//	session cluster                job graph                     ended          runs again
//	is not there, or restores no   -                             -              no
//	jobs
//	cannot be read                 -                             -              yes
//	restores jobs                  there                         -              yes
//	                               gone                          -              no
//	                               could not be looked at        -              yes
//	                               where only Flink can look     a minute ago   no
//	                               where only Flink can look     otherwise      yes
func (v deletion) runsAgain() bool {
	switch {
	case v.seen.Cluster.IsAbsent():
		return false
	case v.cluster == nil:
		return true
	case !v.BringsBack():
		return false
	}
	data := v.cluster.HA()
	if left, seen := data.Runs(v.Want.JobStatus.JobID).Get(); seen {
		return left
	}
	return data.Store.Readable() || max(v.Since(v.EndedAt()), job.Deletion(v.Life).Age()) < endStored
}

// goesWithCluster reports whether the session cluster is being deleted, and does not wait for its jobs.
func (v deletion) goesWithCluster() bool {
	return v.cluster != nil && v.cluster.Resource().DeletionTimestamp != nil && !v.cluster.BlocksOnSessionJobs()
}

// letRun lets the resource go while its job may run, and says so.
func (v deletion) letRun(why string) job.Result {
	v.tellLeft(v.Want.JobStatus.JobID, why)
	return v.letGo()
}

func (v deletion) tellLeft(id, why string) {
	v.Tell(plan.Event{
		Warning: true, Reason: plan.ReasonJobLeftRunning, Component: plan.ComponentOperator, Once: true,
		Message: fmt.Sprintf("The resource is deleted, and job %s may still run: %s", id, why),
	})
}

func (v deletion) letGo() job.Result {
	if intent := v.Intent(); intent != nil && intent.Step != v1beta1.StepStopping {
		upload(v).leaveNone()
	}
	v.Want.LifecycleState = v1beta1.LifecycleDeleted
	return job.Result{Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v.Finalizer()}}}
}
