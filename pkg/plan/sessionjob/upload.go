package sessionjob

import (
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

// upload brings the jar of the open start to the session cluster, runs it, and deletes it.
type upload view

// jarName is what the jar of the open start is uploaded as.
func (v upload) jarName() string { return v.Intent().OperationID + ".jar" }

// jar is the one of the open start, as Flink lists it.
func (v upload) jar() (Jar, bool) {
	jars, _ := v.seen.Jars.Get()
	i := slices.IndexFunc(jars, func(j Jar) bool { return j.Name == v.jarName() })
	if i < 0 {
		return Jar{}, false
	}
	return jars[i], true
}

// uploadTakes is how long an upload may take before it is asked for again: the budget of the function that does it.
const uploadTakes = 5 * time.Minute

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
//	U7  -              any            does not       twice and more, and  wait for a person, or the next attempt
//	                                                 long ago
//	U8  -              any            does not       not, once and long   ask for the upload
//	                                                 ago, or of a
//	                                                 JobManager that was
//	                                                 replaced
//
// While nobody answers it is stalled, and a change may be rolled back, see goBack.
func (v upload) awaitJar() (job.Result, bool) {
	intent, uri := v.Intent(), job.Goal(v.Life).StoredTarget().Job.JarURI
	_, there := v.jar()
	asked := intent.UploadAt != nil && !v.replacedSince(*intent.UploadAt)
	late := asked && v.Since(*intent.UploadAt) >= uploadTakes
	wait := job.Result{Wait: plan.Cause{Reason: plan.ReasonJarUploading, Message: "the jar is being uploaded"}}
	switch r := v.Want.Retry; {
	case !v.seen.Jars.IsPresent():
		why := "the jars of the session cluster cannot be listed: " + v.seen.Jars.Why() +
			"; jobs are submitted to it with web.submit.enable: true, Flink's default"
		return job.Result{Wait: plan.Cause{Reason: plan.ReasonJarsUnavailable, Message: why}}, true
	case there:
		return job.Result{}, false
	case backoff.Waits(r, intent.Generation, v.Seen.Now):
		wait.Wait = waitsForAttempt(r)
	case uri == "" || v.seen.Uploads:
		wait.Actions, wait.Again = []plan.Action{plan.UploadJar{
			Endpoint: v.Endpoint(), Name: v.jarName(), URI: uri, Header: v.jarHeader(),
		}}, true
	case asked && !late:
	case late && intent.UploadRequests > 1:
		job.Report(v.Life).Fail(plan.ReasonUploadOverdue, uploadOverdue)
		v.Want.Retry = backoff.Failed(r, intent.Generation, v.Now(), string(plan.ReasonUploadOverdue), uploadOverdue)
		intent.UploadAt, wait.Wait = nil, waitsForAttempt(v.Want.Retry)
	default:
		if intent.UploadAt != nil && !asked {
			intent.UploadRequests = 0
		}
		now := v.Now()
		intent.UploadAt = &now
		intent.UploadRequests++
		wait.Record, wait.Actions = "upload", []plan.Action{plan.RequestUpload{}}
	}
	if r := v.Want.Retry; r != nil && r.Generation == intent.Generation && r.Reason == string(plan.ReasonUploadOverdue) {
		wait.Stall = &plan.Cause{Reason: plan.ReasonUploadOverdue, Message: uploadOverdue}
	}
	return wait, true
}

// uploadOverdue says where a person looks.
const uploadOverdue = "the upload of the jar was asked for again and again, and nobody made it: function " +
	"reconcile-jars does not run, does not get its events, or has no room; see kubectl describe ksvc reconcile-jars in " +
	"the operator's namespace, and its logs"

// jarHeader are the HTTP headers of the download: those of the job and of its cluster, and those of the operator's
// configuration where its administrator trusts the host.
func (v upload) jarHeader() map[string]string {
	spec := job.Goal(v.Life).StoredTarget()
	var tenants []flinkconf.Config
	for _, s := range append([]*v1beta1.FlinkDeploymentSpec{&spec}, v.Seen.OtherSpecs...) {
		if s == nil {
			continue
		}
		if own, err := flinkconf.Flatten(s.FlinkConfiguration); err == nil {
			tenants = append(tenants, own)
		}
	}
	header, withheld, err := v.Seen.Operator.JarRules().JarHeader(v.Compose(&spec), spec.Job.JarURI, tenants...)
	switch {
	case err != nil:
		v.Note("kubernetes.operator.user.artifacts.http.header cannot be read, the jar is fetched without it")
	case withheld:
		v.Note("kubernetes.operator.user.artifacts.http.header of the operator's configuration is not sent: " +
			"kubernetes.operator.user.artifacts.allowed-hosts does not name the host of the jar")
	}
	return header
}

// runJar runs the jar of the open start.
func (v upload) runJar() plan.Action {
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

// leftover deletes the jar of the open start, where Flink lists it. A jar that cannot be deleted does no harm: nobody
// waits for it, and it is tried once.
func (v upload) leftover() []plan.Action {
	jar, there := v.jar()
	if !there {
		return nil
	}
	return []plan.Action{plan.DeleteJar{Endpoint: v.Endpoint(), JarID: jar.ID}}
}

// leaveNone deletes it beside whatever the round decides: the start that it was for ends.
func (v upload) leaveNone() { v.Also = append(v.Also, v.leftover()...) }

// replaced reports whether the JobManager that was asked to run the jar is gone, and the request with it. That it
// became available later is no evidence of its own: that time is another machine's.
//
//	the JobManager's Deployment                         the jar          the JobManager
//	is another than that of the release                 -                was replaced
//	became available after Flink was asked to run the   is not listed,   was replaced: its files go with the process
//	jar                                                 by a known list
//	otherwise                                           -                may be the same
func (v upload) replaced() bool {
	release, now := v.Intent().Release, v.Incarnation()
	if release.DeploymentUID != "" && now != "" && now != release.DeploymentUID {
		return true
	}
	_, listed := v.jar()
	return release.RunAt != nil && v.replacedSince(*release.RunAt) && v.seen.Jars.IsPresent() && !listed
}

// replacedSince reports whether the JobManager became available after a time, as far as two clocks can tell.
func (v upload) replacedSince(at metav1.Time) bool { return at.Time.Before(v.AvailableAt().Time) }
