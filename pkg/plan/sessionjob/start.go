package sessionjob

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
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

// uploadTakes is how long an upload may take before it is asked for again: the budget of the function that does it.
const uploadTakes = 5 * time.Minute

// Startable reports why a spec cannot be started: its configuration cannot be composed.
func (v *view) Startable(intent *v1beta1.Intent) error {
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
func (v *view) Occupied() (job.Result, bool) { return job.Result{}, false }

// MayRunAnother is false: a start brings no other job.
func (v *view) MayRunAnother(*v1beta1.FlinkDeploymentSpec) (job.Result, bool) {
	return job.Result{}, false
}

// ForgetEarlier is false for the same reason.
func (v *view) ForgetEarlier(*v1beta1.Intent, v1beta1.FlinkDeploymentSpec) (job.Result, bool) {
	return job.Result{}, false
}

// Prepare leaves the upload to CarryStart, which looks at the session cluster anew once the intent is stored.
func (v *view) Prepare(intent *v1beta1.Intent) (action plan.Action, jobID string, err error) {
	return nil, "", v.Startable(intent)
}

// CarryStart goes on with a start that is not released. First match wins:
//
//	the spec that counts        the session cluster  then
//	is suspended                -                    nothing was started: record the suspension
//	is a newer one              -                    store a new intent over this one, see Starting.Redirect
//	its jar cannot be had       -                    after the readiness timeout, the last stable one, see goBack
//	any                         takes no job         wait
//	any                         takes it             upload the jar, and release once Flink lists it
func (v *view) CarryStart() job.Result {
	intent, target := v.Intent(), job.Goal(v.Life).StartTarget()
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		return job.Starting(v.Life).Suspend(target)
	}
	if o, redirected := job.Starting(v.Life).Redirect(target); redirected {
		return o
	}
	if o, back := v.goBack(); back {
		return o
	}
	if why, ready := v.clusterReady(); !ready {
		return job.Result{Situation: plan.Starting, Wait: why}
	}
	if o, waits := v.awaitJar(); waits {
		o.Situation = plan.Starting
		return o
	}
	intent.Step = v1beta1.StepReleased
	now := v.Now()
	intent.Release = &v1beta1.Release{DeploymentUID: v.Incarnation(), At: &now}
	intent.UploadAt, v.Want.Retry = nil, nil
	job.Record(v.Life).Released(target)
	return job.Result{Situation: plan.Waiting, Wait: submitting, Record: "release", Again: true}
}

var submitting = plan.Cause{
	Reason: plan.ReasonJobSubmitting, Message: "Flink was asked to run the jar; the job is found by its ID",
}

// goBack takes an upgrade back whose jar cannot be had: the old job has ended, so it would wait without one. What is
// recorded is that of a spec that was deployed and failed, as before any rollback.
func (v *view) goBack() (job.Result, bool) {
	if !v.goesBack() {
		return job.Result{}, false
	}
	job.Record(v.Life).Released(job.Goal(v.Life).StoredTarget())
	o := job.Starting(v.Life).Begin(v1beta1.PurposeRollback, *v.LastStable.Spec.DeepCopy(), *v.Intent().From)
	v.Tell(plan.Event{
		Reason: plan.ReasonRollback, Component: plan.ComponentJob, Message: "Rolling back failed deployment.",
	})
	return o, true
}

// goesBack reports whether it is.
func (v *view) goesBack() bool {
	intent := v.Intent()
	return intent.Purpose == v1beta1.PurposeUpgrade && intent.Generation == v.Generation && v.Want.Retry != nil &&
		v.LastStable != nil &&
		v.LastStable.Spec.Job != nil && v.LastStable.Spec.Job.DesiredState() == v1beta1.JobStateRunning &&
		v.RollbackEnabled() && v.Since(intent.StoredAt) > v.ReadinessTimeout()
}

// jarName is what the jar of the open start is uploaded as.
func (v *view) jarName() string { return v.Intent().OperationID + ".jar" }

