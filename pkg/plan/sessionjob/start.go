package sessionjob

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// A start, from its intent to the job. Each arrow is a round that any pass can take up from status and from Flink:
//
//	            the cluster is ready           Flink lists the jar
//	Starting ─────────────────────► upload ─────────────────────────► Released ──► run ──► Flink lists the job: closed
//
// The release is stored before the cluster is looked at again and the jar is run: a session cluster that is about to be
// stopped stores its own intent first, and then waits for the jobs that are released.

// flagLasts is for how long a session cluster that is about to be stopped finds a release that it waits for. A pass
// takes less from the release to the request.
const flagLasts = 10 * time.Second

// starter starts the job, as job.Starter asks: its jar is uploaded, the release stored, and the jar run.
type starter view

// Startable reports why a spec cannot be started: its configuration cannot be composed.
func (v starter) Startable(intent *v1beta1.Intent) error {
	if intent.Purpose == v1beta1.PurposeDelete || intent.Purpose == v1beta1.PurposeSuspend {
		return nil
	}
	target, err := v1beta1.ParseReconciledDeployment(intent.Spec)
	if err != nil {
		return fmt.Errorf("the intent's spec cannot be read: %w", err)
	}
	_, err = flinkconf.SessionJob(v.Seen.ClusterConfig, v.Seen.Resource.Name, own(target.Spec))
	return err
}

// own is a spec in the session job's form, without its cluster.
func own(s v1beta1.FlinkDeploymentSpec) *v1beta1.FlinkSessionJobSpec {
	return &v1beta1.FlinkSessionJobSpec{Job: s.Job, FlinkConfiguration: s.FlinkConfiguration}
}

// Occupied is false: a start has an ID of its own, and what ran before was stopped.
func (v starter) Occupied() (job.Result, bool) { return job.Result{}, false }

// MayRunAnother is false: a start brings no other job.
func (v starter) MayRunAnother(*v1beta1.FlinkDeploymentSpec) (job.Result, bool) {
	return job.Result{}, false
}

// ForgetEarlier is false for the same reason.
func (v starter) ForgetEarlier(*v1beta1.Intent, v1beta1.FlinkDeploymentSpec) (job.Result, bool) {
	return job.Result{}, false
}

// Prepare leaves the upload to CarryStart, which looks at the session cluster anew once the intent is stored.
func (v starter) Prepare(intent *v1beta1.Intent) (action plan.Action, jobID string, err error) {
	return nil, "", v.Startable(intent)
}

// CarryStart goes on with a start that is not released. First match wins:
//
//	the spec that counts        the session cluster  then
//	is not known                cannot be read       wait: whether a spec is valid depends on it
//	is suspended                -                    nothing was started: record the suspension
//	is a newer one              -                    store a new intent over this one, see Starting.Redirect
//	its jar cannot be had       -                    after the readiness timeout, the last stable one, see goBack
//	any                         takes no job         wait
//	any                         takes it             upload the jar, and release once Flink lists it
func (v starter) CarryStart() job.Result {
	intent, target := v.Intent(), job.Goal(v.Life).StartTarget()
	if v.seen.Cluster.IsUnknown() {
		return job.Unobservable(v.What(), v.seen.Cluster.Why())
	}
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		upload(v).leaveNone()
		return job.Starting(v.Life).Suspend(target)
	}
	jar := upload(v).leftover()
	if r, redirected := job.Starting(v.Life).Redirect(target); redirected {
		v.Also = append(v.Also, jar...)
		return r
	}
	if r, back := v.goBack(); back {
		v.Also = append(v.Also, jar...)
		return r
	}
	if why, ready := v.clusterReady(); !ready {
		return job.Result{Situation: plan.Starting, Wait: why}
	}
	if r, waits := upload(v).awaitJar(); waits {
		r.Situation = plan.Starting
		return r
	}
	intent.Step = v1beta1.StepReleased
	now := v.Now()
	intent.Release = &v1beta1.Release{DeploymentUID: v.Incarnation(), At: &now}
	intent.UploadAt, intent.UploadRequests, v.Want.Retry = nil, 0, nil
	job.Record(v.Life).Released(target)
	return job.Result{Situation: plan.Waiting, Wait: submitting, Record: "release", Again: true}
}

var submitting = plan.Cause{
	Reason: plan.ReasonJobSubmitting, Message: "Flink is asked to run the jar; the job is found by its ID",
}

// submitted is the wait for a job that Flink was asked for, as far as is known: who was to ask may have died just then.
// A main method that is slow looks the same, so Flink is asked again no sooner than it may take.
func (v starter) submitted() plan.Cause {
	at := v.Intent().Release.RunAt
	return plan.Cause{Reason: plan.ReasonJobSubmitting, Message: fmt.Sprintf(
		"Flink was to be asked at %s to run the jar; if it does not list the job by %s, it is asked again",
		at.UTC().Format(time.RFC3339), at.Add(v.SubmissionTimeout()).UTC().Format(time.RFC3339))}
}

// overdue calls a person once Flink was asked to run the jar three times without listing a job; nil before.
func (v starter) overdue() *plan.Cause {
	release := v.Intent().Release
	if release.RunRequests <= unlistedRuns {
		return nil
	}
	job.Report(v.Life).Fail(plan.ReasonSubmissionOverdue, submissionOverdue)
	again := v.submitted()
	return &plan.Cause{Reason: plan.ReasonSubmissionOverdue, Message: submissionOverdue + ". " + again.Message}
}

