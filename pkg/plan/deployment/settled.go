package deployment

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/podfailure"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/jobsnapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// settled names what is left when there is nothing to decide. First match wins; "stalled" is that a person has to act,
// and "HA" the high-availability data.
//
//	  #  acted on   JobManager                job                                              situation     stalled
//	 S1  suspended  -                         -                                                Suspended     no
//	 S2  running    ERROR                     -                                                Broken        yes
//	 S3  running    -                         ended, what it ended with is not read yet        Waiting       no
//	 S4  running    -                         the same, for longer than a checkpoint may take  Waiting       yes
//	 S5  running    -                         ended, and its newest checkpoint is lost         Ended         yes
//	 S6  running    -                         ended                                            Ended         no
//	 S7  running    cannot be reached by TLS  -                                                Waiting       yes
//	 S8  running    not READY                 -                                                Waiting       no
//	 S9  running    READY                     began again, may have lost its progress          Waiting       no
//	S10  running    READY                     its tasks run, or it is a session                Steady        no
//	S11  running    READY                     has vanished, keeps its state, HA is unknown     Unobservable  no
//	S12  running    READY                     has vanished                                     Ended         yes
//	S13  running    READY                     otherwise                                        Waiting       no
//
// What a rule before has found comes on top of that. First match wins:
//
//	 #  found before                                              settled as            situation  stalled
//	T1  a change that needs a person                              -                     Refused    yes
//	T2  a change or a restart that waits                          not stalled           Waiting    no
//	T3  a rollback that cannot be, so it may still become stable  not stalled, Waiting  Waiting    no
//	T4  a rollback that cannot be                                 not stalled           see S      yes
//	T5  an unhealthy job that a restart would cost its state      not stalled           see S      yes
func settled(v *view) (result, bool) {
	v.MarkStable()
	v.clearError()
	o := v.settle()
	switch {
	case v.refused != nil: // also of a cluster that is broken: what it needs is in ClusterAvailable
		o.situation, o.stall, o.wait = plan.Refused, v.refused, plan.Cause{}
	case v.pending != nil && o.stall == nil:
		o.situation, o.wait = plan.Waiting, *v.pending
	case v.stuck != nil && o.stall == nil && o.situation == plan.Waiting:
		o.wait = *v.stuck // it may still become stable
	case v.stuck != nil && o.stall == nil:
		o.stall = v.stuck
	case o.stall == nil:
		o.stall = v.unwell
	}
	return o, true
}

func (v *view) settle() result {
	state := v.Want.JobStatus.State
	switch jm := v.Want.JobManagerDeploymentStatus; {
	case !v.LastRunning():
		return result{situation: plan.Suspended}
	case jm == v1beta1.JobManagerError:
		return v.reportPodFailure()
	case !v.IsSession() && state.IsTerminal():
		return v.ended(state)
	case v.Seen.Flink.Distrusted:
		return v.distrusted()
	case jm != v1beta1.JobManagerReady:
		if v.PodFailure != nil && v.PodFailure.Reason == podfailure.ReasonCrashed {
			v.tellPodFailure()
		}
		return result{situation: plan.Waiting, wait: v.WaitsFor(v.podFailure())}
	case v.Job != nil && v.SuspectsLostProgress():
		return result{situation: plan.Waiting, wait: v.WaitsFor(v.podFailure())}
	case v.IsSession() || (v.Job != nil && v.Job.Runs()):
		taken := jobsnapshots.Take(v.Subject)
		return result{situation: plan.Steady, actions: taken.Actions, record: taken.Record}
	case v.Vanished() && v.refused == nil:
		return v.vanished()
	}
	return result{situation: plan.Waiting, wait: v.WaitsFor(v.podFailure())}
}

// clearError forgets an error that is proved gone: Flink answers and the job has not failed, and the spec is accepted.
func (v *view) clearError() {
	ready := v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerReady || !v.LastRunning()
	if v.refused == nil && v.Want.Retry == nil && v.Problem == "" && ready &&
		v.Want.JobStatus.State != v1beta1.FlinkJobFailed {
		v.Want.Error = ""
	}
}

// reportPodFailure shows why the JobManager cannot start.
func (v *view) reportPodFailure() result {
	v.tellPodFailure()
	return result{situation: plan.Broken, stall: &plan.Cause{Reason: v.PodFailure.Reason, Message: v.PodFailure.Message}}
}

// shows reports whether this round shows the error of a spec that is invalid, or of a change that is refused: it is
// what a person asked for last, and two errors that take turns would be told again by each pass.
func (v *view) shows() bool { return v.Problem != "" || v.refused != nil }