// jar is the one of the open start, as Flink lists it.
func (v *view) jar() (Jar, bool) {
	jars, _ := v.seen.Jars.Get()
	i := slices.IndexFunc(jars, func(j Jar) bool { return j.Name == v.jarName() })
	if i < 0 {
		return Jar{}, false
	}
	return jars[i], true
}

// awaitJar uploads the jar of the open start until Flink lists it. First match wins:
//
//	 #  Flink's jars   the jar        this function  asked for            then
//	U1  are not known  -              -              -                    wait for their list
//	U2  list it        -              -              -                    it is there
//	U3  -              failed lately  -              -                    wait for the next attempt
//	U4  -              the empty one  -              -                    upload it
//	U5  -              any            uploads        -                    upload it
//	U6  -              any            does not       yes, and not long    wait for the upload
//	                                                 ago
//	U7  -              any            does not       not, long ago, or    ask for the upload
//	                                                 of a JobManager
//	                                                 that was replaced
func (v *view) awaitJar() (job.Result, bool) {
	intent, uri := v.Intent(), job.Goal(v.Life).StoredTarget().Job.JarURI
	_, there := v.jar()
	asked := intent.UploadAt != nil && v.Since(*intent.UploadAt) < uploadTakes && !v.replacedSince(*intent.UploadAt)
	wait := job.Result{Wait: plan.Cause{Reason: plan.ReasonJarUploading, Message: "the jar is being uploaded"}}
	switch r := v.Want.Retry; {
	case !v.seen.Jars.IsPresent():
		why := "the jars of the session cluster cannot be listed: " + v.seen.Jars.Why() +
			"; jobs are submitted to it with web.submit.enable: true, Flink's default"
		return job.Result{Wait: plan.Cause{Reason: plan.ReasonJarsUnavailable, Message: why}}, true
	case there:
		return job.Result{}, false
	case backoff.Waits(r, intent.Generation, v.Seen.Now):
		return job.Result{Wait: waitsForAttempt(r)}, true
	case uri == "" || v.seen.Uploads:
		wait.Actions, wait.Again = []plan.Action{plan.UploadJar{
			Endpoint: v.Endpoint(), Name: v.jarName(), URI: uri, Header: v.jarHeader(),
		}}, true
	case !asked:
		now := v.Now()
		intent.UploadAt = &now
		wait.Record, wait.Actions = "upload", []plan.Action{plan.RequestUpload{}}
	}
	return wait, true
}

// jarHeader are the HTTP headers of the download.
func (v *view) jarHeader() map[string]string {
	spec := job.Goal(v.Life).StoredTarget()
	header, err := v.Compose(&spec).Map(key.ArtifactsHTTPHeader)
	if err != nil {
		v.Note("kubernetes.operator.user.artifacts.http.header cannot be read, the jar is fetched without it")
	}
	return header
}

// waitsForAttempt is the wait for the next attempt of what failed.
func waitsForAttempt(r *v1beta1.Retry) plan.Cause {
	return plan.Cause{
		Reason:  plan.Reason(r.Reason),
		Message: fmt.Sprintf("%s; next attempt at %s", r.Message, r.After.UTC().Format(time.RFC3339)),
	}
}

// runRefused reports whether the open start was released and Flink refused to run its jar; nobody asked it again since.
func (v *view) runRefused() bool {
	intent := v.Intent()
	return intent != nil && intent.Step == v1beta1.StepReleased && intent.Release.RunAt == nil &&
		v.Want.Retry != nil && v.Want.Retry.Generation == intent.Generation
}

