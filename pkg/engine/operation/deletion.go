package operation

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// HAMayStay lets a deletion end without the high-availability data, when that is not in Kubernetes and could not be
// removed for as long as a clean-up may take. It tells how to remove it by hand.
func HAMayStay(v *world.Look) bool {
	message, may := v.Host.HA().Left()
	if !may || facts.DeletionAge(v) <= v.Options.CleanupTimeout() {
		return false
	}
	v.Tell(plan.Event{
		Warning: true, Reason: plan.ReasonHighAvailabilityDataLeft, Component: plan.ComponentOperator, Once: true,
		Message: message,
	})
	return true
}

// TellUnreadableHA tells that a deletion leaves high-availability data behind where nobody but Flink can look.
func TellUnreadableHA(v *world.Look) {
	if message, left := v.Host.HA().Left(); left && v.Host.HA().Store.Unreadable() {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonHighAvailabilityDataLeft, Component: plan.ComponentOperator, Once: true,
			Message: message,
		})
	}
}

// SaveFirst stops the job with a savepoint before a deletion that asks for one. The deadline is how long a checkpoint
// may take; each attempt has as long. Then the deletion goes on, and says that it was skipped.
//
//	 #  attempt                   deletion          job          then
//	V1  skipped before            -                 -            go on
//	V2  open, in time             -                 -            wait for it
//	V3  open, too long            -                 -            skip it
//	V4  failed since then         late              -            skip it
//	V5  -                         late              not RUNNING  skip it
//	V6  failed, the next not due  -                 -            wait until the next is due
//	V7  -                         -                 not RUNNING  wait until it runs
//	V8  -                         also a late look  RUNNING      begin one
func SaveFirst(v *world.Look) (decision.Result, bool) {
	if standing, _ := v.Host.Standing(); standing == world.Going || !facts.SavesFirst(v) {
		return decision.Result{}, false
	}
	open, retry, late := facts.DeletionOpen(v) && v.Intent().Stop == v1beta1.StopSavepoint, v.Want.Retry,
		facts.DeletionAge(v) > v.CheckpointTimeout()
	failed := retry != nil && retry.Generation == v.Generation &&
		retry.After.After(v.Seen.Resource.DeletionTimestamp.Time)
	jobs, _ := v.Seen.Flink.Jobs.Get()
	j, found := world.FindJob(jobs, v.Want.JobStatus.JobID)
	runs := found && j.State == v1beta1.FlinkJobRunning
	switch {
	case open && v.Since(v.Intent().StoredAt) <= v.CheckpointTimeout():
		return awaitSavepoint(v), true
	case open, late && (failed || !runs):
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonSavepointSkipped, Component: plan.ComponentOperator, Once: true,
			Message: fmt.Sprintf(
				"No savepoint could be taken within %s: the job is deleted without one", v.CheckpointTimeout(),
			)})
		if open {
			v.Intent().Stop = v1beta1.StopStateless
		}
		return decision.Result{}, false
	case backoff.Waits(retry, v.Generation, v.Seen.Now):
		return decision.Result{Wait: plan.Cause{Reason: plan.Reason(retry.Reason), Message: retry.Message}}, true
	case !runs:
		return decision.Result{
			Wait: plan.Cause{
				Reason:  plan.ReasonSavepointPending,
				Message: "a savepoint is to be taken before the deletion, and the job does not run",
			},
		}, true
	}
	if why := v.Config().Check(key.JobSavepointOnDeletion); why != nil {
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonValidationError, Component: plan.ComponentOperator, Once: true,
			Message: "A savepoint is taken before the deletion, as the option that decides on it cannot be read: " +
				why.Error()})
	}
	return BeginStop(v, decision.Stop{
		Purpose: v1beta1.PurposeDelete, Target: v.Spec, How: v1beta1.StopSavepoint, Restore: v1beta1.UpgradeModeSavepoint,
	}), true
}

