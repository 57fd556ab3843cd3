package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
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
//	 S5  running    -                         ended, and its newest checkpoint is lost, or     Ended         yes
//	                                          what it was started from
//	 S6  running    -                         ended                                            Ended         no
//	 S7  running    cannot be reached by      -                                                Waiting       yes
//	                TLS, or is ready and has
//	                not responded for as long
//	                as a checkpoint may take
//	S8b  running    scaled to no replicas     -                                                Waiting       yes
//	 S8  running    not READY                 -                                                Waiting       no
//	 S9  running    READY                     began again, may have lost its progress          Waiting       no
//	S10  running    READY                     its tasks run, or it is a session                Steady        no
//	S11  running    READY                     has vanished, keeps its state, HA is unknown     Unobservable  no
//	S12  running    READY                     has vanished                                     Ended         yes
//	S13  running    READY                     its TaskManagers do not start, a person fixes    Waiting       yes
//	                                          that
//	S15  running    READY                     restarts, and the files of its state are gone    Waiting       yes
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
//	T7  nothing, and the job has FAILED or was cancelled          not stalled, Ended    see S      yes
func Settled(v *world.Look) decision.Decision { return settled(v, decision.Found{}) }

// settled is Settled with what the rule that asks has found itself.
func settled(v *world.Look, found decision.Found) decision.Decision {
	d := settle(v, found)
	d.Marks, d.Found = append([]decision.Mark{decision.Stable}, d.Marks...), found
	if clearsError(v, found) {
		d.Marks = append(d.Marks, decision.ErrorCleared)
	}
	f, r := found.Over(v.Found), &d.Result
	switch {
	case f.Refused != nil: // also of a cluster that is broken: what it needs is in ClusterAvailable
		r.Situation, r.Stall, r.Wait = plan.Refused, f.Refused, plan.Cause{}
	case f.Pending != nil && r.Stall == nil:
		r.Situation, r.Wait = plan.Waiting, *f.Pending
	case f.Stuck != nil && r.Stall == nil && r.Situation == plan.Waiting:
		r.Wait = *f.Stuck // it may still become stable
	case f.Stuck != nil && r.Stall == nil:
		r.Stall = f.Stuck
	case r.Stall == nil && f.Unwell != nil:
		r.Stall = f.Unwell
	case r.Stall == nil && r.Situation == plan.Waiting:
		r.Stall = refusedBefore(v)
	}
	return d
}

func settle(v *world.Look, found decision.Found) decision.Decision {
	state, f := v.Want.JobStatus.State, found.Over(v.Found)
	waits := func() decision.Decision {
		return decision.Settle(decision.Result{Situation: plan.Waiting, Wait: waitsFor(v, v.Host.PodFailure())})
	}
	switch jm := v.Want.JobManagerDeploymentStatus; {
	case !v.LastRunning():
		return decision.Settle(decision.Result{Situation: plan.Suspended})
	case jm == v1beta1.JobManagerError:
		return settleBroken(v)
	case !v.IsSession() && state.IsTerminal():
		return settleEnded(v, state, f)
	case v.Seen.Flink.Distrusted:
		return distrusted(v)
	case jm == v1beta1.JobManagerDeployedNotReady && facts.Hung(v) != nil:
		return decision.Settle(decision.Result{Situation: plan.Waiting, Stall: facts.Hung(v)})
	case jm != v1beta1.JobManagerReady:
		d := scaledToZero(v, waits())
		if failure := v.Host.PodFailure(); failure != nil && failure.Reason == plan.ReasonJobManagerCrashed {
			d.Shown = report.PodFailure(v)
		}
		return d
	case v.Job != nil && facts.Suspected(v.Want.LostProgress):
		return waits()
	case v.IsSession() || (v.Job != nil && v.Job.Runs()):
		return decision.Decision{Snapshots: true, Result: decision.Result{Situation: plan.Steady}}
	case facts.Vanished(v) && f.Refused == nil:
		return decision.Settle(settleVanished(v))
	}
	if gone := filesGone(v); gone != nil && v.Job != nil {
		return awaitsUser(v, *gone, true)
	}
	if why, fatal := v.Host.TaskManagerFailure(); why != nil && v.Job != nil {
		return awaitsUser(v, *why, fatal)
	}
	return waits()
}