// CarryRelease runs the jar of a released start until Flink lists the job, then closes the intent. First match wins:
//
//	 #  Flink lists the job  the session cluster    Flink was asked to run it  its jar    then
//	K1  yes                  -                      -                          is listed  delete the jar
//	K2  yes                  -                      -                          -          close the intent
//	K3  unknown              -                      -                          -          wait
//	K4  no                   is another since then  yes                        -          close the intent
//	K5  no                   takes no job           -                          -          wait
//	K6  no                   takes it               yes, not long ago          -          wait
//	K7  no                   takes it               refused, lately            is listed  delete the jar
//	K8  no                   takes it               refused, lately            -          leave room
//	K9  no                   takes it               otherwise                  -          see runOnce
//
// A job that was asked of another JobManager is lost. The room is for another spec, and a rollback.
func (v *view) CarryRelease() (job.Result, bool) {
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
	case release.RunAt != nil && v.replacedSince(*release.RunAt):
		v.Want.Intent = nil
		return job.Result{}, false
	case !ready:
		waits.Wait = why
		return waits, true
	case release.RunAt != nil && v.Since(*release.RunAt) < v.SubmissionTimeout():
		return waits, true
	case v.runRefused() && backoff.Waits(v.Want.Retry, intent.Generation, v.Seen.Now):
		if o, deletes := v.deleteJar(); deletes {
			return o, true
		}
		pending := waitsForAttempt(v.Want.Retry)
		v.Pending = &pending
		return job.Result{}, false
	}
	return v.runOnce(), true
}

// runOnce is the next step towards the job of a released start. First match wins:
//
//	 #  the jar        the release was stored  then
//	O1  is not listed  -                       upload it, see awaitJar
//	O2  is listed      long ago, or never      store the release again
//	O3  is listed      just now                run it
//
// A session cluster sees by the release that a request follows. That Flink is asked is stored first.
func (v *view) runOnce() job.Result {
	release, waits := v.Intent().Release, job.Result{Situation: plan.Waiting, Wait: submitting}
	if o, upload := v.awaitJar(); upload {
		o.Situation = plan.Waiting
		return o
	}
	now := v.Now()
	if release.At == nil || v.Since(*release.At) > flagLasts {
		release.At = &now
		waits.Record, waits.Again = "attempt", true
		return waits
	}
	release.RunAt = &now
	waits.Record, waits.Actions, waits.Again = "run", []plan.Action{v.runJar()}, true
	return waits
}

// closeStart ends a start whose job Flink lists. Its jar is not needed any more.
func (v *view) closeStart() (job.Result, bool) {
	if o, deletes := v.deleteJar(); deletes {
		return o, true
	}
	v.Want.Intent, v.Want.Retry = nil, nil
	return job.Result{}, false
}

// deleteJar deletes the jar of the open start, where Flink lists it.
func (v *view) deleteJar() (job.Result, bool) {
	jar, there := v.jar()
	if !there {
		return job.Result{}, false
	}
	remove := plan.DeleteJar{Endpoint: v.Endpoint(), JarID: jar.ID}
	return job.Result{Situation: plan.Waiting, Actions: []plan.Action{remove}, Again: true}, true
}

// replacedSince reports whether the JobManager became available after a time, so that it is another process than the
// one that was asked then.
func (v *view) replacedSince(at metav1.Time) bool { return at.Time.Before(v.AvailableAt().Time) }

// runJar runs the jar of the open start.
func (v *view) runJar() plan.Action {
	intent, spec := v.Intent(), job.Goal(v.Life).StoredTarget()
	jar, _ := v.jar()
	config := v.Compose(&spec)
	run := plan.RunJar{
		Endpoint: v.Endpoint(), JarID: jar.ID, Version: v1beta1.FlinkVersion(config.Get(key.FlinkVersion)).Dotted(),
		JobID: intent.JobID, EntryClass: spec.Job.EntryClass, Args: spec.Job.Args, Parallelism: spec.Job.Parallelism,
		AllowNonRestoredState: spec.Job.AllowNonRestoredState, Configuration: flinkconf.Submitted(config),
	}
	if intent.From.Kind == v1beta1.StartSavepoint {
		run.SavepointPath = intent.From.Path
	}
	return run
}