// tellPodFailure tells once why the JobManager does not start.
func (v *view) tellPodFailure() {
	if v.shows() {
		return
	}
	text := v.ErrorText(status.TypeDeploymentFailed, v.PodFailure.Message, string(v.PodFailure.Reason))
	if v.Want.Error != text {
		v.Tell(plan.Event{
			Warning: true, Reason: v.PodFailure.Reason, Component: plan.ComponentJobManager, Message: v.PodFailure.Message,
		})
	}
	v.Want.Error = text
}

// distrusted reports a JobManager that nobody can ask until a person fixes something. Nothing is known of its job, so
// nothing is done.
func (v *view) distrusted() result {
	why := "the JobManager runs and its REST API cannot be used: " + v.Seen.Flink.Jobs.Why() +
		"; docs/install.md, TLS, " +
		"names the Secret"
	if !v.StalledAlready(why) {
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonTLSFailed, Component: plan.ComponentJobManager, Message: why})
	}
	return result{situation: plan.Waiting, stall: &plan.Cause{Reason: plan.ReasonTLSFailed, Message: why}}
}

// vanished reports a job that Flink no longer lists. It can be begun again where it needs no state, or its
// high-availability data has it.
func (v *view) vanished() result {
	why := "Flink no longer lists the job, so it has ended, and its JobManager was replaced before the result " +
		"could be read; see its logs"
	if v.Want.JobStatus.StartTime == "" {
		why = "Flink lists no job: it ended while its status could not be written, and its JobManager was replaced" +
			" since, or its main method has not submitted it; see the JobManager's logs"
	}
	switch data := v.UsableHAData(); {
	case data.IsUnknown() && !v.MayStartEmpty():
		return v.unobservable("the high-availability data of a job that Flink no longer lists", data.Why())
	case data.IsPresent() || v.MayStartEmpty():
		return result{
			situation: plan.Ended, stall: &plan.Cause{
				Reason: plan.ReasonJobNotFound, Message: why + "; another restartNonce starts it again",
			},
		}
	}
	return result{
		situation: plan.Ended,
		stall: &plan.Cause{
			Reason: plan.ReasonLastStateUnknown, Message: why + ". Find its newest savepoint or checkpoint. " + v.Remedy(),
		},
	}
}

// ended reports a job that ended by itself, with the cause of a failure.
func (v *view) ended(state v1beta1.FlinkJobState) result {
	if cause, ok := v.FailureCause(); ok && state == v1beta1.FlinkJobFailed {
		text := v.JobFailure(cause)
		news := v.Want.Error != text
		if v.shows() {
			text, news = v.Want.Error, v.Resource().Status.JobStatus.State != state
		}
		if news {
			v.Tell(plan.Event{Warning: true, Reason: plan.ReasonError, Component: plan.ComponentJob, Message: cause})
		}
		v.Want.Error = text
	}
	switch {
	case v.AwaitsLastState():
		return v.awaitLastState(plan.Waiting)
	case v.LosesItsState() && v.stuck == nil: // a rollback that cannot be says the same and more
		return result{situation: plan.Ended, stall: &plan.Cause{Reason: plan.ReasonLastStateUnknown,
			Message: fmt.Sprintf("the job is %s, and its newest checkpoint "+
				"was deleted with it or could not be read any more. Find its newest savepoint. %s", state, v.Remedy())}}
	}
	return result{situation: plan.Ended}
}

// awaitLastState waits for what a job ended with. What Flink has not told for as long as a checkpoint may take needs a
// person; an answer still goes on with it.
func (v *view) awaitLastState(s plan.Situation) result {
	o := result{situation: s, wait: jobEnded}
	if v.Since(v.EndedAt()) <= v.CheckpointTimeout() {
		return o
	}
	why := "Flink does not respond"
	if v.Job != nil {
		_, why = v.LastStateOf(*v.Job)
	}
	o.stall = &plan.Cause{Reason: plan.ReasonLastStateUnknown,
		Message: fmt.Sprintf("the job is %s, and its newest checkpoint could not be read since "+
			"%s: %s. %s",
			v.Want.JobStatus.State, v.EndedAt().UTC().Format(time.RFC3339), why, v.Remedy())}
	return o
}

var jobManagerStarting = job.JobManagerStarting

// podFailure is why the JobManager does not start; nil when nothing says so.
func (v *view) podFailure() *plan.Cause {
	if v.PodFailure == nil {
		return nil
	}
	return &plan.Cause{Reason: v.PodFailure.Reason, Message: v.PodFailure.Message}
}