// scaledToZero calls a user where the wait is for the one who scaled the JobManager's Deployment to no replicas.
func scaledToZero(v *world.Look, d decision.Decision) decision.Decision {
	if standing, _ := v.Host.Standing(); d.Result.Wait.Reason != plan.ReasonScaledToZero || standing != world.Standby {
		return d
	}
	return stalls(v, d, d.Result.Wait)
}

// awaitsUser reports a job whose tasks cannot run; fatal is true when only the user can change that.
func awaitsUser(v *world.Look, why plan.Cause, fatal bool) decision.Decision {
	d := decision.Settle(decision.Result{Situation: plan.Waiting, Wait: why})
	if !fatal {
		return d
	}
	return stalls(v, d, why)
}

// stalls calls a user, with an event where the stored status does not say so already.
func stalls(v *world.Look, d decision.Decision, why plan.Cause) decision.Decision {
	if d.Result.Stall = &why; !report.StalledAlready(v, why.Message) {
		d.Events = append(d.Events, plan.Event{
			Warning: true, Reason: why.Reason, Component: plan.ComponentJobManager, Message: why.Message,
		})
	}
	return d
}

// settleBroken reports a JobManager that cannot start, and where that is because it finds no last state, what a user
// can do. The start path of a last-state start is there so that Flink fails rather than begin from nothing.
func settleBroken(v *world.Look) decision.Decision {
	failure := v.Host.PodFailure()
	if failure == nil {
		return decision.Settle(decision.Result{Situation: plan.Waiting})
	}
	d := decision.Decision{Shown: report.PodFailure(v)}
	d.Result = decision.Result{Situation: plan.Broken, Stall: failure}
	if strings.Contains(failure.Message, v1beta1.LastStatePlaceholder) {
		d.Result.Stall = &plan.Cause{
			Reason: plan.ReasonRestoreFailed, Message: lastStateRefused(v, failure.Message),
		}
	}
	return d
}

// refusedBefore is what broken has told of this generation, while the JobManager tries again and Flink has not begun to
// run the job; nil when it told nothing. What a person reads does not come and go with each of its starts.
func refusedBefore(v *world.Look) *plan.Cause {
	tries := v.Want.JobManagerDeploymentStatus != v1beta1.JobManagerReady || v.Job == nil ||
		v.Job.State == v1beta1.FlinkJobInitializing
	told, stalled := report.ToldStalled(v)
	if !tries || !stalled || told.Reason != string(plan.ReasonRestoreFailed) ||
		told.ObservedGeneration != v.Resource().Generation {
		return nil
	}
	return &plan.Cause{Reason: plan.ReasonRestoreFailed, Message: told.Message}
}

// clearsError reports whether an error is proved gone: Flink answers and the job has not failed, and the spec is
// accepted.
func clearsError(v *world.Look, found decision.Found) bool {
	ready := v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerReady || !v.LastRunning()
	return found.Over(v.Found).Refused == nil && v.Want.Retry == nil && v.Problem == "" && ready &&
		v.Want.JobStatus.State != v1beta1.FlinkJobFailed
}

// distrusted reports a JobManager that cannot be asked until a user fixes something. Nothing is known of its job, so
// nothing is done.
func distrusted(v *world.Look) decision.Decision {
	why := "the JobManager runs and its REST API cannot be used: " + v.Seen.Flink.Jobs.Why() +
		"; docs/jobs/tls.md, " +
		"names the Secret"
	return stalls(v, decision.Settle(decision.Result{Situation: plan.Waiting}), plan.Cause{
		Reason: plan.ReasonTLSFailed, Message: why,
	})
}