// CarrySave carries a stop with savepoint that is under way to the record of its path, also one of an upgrade or a
// suspension that the deletion came upon. In time is for as long as a checkpoint may take. First match wins:
//
//	the stop                  Flink                     the job            the request           then
//	is not one with           -                         -                  -                     go on
//	savepoint, or another
//	resource's, or ended
//	in time                   does not answer           -                  -                     wait
//	-                         does not answer, or does  -                  -                     go on
//	                          not list the job
//	-                         lists the job             has not ended, or  is complete           record its path
//	                                                    is FINISHED
//	the deletion's, in time   lists the job             -                  -                     see SaveFirst
//	in time                   lists the job             has not ended      is in progress, or    wait for it
//	                                                                       cannot be read
//	otherwise                 -                         -                  -                     go on
func CarrySave(v *world.Look) (decision.Result, bool) {
	intent := v.Intent()
	if intent == nil || intent.Step != v1beta1.StepStopping || intent.Stop != v1beta1.StopSavepoint || intent.Ended ||
		!facts.Whole(intent) {
		return decision.Result{}, false
	}
	if _, notOurs := Foreign(v); notOurs {
		return decision.Result{}, false
	}
	inTime := v.Since(intent.StoredAt) <= v.CheckpointTimeout()
	jobs, answered := v.Seen.Flink.Jobs.Get()
	j, listed := world.FindJob(jobs, intent.Stops.JobID)
	progress, asked := v.Seen.Flink.Stop.Get()
	ended := j.State.IsTerminal()
	switch {
	case !answered:
		standing, why := v.Host.Standing()
		return decision.Unobservable("the stop with savepoint", why), inTime && standing == world.StandingUnknown
	case !listed:
		return decision.Result{}, false
	case asked && progress.State == world.StopCompleted && (!ended || j.State == v1beta1.FlinkJobFinished):
		return awaitSavepoint(v), true
	case inTime && facts.DeletionOpen(v):
		return SaveFirst(v)
	case inTime && !ended && (!asked || progress.State == world.StopInProgress):
		return awaitSavepoint(v), true
	}
	return decision.Result{}, false
}

// SkippedSave tells once that the savepoint before the deletion is not known to be complete, where one was asked for.
func SkippedSave(v *world.Look, why string) {
	if facts.SavesFirst(v) {
		tellSkipped(v, facts.DeletionOpen(v) && v.Intent().Stop == v1beta1.StopSavepoint, why)
	}
}

func tellSkipped(v *world.Look, saving bool, why string) {
	what := "No savepoint was taken before the deletion"
	if saving {
		what = "The savepoint before the deletion is not known to be complete"
	}
	v.Tell(plan.Event{
		Warning: true, Reason: plan.ReasonSavepointSkipped, Component: plan.ComponentOperator, Once: true,
		Message: what + ": " + why,
	})
}

// Forestalled tells once that the JobManager goes away before a savepoint could be taken that was asked for. With
// foreground propagation the garbage collector deletes what the resource owns as soon as the resource is marked, before
// anybody can act.
//
//	 #  Deployment           deletion        tells                      for
//	F1  there                -               nothing
//	F2  going away, or gone  savepoint open  that it may be unfinished  the deletion goes on without
//	F3  going away, or gone  open            nothing                    it was told, or we took it down
//	F4  going away           -               that none was taken        the intent that follows is the mark of it
//	F5  gone                 first look      that none was taken        MISSING is the mark of it
//	F6  gone since then      -               that none was taken        MISSING is the mark of it
//	F7  gone and MISSING     -               nothing                    it was told
//	F8  gone                 late, and no    nothing                    it was told when it was too late
//	                         status fits
func Forestalled(v *world.Look) {
	standing, _ := v.Host.Standing()
	if standing > world.Going || !facts.SavesFirst(v) {
		return
	}
	stored, saving := v.Seen.Resource.Status, false
	switch {
	case facts.DeletionOpen(v):
		if saving = v.Intent().Stop == v1beta1.StopSavepoint; !saving {
			return
		}
		v.Intent().Stop = v1beta1.StopStateless
	case !standing.Is() && stored.LifecycleState == v1beta1.LifecycleDeleting &&
		stored.JobManagerDeploymentStatus == v1beta1.JobManagerMissing:
		return
	case facts.StatusTooLarge(v) && facts.DeletionAge(v) > v.CheckpointTimeout():
		return
	}
	why := "the JobManager was deleted by somebody else"
	if slices.Contains(v.Seen.Resource.Finalizers, metav1.FinalizerDeleteDependents) {
		why = "the resource is deleted with foreground propagation, so Kubernetes deletes the JobManager first; delete " +
			"it with --cascade=background, or suspend the job first"
	}
	tellSkipped(v, saving, why)
}
