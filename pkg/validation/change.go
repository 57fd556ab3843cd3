package validation

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// change is V9: what cannot become what. last is nil before the first deployment; then everything is possible.
//
//	last               | new                                           | finding
//	session            | application                                   | refused
//	application        | session                                       | refused
//	native (or unset)  | standalone                                    | refused
//	standalone         | native (or unset)                             | refused
//	application, any   | application, other savepointRedeployNonce,    | refused
//	                   | initialSavepointPath blank                    |
//	session            | session, on the other side of Flink 2.0       | a warning
func (r *report) change(spec, last *v1beta1.FlinkDeploymentSpec) {
	if last == nil {
		return
	}
	const another = "delete the resource and create it again, or use another name"
	switch {
	case last.IsSession() && !spec.IsSession():
		r.add("job", "Cannot switch from session to job cluster", another)
	case !last.IsSession() && spec.IsSession():
		r.add("job", "Cannot switch from job to session cluster", another)
	}
	switch from, to := last.DesiredMode(), spec.DesiredMode(); {
	case from == v1beta1.ModeNative && to == v1beta1.ModeStandalone:
		r.add("mode", "Cannot switch from native kubernetes to standalone kubernetes cluster", another)
	case from == v1beta1.ModeStandalone && to == v1beta1.ModeNative:
		r.add("mode", "Cannot switch from standalone kubernetes to native kubernetes cluster", another)
	}
	r.redeploy(spec.Job, last.Job)
	r.losesJobs(spec, last)
}

// losesJobs warns of a session cluster that gets a Flink which does not see the jobs that the other one keeps.
func (r *report) losesJobs(spec, last *v1beta1.FlinkDeploymentSpec) {
	from, to := flinkconf.BehaviourOf(last.FlinkVersion), flinkconf.BehaviourOf(spec.FlinkVersion)
	if !last.IsSession() || !spec.IsSession() || from.JobGraphPrefix == to.JobGraphPrefix {
		return
	}
	r.warn("flinkVersion", "Flink 2 does not see the jobs that Flink 1 keeps in the high-availability data, nor the "+
		"other way round: the jobs of this session cluster are lost with the upgrade",
		"set job.state: suspended in its FlinkSessionJobs first, and running again once the cluster is upgraded")
}

// redeploy refuses a savepoint redeploy without the savepoint: it would start the job from nothing.
func (r *report) redeploy(job, last *v1beta1.JobSpec) {
	if job == nil || last == nil || job.SavepointRedeployNonce == nil {
		return
	}
	changed := last.SavepointRedeployNonce == nil || *last.SavepointRedeployNonce != *job.SavepointRedeployNonce
	if changed && strings.TrimSpace(job.InitialSavepointPath) == "" {
		r.add("job.initialSavepointPath", "InitialSavepointPath must not be empty for savepoint redeployment",
			"name the savepoint to start from, or set "+r.at("job.savepointRedeployNonce")+" back")
	}
}
