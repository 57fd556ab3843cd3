package submit

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
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

// Startable reports why a spec cannot be started: its configuration cannot be composed. Kubernetes has no say in it.
func Startable(v *session.Job, intent *v1beta1.Intent) (plan.Action, error) {
	if intent.Purpose == v1beta1.PurposeDelete || intent.Purpose == v1beta1.PurposeSuspend {
		return nil, nil
	}
	target, err := v1beta1.ParseReconciledDeployment(intent.Spec)
	if err != nil {
		return nil, fmt.Errorf("the intent's spec cannot be read: %w", err)
	}
	_, err = flinkconf.SessionJob(v.Look.Seen.ClusterConfig, v.Look.Seen.Resource.Name, own(target.Spec))
	return nil, err
}

// own is a spec in the session job's form, without its cluster.
func own(s v1beta1.FlinkDeploymentSpec) *v1beta1.FlinkSessionJobSpec {
	return &v1beta1.FlinkSessionJobSpec{Job: s.Job, FlinkConfiguration: s.FlinkConfiguration}
}

// Prepare leaves the upload to CarryStart, which looks at the session cluster anew once the intent is stored.
func Prepare(v *session.Job, intent *v1beta1.Intent) (action plan.Action, jobID string, err error) {
	_, err = Startable(v, intent)
	return nil, "", err
}

// CarryStart goes on with a start that is not released. First match wins:
//
//	the spec that counts        the session cluster  then
//	is not known                cannot be read       wait: whether a spec is valid depends on it
//	is suspended                -                    nothing was started: record the suspension
//	is a newer one              -                    store a new intent over this one, see RedirectStart
//	its jar cannot be had       -                    after the readiness timeout, the last stable one, see goBack
//	any                         takes no job         wait
//	any                         takes it             upload the jar, and release once Flink lists it
func CarryStart(v *session.Job) decision.Result {
	intent, target := v.Look.Intent(), facts.StartTarget(v.Look)
	if v.Seen.Cluster.IsUnknown() {
		return decision.Unobservable(v.What(), v.Seen.Cluster.Why())
	}
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		LeaveNoJar(v)
		return operation.SuspendStart(v.Look, target)
	}
	jar := leftoverJar(v)
	if r, redirected := operation.RedirectStart(v.Look, target); redirected {
		v.Look.Also = append(v.Look.Also, jar...)
		return r
	}
	if r, back := goBack(v); back {
		v.Look.Also = append(v.Look.Also, jar...)
		return r
	}
	if why, ready := v.ClusterReady(); !ready {
		return v.AwaitsCluster(plan.Starting, why)
	}
	if r, waits := awaitJar(v); waits {
		r.Situation = plan.Starting
		return r
	}
	intent.Step = v1beta1.StepReleased
	now := v.Look.Now()
	intent.Release = &v1beta1.Release{DeploymentUID: v.Incarnation(), At: &now}
	intent.UploadAt, intent.UploadRequests, v.Look.Want.Retry = nil, 0, nil
	record.Released(v.Look, target)
	return decision.Result{Situation: plan.Waiting, Wait: Submitting, Record: "release", Again: true}
}

// Submitting is the wait for Flink to run a jar.
var Submitting = plan.Cause{
	Reason: plan.ReasonJobSubmitting, Message: "Flink is asked to run the jar; the job is found by its ID",
}

// submitted is the wait for a job that Flink was asked for, as far as is known: who was to ask may have died just then.
// A main method that is slow looks the same, so Flink is asked again no sooner than it may take.
func submitted(v *session.Job) plan.Cause {
	at := v.Look.Intent().Release.RunAt
	until := at.Add(v.Look.Options.SubmissionTimeout())
	return plan.Cause{Reason: plan.ReasonJobSubmitting, Until: until, Then: "Flink is asked again", Message: fmt.Sprintf(
		"Flink was to be asked at %s to run the jar; if it does not list the job by %s, it is asked again",
		at.UTC().Format(time.RFC3339), until.UTC().Format(time.RFC3339))}
}

