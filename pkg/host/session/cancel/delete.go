package cancel

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/session/submit"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Deleting ends a resource that is marked for deletion. First match wins:
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
// A savepoint has as long as a checkpoint may take, see SaveFirst; then the deletion goes on without. It is skipped
// where it was asked for and is not known to be complete.
func Deleting(v *session.Job) (decision.Result, bool) {
	r := v.Look.Seen.Resource
	if r.DeletionTimestamp == nil {
		return decision.Result{}, false
	}
	if _, missing := decide.MissingFinalizer(v.Look); missing {
		return decision.Result{Situation: plan.Deleting}, true
	}
	v.Look.Want.LifecycleState = v1beta1.LifecycleDeleting
	if r.Status.LifecycleState != v1beta1.LifecycleDeleting {
		v.Look.Tell(plan.Event{
			Reason: plan.ReasonCleanup, Component: plan.ComponentOperator, Message: "Cleaning up FlinkSessionJob",
		})
	}
	result := endForDeletion(v)
	result.Situation = plan.Deleting
	return result, true
}

func endForDeletion(v *session.Job) decision.Result {
	if former, runs := formerJob(v); runs {
		if isFirstLook(v) || facts.DeletionAge(v.Look) <= v.Look.Options.CleanupTimeout() {
			return endAgain(v, former, plan.Deleting)
		}
		tellLeft(v, former.ID, "it had ended, runs again, and does not end")
	}
	if runsSoon(v) {
		if longerThanCleanup(v, *v.Look.Intent().Release.RunAt) {
			return LetRun(v, "Flink was asked to run it and may begin it yet")
		}
		return decision.Result{Wait: submit.Submitting}
	}
	d := v.Look
	if r, saving := operation.CarrySave(d); saving {
		return r
	}
	standing, why := v.Standing()
	switch {
	case !jobLeft(v, standing):
		if _, listed := v.Listed(); !listed && standing == world.Gone {
			operation.SkippedSave(d, "the job is gone with its session cluster")
		}
		return LetGo(v)
	case goesWithCluster(v):
		operation.SkippedSave(d, "the session cluster is deleted and does not wait for its jobs")
		return LetGo(v)
	case hasEnded(v):
		return awaitStored(v)
	case standing != world.There:
		return awaitAway(v, plan.Cause{Reason: plan.ReasonSessionClusterNotReady, Message: why}, why)
	case !v.Present():
		return awaitAway(v, plan.Cause{Reason: plan.ReasonJobNotListed, Message: "Flink does not list the job"},
			"Flink does not list it, and may restore it from high-availability data")
	}
	if r, saving := operation.SaveFirst(d); saving {
		return r
	}
	return cancelJob(v)
}

// runsSoon reports whether Flink may yet begin the job: it does not list it, and was asked to run the jar, by a
// JobManager that was not replaced since.
func runsSoon(v *session.Job) bool {
	intent := v.Look.Intent()
	if intent == nil || intent.Step != v1beta1.StepReleased || intent.Release == nil || intent.Release.RunAt == nil {
		return false
	}
	gone := v.Seen.JobManager.IsAbsent() || goesWithCluster(v) || submit.JarReplaced(v)
	return !gone && !v.Present() && v.Look.Since(*intent.Release.RunAt) < v.Look.Options.SubmissionTimeout()
}

// hasEnded reports whether the newest that is known of the job is that it has ended.
func hasEnded(v *session.Job) bool {
	if j, listed := v.Listed(); listed {
		return j.State.IsTerminal()
	}
	return v.Look.Want.JobStatus.State.IsTerminal()
}

// awaitStored waits until Flink can no longer bring the job back.
func awaitStored(v *session.Job) decision.Result {
	if longerThanCleanup(v, v.Look.EndedAt()) {
		return LetRun(v, "it has ended, and its job graph was not seen to be gone from the high-availability data")
	}
	return decision.Result{Wait: plan.Cause{
		Reason: plan.ReasonJobCancelling, Message: "the job has ended; Flink removes its job graph",
	}}
}

// longerThanCleanup reports whether the deletion has waited for longer than a clean-up may take, for what began at a
// time. Where the status does not fit into etcd, that time is not kept: the deletion's own counts.
func longerThanCleanup(v *session.Job, began metav1.Time) bool {
	age := facts.DeletionAge(v.Look)
	if !facts.StatusTooLarge(v.Look) {
		age = min(age, v.Look.Since(began))
	}
	return age > v.Look.Options.CleanupTimeout()
}