// settleVanished reports a job that Flink no longer lists. It can be begun again where it needs no state, or its
// high-availability data has it.
func settleVanished(v *world.Look) decision.Result {
	why := "Flink no longer lists the job, so it has ended, and its JobManager was replaced before the result " +
		"could be read; see its logs"
	if v.Want.JobStatus.StartTime == "" {
		why = "Flink lists no job: it ended while its status could not be written, and its JobManager was replaced" +
			" since, or its main method has not submitted it; see the JobManager's logs"
	}
	switch data := facts.KnownHAData(v); {
	case data.IsUnknown() && !v.MayStartEmpty():
		return decision.Unobservable("the high-availability data of a job that Flink no longer lists", data.Why())
	case data.IsPresent() || v.MayStartEmpty():
		return decision.Result{
			Situation: plan.Ended, Stall: &plan.Cause{
				Reason: plan.ReasonJobNotFound, Message: why + "; another restartNonce starts it again",
			},
		}
	}
	return decision.Result{
		Situation: plan.Ended,
		Stall: &plan.Cause{
			Reason: plan.ReasonLastStateUnknown, Message: why + ". Find its newest savepoint or checkpoint. " + v.Remedy(),
		},
	}
}

// settleEnded reports a job that ended by itself, with the cause of a failure.
func settleEnded(v *world.Look, state v1beta1.FlinkJobState, found decision.Found) decision.Decision {
	d := decision.Settle(decision.Result{Situation: plan.Ended})
	if cause, ok := failureCause(v); ok && state == v1beta1.FlinkJobFailed {
		text := report.JobFailed(v, cause)
		news := v.Want.Error != text
		if report.Shows(v) || found.Refused != nil {
			text, news = v.Want.Error, v.Resource().Status.JobStatus.State != state
		}
		if news {
			d.Events = append(d.Events, plan.Event{
				Warning: true, Reason: plan.ReasonError, Component: plan.ComponentJob, Message: cause,
			})
		}
		d.Shown = &decision.Shown{Error: text}
	}
	switch {
	case facts.LastStateAwaited(v):
		d.Result = awaitLastState(v, plan.Waiting)
		return d
	case found.Stuck != nil: // a rollback that cannot be says the same and more
		return d
	}
	shown := v.Want.Error
	if d.Shown != nil {
		shown = d.Shown.Error
	}
	if d.Result.Stall = filesGoneOf(v, shown); d.Result.Stall == nil {
		d.Result.Stall = facts.LastStateStall(v)
	}
	return d
}

// failureCause is why the job failed, one line: Flink's own word or, when its JobManager is gone without one, where to
// look. It is empty and false while Flink may still tell.
func failureCause(v *world.Look) (string, bool) {
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
func awaitLastState(v *world.Look, s plan.Situation) decision.Result {
	r := decision.Result{Situation: s, Wait: facts.JobEnded}
	r.Wait.Until, r.Wait.Then = v.EndedAt().Add(v.CheckpointTimeout()), plan.ThenUser
	if v.Since(v.EndedAt()) <= v.CheckpointTimeout() {
		return r
	}
	why := "Flink does not respond"
	if v.Job != nil {
		_, why = facts.LastStateOf(v, *v.Job)
	}
	r.Stall = &plan.Cause{Reason: plan.ReasonLastStateUnknown,
		Message: fmt.Sprintf("the job is %s, and its newest checkpoint could not be read since "+
			"%s: %s. %s",
			v.Want.JobStatus.State, v.EndedAt().UTC().Format(time.RFC3339), why, v.Remedy())}
	return r
}

// lastStateRefused says why Flink cannot start a job from its last state, and what a person can do.
func lastStateRefused(v *world.Look, failure string) string {
	known := ""
	if c := v.Want.JobStatus.Checkpoint; c != nil && c.Path != "" {
		known = fmt.Sprintf(" The newest checkpoint known is %s, if its files are still there.", c.Path)
	}
	return fmt.Sprintf(
		"The job's high-availability data names no checkpoint any more, so the JobManager cannot start the"+
			" job again. Flink removes them when a job fails for good.%s Nothing is deleted. %s The JobManager says: %s",
		known,
		v.Remedy(),
		failure,
	)
}