// runOverdue calls a person once Flink was asked to run the jar three times without listing a job; nil before.
func runOverdue(v *session.Job) *plan.Cause {
	release := v.Look.Intent().Release
	if release.RunRequests <= unlistedRuns {
		return nil
	}
	record.Show(v.Look, report.Failure(v.Look, plan.ReasonSubmissionOverdue, submissionOverdue))
	again := submitted(v)
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
func goBack(v *session.Job) (decision.Result, bool) {
	if !goesBack(v) {
		return decision.Result{}, false
	}
	record.Released(v.Look, facts.StoredTarget(v.Look))
	r := operation.BeginStart(
		v.Look,
		v1beta1.PurposeRollback,
		*v.Look.LastStable.Spec.DeepCopy(),
		*v.Look.Intent().From,
	)
	v.Look.Tell(plan.Event{
		Reason: plan.ReasonRollback, Component: plan.ComponentJob, Message: "Rolling back failed deployment.",
	})
	return r, true
}

// goesBack reports whether it is.
func goesBack(v *session.Job) bool {
	intent := v.Look.Intent()
	return intent.Purpose == v1beta1.PurposeUpgrade && intent.Generation == v.Look.Generation &&
		v.Look.Want.Retry != nil &&
		v.Look.LastStable != nil &&
		v.Look.LastStable.Spec.Job != nil && v.Look.LastStable.Spec.Job.DesiredState() == v1beta1.JobStateRunning &&
		v.Look.Options.RollbackEnabled() &&
		v.Look.Since(intent.StoredAt) > v.Look.Options.ReadinessTimeout()
}

// WaitsForAttempt is the wait for the next attempt of what failed.
func WaitsForAttempt(r *v1beta1.Retry) plan.Cause {
	return plan.Cause{
		Reason:  plan.Reason(r.Reason),
		Message: fmt.Sprintf("%s; next attempt at %s", r.Message, r.After.UTC().Format(time.RFC3339)),
		Until:   r.After.Time, Then: plan.ThenTriedAgain,
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
func CarryRelease(v *session.Job) (decision.Result, bool) {
	intent, waits := v.Look.Intent(), decision.Result{Situation: plan.Waiting, Wait: Submitting}
	release := intent.Release
	if _, listed := v.Listed(); listed {
		return closeStart(v)
	}
	why, ready := v.ClusterReady()
	switch {
	case !v.Seen.Flink.Jobs.IsPresent():
		return v.AwaitsCluster(plan.Waiting, why), true
	case release.RunAt != nil && JarReplaced(v):
		v.Look.Want.Intent = nil
		return decision.Result{}, false
	case !ready:
		return v.AwaitsCluster(plan.Waiting, why), true
	case release.RunAt != nil && v.Look.Since(*release.RunAt) < v.Look.Options.SubmissionTimeout():
		waits.Wait, waits.Stall = submitted(v), runOverdue(v)
		return waits, true
	case v.RunRefused() && backoff.Waits(v.Look.Want.Retry, intent.Generation, v.Look.Seen.Now):
		pending := WaitsForAttempt(v.Look.Want.Retry)
		v.Look.Found.Pending = &pending
		return decision.Result{}, false
	case v.RunUnlisted() && ask.AsksToStop(v.Look):
		return decision.Result{}, false
	}
	return runOnce(v), true
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
func runOnce(v *session.Job) decision.Result {
	release, waits := v.Look.Intent().Release, decision.Result{Situation: plan.Waiting, Wait: Submitting}
	if r, upload := awaitJar(v); upload {
		r.Situation = plan.Waiting
		return r
	}
	now := v.Look.Now()
	if release.At == nil || v.Look.Since(*release.At) > flagLasts || release.DeploymentUID != v.Incarnation() {
		release.At, release.DeploymentUID = &now, v.Incarnation()
		waits.Record, waits.Again = "attempt", true
		return waits
	}
	release.RunAt = &now
	release.RunRequests++
	waits.Record, waits.Actions, waits.Again = "run", []plan.Action{runJar(v)}, true
	return waits
}

// closeStart ends a start whose job Flink lists. Its jar is not needed any more, and its tasks have the readiness
// timeout from now on.
func closeStart(v *session.Job) (decision.Result, bool) {
	LeaveNoJar(v)
	v.Look.Want.ReconciliationStatus.ReconciliationTimestamp = v.Look.Now().UnixMilli()
	v.Look.Want.Intent, v.Look.Want.Retry = nil, nil
	return decision.Result{}, false
}