// awaitAway waits for a job that cannot be seen. The time counts from the first look of the deletion that did not see
// it, or from when it was told to end.
func awaitAway(v *session.Job, wait plan.Cause, why string) decision.Result {
	if isFirstLook(v) || v.Look.Want.JobStatus.State != v1beta1.FlinkJobCancelling {
		findsJob(v, v1beta1.FlinkJobReconciling)
	}
	if !longerThanCleanup(v, v.Look.EndedAt()) {
		return decision.Result{Wait: wait}
	}
	operation.SkippedSave(v.Look, why)
	return LetRun(v, why)
}

// cancelJob tells the job to end, and waits for that. That it was told is recorded first: a job that does not end, or
// that nobody may cancel, is left after a clean-up's time from then.
func cancelJob(v *session.Job) decision.Result {
	told := !isFirstLook(v) && v.Look.Want.JobStatus.State == v1beta1.FlinkJobCancelling
	if told && longerThanCleanup(v, v.Look.EndedAt()) {
		return LetRun(
			v,
			fmt.Sprintf("it was told to end at %s and has not", v.Look.EndedAt().UTC().Format(time.RFC3339)),
		)
	}
	findsJob(v, v1beta1.FlinkJobCancelling)
	r := TakeApart(v)
	if !told && len(r.Actions) > 0 {
		r.Record = "cancellation"
	}
	return r
}

// isFirstLook reports whether no look before found the resource marked for deletion.
func isFirstLook(v *session.Job) bool {
	return v.Look.Seen.Resource.Status.LifecycleState != v1beta1.LifecycleDeleting
}

// findsJob records how the deletion finds the job. What was recorded before the deletion says nothing of how long that
// has lasted.
func findsJob(v *session.Job, state v1beta1.FlinkJobState) {
	if isFirstLook(v) {
		v.Look.Want.JobStatus.State = ""
	}
	v.Look.SetJobState(state)
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
func jobLeft(v *session.Job, standing world.Standing) bool {
	status, intent := v.Look.Want.JobStatus, v.Look.Intent()
	_, listed := v.Listed()
	switch {
	case status.JobID == "" || (intent != nil && intent.Step == v1beta1.StepStarting && !listed):
		return false
	case hasEnded(v):
		return runsAgain(v)
	case listed:
		return true
	}
	return standing != world.Gone
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
func runsAgain(v *session.Job) bool {
	switch {
	case v.Seen.Cluster.IsAbsent():
		return false
	case v.Cluster == nil:
		return true
	case !v.BringsBack():
		return false
	}
	data := v.Cluster.HA()
	if left, seen := data.Runs(v.Look.Want.JobStatus.JobID).Get(); seen {
		return left
	}
	return data.Store.Readable() || max(v.Look.Since(v.Look.EndedAt()), facts.DeletionAge(v.Look)) < endStored
}

// goesWithCluster reports whether the session cluster is being deleted, and does not wait for its jobs.
func goesWithCluster(v *session.Job) bool {
	return v.Cluster != nil && v.Cluster.Look.Resource().DeletionTimestamp != nil &&
		!v.Cluster.Look.Options.BlocksOnSessionJobs()
}

// LetRun lets the resource go while its job may run, and says so.
func LetRun(v *session.Job, why string) decision.Result {
	tellLeft(v, v.Look.Want.JobStatus.JobID, why)
	return LetGo(v)
}

func tellLeft(v *session.Job, id, why string) {
	v.Look.Tell(plan.Event{
		Warning: true, Reason: plan.ReasonJobLeftRunning, Component: plan.ComponentOperator, Once: true,
		Message: fmt.Sprintf("The resource is deleted, and job %s may still run: %s", id, why),
	})
}

// LetGo ends the deletion: the finalizer goes.
func LetGo(v *session.Job) decision.Result {
	if j, is, _ := session.UnnamedJob(v); is {
		tellLeft(v, j.ID, "status does not name it, so it is not ended")
	}
	if intent := v.Look.Intent(); intent != nil && intent.Step != v1beta1.StepStopping {
		submit.LeaveNoJar(v)
	}
	v.Look.Want.LifecycleState = v1beta1.LifecycleDeleted
	return decision.Result{Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v.Finalizer()}}}
}
