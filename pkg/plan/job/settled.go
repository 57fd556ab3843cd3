package job

import (
	"fmt"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Settled names what is left when there is nothing to decide. First match wins; "stalled" is that a person has to act,
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
//	S13  running    READY                     its TaskManagers do not start, a person fixes    Waiting       yes
//	                                          that
//	S14  running    READY                     otherwise                                        Waiting       no
//
// What a rule before has found comes on top of that. First match wins:
//
//	 #  found before                                              settled as            situation  stalled
//	T1  a change that needs a person                              -                     Refused    yes
//	T2  a change or a restart that waits                          not stalled           Waiting    no
//	T3  a rollback that cannot be, so it may still become stable  not stalled, Waiting  Waiting    no
//	T4  a rollback that cannot be                                 not stalled           see S      yes
//	T5  an unhealthy job that a restart would cost its state      not stalled           see S      yes
//	T6  no last state, by an earlier look; it tries again         not stalled, Waiting  Waiting    yes
func Settled(v Life) (Result, bool) {
	Record(v).markStable()
	settling(v).clearError()
	r := settling(v).settle()
	switch {
	case v.Refused != nil: // also of a cluster that is broken: what it needs is in ClusterAvailable
		r.Situation, r.Stall, r.Wait = plan.Refused, v.Refused, plan.Cause{}
	case v.Pending != nil && r.Stall == nil:
		r.Situation, r.Wait = plan.Waiting, *v.Pending
	case v.Stuck != nil && r.Stall == nil && r.Situation == plan.Waiting:
		r.Wait = *v.Stuck // it may still become stable
	case v.Stuck != nil && r.Stall == nil:
		r.Stall = v.Stuck
	case r.Stall == nil && v.Unwell != nil:
		r.Stall = v.Unwell
	case r.Stall == nil && r.Situation == plan.Waiting:
		r.Stall = settling(v).refusedBefore()
	}
	return r, true
}

// settling names what is left when nothing is decided, what it waits for, and what a person can do.
type settling Life

func (v settling) settle() Result {
	state := v.Want.JobStatus.State
	switch jm := v.Want.JobManagerDeploymentStatus; {
	case !v.LastRunning():
		return Result{Situation: plan.Suspended}
	case jm == v1beta1.JobManagerError:
		return v.broken()
	case !v.IsSession() && state.IsTerminal():
		return v.ended(state)
	case v.Seen.Flink.Distrusted:
		return v.distrusted()
	case jm != v1beta1.JobManagerReady:
		if failure := v.Host.PodFailure(); failure != nil && failure.Reason == plan.ReasonJobManagerCrashed {
			Report(v).tellPodFailure()
		}
		return Result{Situation: plan.Waiting, Wait: v.waitsFor(v.Host.PodFailure())}
	case v.Job != nil && suspected(v.Want.LostProgress):
		return Result{Situation: plan.Waiting, Wait: v.waitsFor(v.Host.PodFailure())}
	case v.IsSession() || (v.Job != nil && v.Job.Runs()):
		taken := Snapshots(v).take()
		return Result{Situation: plan.Steady, Actions: taken.Actions, Record: taken.Record}
	case vanished(Life(v)) && v.Refused == nil:
		return v.vanished()
	}
	if why, fatal := v.Host.TaskManagerFailure(); why != nil && v.Job != nil {
		return v.awaitsTaskManagers(*why, fatal)
	}
	return Result{Situation: plan.Waiting, Wait: v.waitsFor(v.Host.PodFailure())}
}

// awaitsTaskManagers reports a job whose tasks cannot run, because its TaskManagers do not start.
func (v settling) awaitsTaskManagers(why plan.Cause, fatal bool) Result {
	r := Result{Situation: plan.Waiting, Wait: why}
	if !fatal {
		return r
	}
	if r.Stall = &why; !Report(v).StalledAlready(why.Message) {
		v.Tell(plan.Event{
			Warning: true, Reason: why.Reason, Component: plan.ComponentJobManager, Message: why.Message,
		})
	}
	return r
}

// broken reports a JobManager that cannot start, and where that is because it finds no last state, what a person can
// do. The start path of a last-state start is there so that Flink fails rather than begin from nothing.
func (v settling) broken() Result {
	r := Report(v).podFailure()
	if r.Stall != nil && strings.Contains(r.Stall.Message, v1beta1.LastStatePlaceholder) {
		r.Stall = &plan.Cause{Reason: plan.ReasonRestoreFailed, Message: v.lastStateRefused(r.Stall.Message)}
	}
	return r
}

// refusedBefore is what broken has told of this generation, while the JobManager tries again and Flink has not begun to
// run the job; nil when it told nothing. What a person reads does not come and go with each of its starts.
func (v settling) refusedBefore() *plan.Cause {
	tries := v.Want.JobManagerDeploymentStatus != v1beta1.JobManagerReady || v.Job == nil ||
		v.Job.State == v1beta1.FlinkJobInitializing
	told, stalled := Report(v).toldStalled()
	if !tries || !stalled || told.Reason != string(plan.ReasonRestoreFailed) ||
		told.ObservedGeneration != v.Resource().Generation {
		return nil
	}
	return &plan.Cause{Reason: plan.ReasonRestoreFailed, Message: told.Message}
}

// clearError forgets an error that is proved gone: Flink answers and the job has not failed, and the spec is accepted.
func (v settling) clearError() {
	ready := v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerReady || !v.LastRunning()
	if v.Refused == nil && v.Want.Retry == nil && v.Problem == "" && ready &&
		v.Want.JobStatus.State != v1beta1.FlinkJobFailed {
		v.Want.Error = ""
	}
}

// distrusted reports a JobManager that nobody can ask until a person fixes something. Nothing is known of its job, so
// nothing is done.
func (v settling) distrusted() Result {
	why := "the JobManager runs and its REST API cannot be used: " + v.Seen.Flink.Jobs.Why() +
		"; docs/install.md, TLS, " +
		"names the Secret"
	if !Report(v).StalledAlready(why) {
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonTLSFailed, Component: plan.ComponentJobManager, Message: why})
	}
	return Result{Situation: plan.Waiting, Stall: &plan.Cause{Reason: plan.ReasonTLSFailed, Message: why}}
}

