package submit

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// uploadTakes is how long an upload may take before it is asked for again: the budget of the function that does it.
const UploadTakes = 5 * time.Minute

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
func awaitJar(v *session.Job) (decision.Result, bool) {
	intent, uri := v.Look.Intent(), facts.StoredTarget(v.Look).Job.JarURI
	_, there := session.UploadedJar(v)
	asked := intent.UploadAt != nil && !session.ReplacedSince(v, *intent.UploadAt)
	late := asked && v.Look.Since(*intent.UploadAt) >= UploadTakes
	wait := decision.Result{Wait: plan.Cause{Reason: plan.ReasonJarUploading, Message: "the jar is being uploaded"}}
	switch r := v.Look.Want.Retry; {
	case !v.Seen.Jars.IsPresent() && takesNoJars(v):
		why := &plan.Cause{Reason: plan.ReasonJarsUnavailable, Message: "the session cluster has " +
			key.WebSubmitEnable.Key + ": false, so that no job can be submitted to it: take the option out of its " +
			"flinkConfiguration, and the job is submitted"}
		record.Show(v.Look, report.Failure(v.Look, why.Reason, why.Message))
		return decision.Result{Wait: *why, Stall: why}, true
	case !v.Seen.Jars.IsPresent():
		why := "the jars of the session cluster cannot be listed: " + v.Seen.Jars.Why() +
			"; jobs are submitted to it with web.submit.enable: true, Flink's default"
		return decision.Result{Wait: plan.Cause{Reason: plan.ReasonJarsUnavailable, Message: why}}, true
	case there:
		return decision.Result{}, false
	case backoff.Waits(r, intent.Generation, v.Look.Seen.Now):
		wait.Wait = WaitsForAttempt(r)
	case uri == "" || v.Seen.Uploads:
		wait.Actions, wait.Again = []plan.Action{plan.UploadJar{
			Endpoint: v.Endpoint(), Name: session.JarName(v), URI: uri, Header: jarHeader(v),
		}}, true
	case asked && !late:
	case late && intent.UploadRequests > 1:
		record.Show(v.Look, report.Failure(v.Look, plan.ReasonUploadOverdue, uploadOverdue))
		v.Look.Want.Retry = backoff.Failed(
			r,
			intent.Generation,
			v.Look.Now(),
			string(plan.ReasonUploadOverdue),
			uploadOverdue,
		)
		intent.UploadAt, wait.Wait = nil, WaitsForAttempt(v.Look.Want.Retry)
	default:
		if intent.UploadAt != nil && !asked {
			intent.UploadRequests = 0
		}
		now := v.Look.Now()
		intent.UploadAt = &now
		intent.UploadRequests++
		wait.Record, wait.Actions = "upload", []plan.Action{plan.RequestUpload{}}
	}
	if r := v.Look.Want.Retry; r != nil && r.Generation == intent.Generation &&
		r.Reason == string(plan.ReasonUploadOverdue) {
		wait.Stall = &plan.Cause{Reason: plan.ReasonUploadOverdue, Message: uploadOverdue}
	}
	return wait, true
}

// takesNoJars reports whether the session cluster runs with an option by which Flink takes none.
func takesNoJars(v *session.Job) bool {
	on, err := v.Look.Seen.ClusterConfig.Bool(key.WebSubmitEnable)
	return err == nil && !on
}

// uploadOverdue says where a person looks.
const uploadOverdue = "the upload of the jar was requested several times and was not made: function " +
	"reconcile-jars does not run, does not get its events, or has no room; see kubectl describe ksvc reconcile-jars in " +
	"the operator's namespace, and its logs"

// jarHeader are the HTTP headers of the download: those of the job and of its cluster, and those of the operator's
// configuration where its administrator trusts the host.
func jarHeader(v *session.Job) map[string]string {
	spec := facts.StoredTarget(v.Look)
	var tenants []flinkconf.Config
	for _, s := range append([]*v1beta1.FlinkDeploymentSpec{&spec}, v.Look.Seen.OtherSpecs...) {
		if s == nil {
			continue
		}
		if own, err := flinkconf.Own(s.FlinkConfiguration); err == nil {
			tenants = append(tenants, own)
		}
	}
	header, withheld, err := v.Look.Seen.Operator.JarRules().
		JarHeader(v.Look.Compose(&spec), spec.Job.JarURI, tenants...)
	switch {
	case err != nil:
		v.Look.Note("kubernetes.operator.user.artifacts.http.header cannot be read, the jar is fetched without it")
	case withheld:
		v.Look.Note("kubernetes.operator.user.artifacts.http.header of the operator's configuration is not sent: " +
			"kubernetes.operator.user.artifacts.allowed-hosts does not name the host of the jar")
	}
	return header
}

// runJar runs the jar of the open start.
func runJar(v *session.Job) plan.Action {
	intent, spec := v.Look.Intent(), facts.StoredTarget(v.Look)
	jar, _ := session.UploadedJar(v)
	config := v.Look.Compose(&spec)
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

// leftoverJar deletes the jar of the open start, where Flink lists it. A jar that cannot be deleted does no harm:
// nobody waits for it, and it is tried once.
func leftoverJar(v *session.Job) []plan.Action {
	jar, there := session.UploadedJar(v)
	if !there {
		return nil
	}
	return []plan.Action{plan.DeleteJar{Endpoint: v.Endpoint(), JarID: jar.ID}}
}

// LeaveNoJar deletes it beside whatever the round decides: the start that it was for ends.
func LeaveNoJar(v *session.Job) { v.Look.Also = append(v.Look.Also, leftoverJar(v)...) }

// JarReplaced reports whether the JobManager that was asked to run the jar is gone, and the request with it. That it
// became available later is no evidence of its own: that time is another machine's.
//
//	the JobManager's Deployment                         the jar          the JobManager
//	is another than that of the release                 -                was replaced
//	became available after Flink was asked to run the   is not listed,   was replaced: its files go with the process
//	jar                                                 by a known list
//	otherwise                                           -                may be the same
func JarReplaced(v *session.Job) bool {
	release, now := v.Look.Intent().Release, v.Incarnation()
	if release.DeploymentUID != "" && now != "" && now != release.DeploymentUID {
		return true
	}
	_, listed := session.UploadedJar(v)
	return release.RunAt != nil && session.ReplacedSince(v, *release.RunAt) && v.Seen.Jars.IsPresent() && !listed
}