// unlistedRuns is how many requests to run a jar may be without a job before a person is called: one may be lost, and
// one main method may be slow.
const unlistedRuns = 2

const submissionOverdue = "Flink was asked again and again to run the jar, and lists no job: the main method of the " +
	"jar does not come to its submission; see the JobManager's log and its thread dump. It is not rolled back, because " +
	"the main method may still submit the job"

// goBack takes an upgrade back whose jar cannot be had: the old job has ended, so it would wait without one. What is
// recorded is that of a spec that was deployed and failed, as before any rollback.
func (v starter) goBack() (job.Result, bool) {
	if !v.goesBack() {
		return job.Result{}, false
	}
	job.Record(v.Life).Released(job.Goal(v.Life).StoredTarget())
	r := job.Starting(v.Life).Begin(v1beta1.PurposeRollback, *v.LastStable.Spec.DeepCopy(), *v.Intent().From)
	v.Tell(plan.Event{
		Reason: plan.ReasonRollback, Component: plan.ComponentJob, Message: "Rolling back failed deployment.",
	})
	return r, true
}

// goesBack reports whether it is.
func (v starter) goesBack() bool {
	intent := v.Intent()
	return intent.Purpose == v1beta1.PurposeUpgrade && intent.Generation == v.Generation && v.Want.Retry != nil &&
		v.LastStable != nil &&
		v.LastStable.Spec.Job != nil && v.LastStable.Spec.Job.DesiredState() == v1beta1.JobStateRunning &&
		v.RollbackEnabled() && v.Since(intent.StoredAt) > v.ReadinessTimeout()
}

// waitsForAttempt is the wait for the next attempt of what failed.
func waitsForAttempt(r *v1beta1.Retry) plan.Cause {
	return plan.Cause{
		Reason:  plan.Reason(r.Reason),
		Message: fmt.Sprintf("%s; next attempt at %s", r.Message, r.After.UTC().Format(time.RFC3339)),
	}
}

// CarryRelease runs the jar of a released start until Flink lists the job, then closes the intent. First match wins:
//
//	 #  Flink lists the job  the session cluster    Flink was asked to run it  its jar    then
//	K1  yes                  -                      -                          is listed  close the intent, delete it
//	K2  yes                  -                      -                          -          close the intent
//	K3  unknown              -                      -                          -          wait
//	K4  no                   is another since       yes                        -          close the intent
//	                         then, see replaced
//	K5  no                   takes no job           -                          -          wait
//	K6  no                   takes it               yes, not long ago          -          wait
//	K7  no                   takes it               refused, lately            -          leave room
//	K8  no                   takes it               long ago, and the spec is  -          leave room
//	                                                another since
//	K9  no                   takes it               otherwise                  -          see runOnce
//
// A job that was asked of another JobManager is lost. The room is for another spec, and a rollback. A wait calls a
// person once it is overdue.
func (v starter) CarryRelease() (job.Result, bool) {
	intent, waits := v.Intent(), job.Result{Situation: plan.Waiting, Wait: submitting}
	release := intent.Release
	if _, listed := v.listed(); listed {
		return v.closeStart()
	}
	why, ready := v.clusterReady()
	switch {
	case !v.seen.Flink.Jobs.IsPresent():
		waits.Wait = why
		return waits, true
	case release.RunAt != nil && upload(v).replaced():
		v.Want.Intent = nil
		return job.Result{}, false
	case !ready:
		waits.Wait = why
		return waits, true
	case release.RunAt != nil && v.Since(*release.RunAt) < v.SubmissionTimeout():
		waits.Wait, waits.Stall = v.submitted(), v.overdue()
		return waits, true
	case v.runRefused() && backoff.Waits(v.Want.Retry, intent.Generation, v.Seen.Now):
		pending := waitsForAttempt(v.Want.Retry)
		v.Pending = &pending
		return job.Result{}, false
	case v.runUnlisted() && job.AsksToStop(v.Life):
		return job.Result{}, false
	}
	return v.runOnce(), true
}

// runOnce is the next step towards the job of a released start. First match wins:
//
//	 #  the jar        the release was stored      then
//	O1  is not listed  -                           upload it, see awaitJar
//	O2  is listed      long ago, never, or for     store the release again
//	                   another JobManager
//	O3  is listed      just now                    run it
//
// A session cluster sees by the release that a request follows. That Flink is asked is stored first.
func (v starter) runOnce() job.Result {
	release, waits := v.Intent().Release, job.Result{Situation: plan.Waiting, Wait: submitting}
	if r, upload := upload(v).awaitJar(); upload {
		r.Situation = plan.Waiting
		return r
	}
	now := v.Now()
	if release.At == nil || v.Since(*release.At) > flagLasts || release.DeploymentUID != v.Incarnation() {
		release.At, release.DeploymentUID = &now, v.Incarnation()
		waits.Record, waits.Again = "attempt", true
		return waits
	}
	release.RunAt = &now
	release.RunRequests++
	waits.Record, waits.Actions, waits.Again = "run", []plan.Action{upload(v).runJar()}, true
	return waits
}

// closeStart ends a start whose job Flink lists. Its jar is not needed any more, and its tasks have the readiness
// timeout from now on.
func (v starter) closeStart() (job.Result, bool) {
	upload(v).leaveNone()
	v.Want.ReconciliationStatus.ReconciliationTimestamp = v.Now().UnixMilli()
	v.Want.Intent, v.Want.Retry = nil, nil
	return job.Result{}, false
}