// vanished reports a job that Flink no longer lists. It can be begun again where it needs no state, or its
// high-availability data has it.
func (v settling) vanished() Result {
	why := "Flink no longer lists the job, so it has ended, and its JobManager was replaced before the result " +
		"could be read; see its logs"
	if v.Want.JobStatus.StartTime == "" {
		why = "Flink lists no job: it ended while its status could not be written, and its JobManager was replaced" +
			" since, or its main method has not submitted it; see the JobManager's logs"
	}
	switch data := HAData(v).known(); {
	case data.IsUnknown() && !v.MayStartEmpty():
		return Unobservable("the high-availability data of a job that Flink no longer lists", data.Why())
	case data.IsPresent() || v.MayStartEmpty():
		return Result{
			Situation: plan.Ended, Stall: &plan.Cause{
				Reason: plan.ReasonJobNotFound, Message: why + "; another restartNonce starts it again",
			},
		}
	}
	return Result{
		Situation: plan.Ended,
		Stall: &plan.Cause{
			Reason: plan.ReasonLastStateUnknown, Message: why + ". Find its newest savepoint or checkpoint. " + v.Remedy(),
		},
	}
}

// ended reports a job that ended by itself, with the cause of a failure.
func (v settling) ended(state v1beta1.FlinkJobState) Result {
	if cause, ok := v.failureCause(); ok && state == v1beta1.FlinkJobFailed {
		text := Report(v).jobFailed(cause)
		news := v.Want.Error != text
		if Report(v).Shows() {
			text, news = v.Want.Error, v.Resource().Status.JobStatus.State != state
		}
		if news {
			v.Tell(plan.Event{Warning: true, Reason: plan.ReasonError, Component: plan.ComponentJob, Message: cause})
		}
		v.Want.Error = text
	}
	switch {
	case LastState(v).Awaited():
		return v.awaitLastState(plan.Waiting)
	case v.Stuck != nil: // a rollback that cannot be says the same and more
		return Result{Situation: plan.Ended}
	}
	return Result{Situation: plan.Ended, Stall: LastState(v).Stall()}
}

// failureCause is why the job failed, one line: Flink's own word or, when its JobManager is gone without one, where to
// look. It is empty and false while Flink may still tell.
func (v settling) failureCause() (string, bool) {
	cause, known := v.Seen.Flink.Failure.Get()
	switch {
	case known:
		return cause, true
	case v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerMissing && v.Resource().Status.Error == "":
		return "the job failed, and its JobManager was deleted before the cause could be read; see its logs", true
	}
	return "", false
}

// awaitLastState waits for what a job ended with. What Flink has not told for as long as a checkpoint may take needs a
// person; an answer still goes on with it.
func (v settling) awaitLastState(s plan.Situation) Result {
	r := Result{Situation: s, Wait: jobEnded}
	if v.Since(v.EndedAt()) <= v.CheckpointTimeout() {
		return r
	}
	why := "Flink does not respond"
	if v.Job != nil {
		_, why = LastState(v).of(*v.Job)
	}
	r.Stall = &plan.Cause{Reason: plan.ReasonLastStateUnknown,
		Message: fmt.Sprintf("the job is %s, and its newest checkpoint could not be read since "+
			"%s: %s. %s",
			v.Want.JobStatus.State, v.EndedAt().UTC().Format(time.RFC3339), why, v.Remedy())}
	return r
}
