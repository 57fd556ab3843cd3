package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// settled names what is left when there is nothing to decide.
//
//	acted on   JobManager           job                    situation
//	suspended  -                    -                      Suspended
//	running    ERROR                -                      Broken
//	running    not READY            -                      Waiting
//	running    READY                terminal               Ended
//	running    READY                its tasks run          Steady
//	running    READY                -  (a session)         Steady
//	running    READY                otherwise              Waiting
func settled(v *view) (outcome, bool) {
	v.markStable()
	v.clearError()
	state := v.want.JobStatus.State
	switch jm := v.want.JobManagerDeploymentStatus; {
	case !v.lastRunning():
		return outcome{situation: plan.Suspended}, true
	case jm == v1beta1.JobManagerError:
		return v.reportBreakage(), true
	case !v.isSession() && state.IsTerminal():
		return v.ended(state), true
	case jm != v1beta1.JobManagerReady:
		return outcome{situation: plan.Waiting, wait: v.waitingFor(jm)}, true
	case v.isSession() || (v.job != nil && v.job.runs()):
		return outcome{situation: plan.Steady}, true
	case v.job != nil && state == v1beta1.FlinkJobRunning:
		return outcome{situation: plan.Waiting, wait: stall{"TasksNotRunning", "the job waits for its tasks to run"}}, true
	}
	return outcome{situation: plan.Waiting, wait: stall{"JobNotRunning", "the job is " + string(state)}}, true
}

// clearError forgets an error that is proved gone: Flink answers and the job has not failed, and the spec is accepted.
func (v *view) clearError() {
	ready := v.want.JobManagerDeploymentStatus == v1beta1.JobManagerReady || !v.lastRunning()
	if v.problem == "" && ready && v.want.JobStatus.State != v1beta1.FlinkJobFailed {
		v.want.Error = ""
	}
}

// reportBreakage tells once why the JobManager cannot start.
func (v *view) reportBreakage() outcome {
	text := v.errorText(typeDeploymentFailed, v.broken.message, v.broken.reason)
	if v.want.Error != text {
		v.tell(plan.Event{Warning: true, Reason: v.broken.reason, Component: plan.ComponentJobManager, Message: v.broken.message})
	}
	v.want.Error = text
	return outcome{situation: plan.Broken, stall: &stall{v.broken.reason, v.broken.message}}
}

// ended reports a job that ended by itself, with the cause of a failure.
func (v *view) ended(state v1beta1.FlinkJobState) outcome {
	if cause, ok := v.s.Flink.Failure.Get(); ok && state == v1beta1.FlinkJobFailed {
		text := v.errorText(typeJobFailed, cause, "")
		if v.want.Error != text {
			v.tell(plan.Event{Warning: true, Reason: "Error", Component: plan.ComponentJob, Message: cause})
		}
		v.want.Error = text
	}
	return outcome{situation: plan.Ended}
}

func (v *view) waitingFor(jm v1beta1.JobManagerDeploymentStatus) stall {
	if v.broken != nil {
		return stall{v.broken.reason, v.broken.message}
	}
	if jm == v1beta1.JobManagerDeployedNotReady {
		return stall{"DeployedNotReady", "the JobManager runs but Flink does not answer yet: " + v.s.Flink.Jobs.Why()}
	}
	return jobManagerStarting
}

var jobManagerStarting = stall{"JobManagerIsDeploying", "the JobManager pod is starting"}
