package upgrade

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Messages that users and scripts of the Java operator know; the lifecycle state FAILED is derived from their words.
const (
	messageTerminalUnknown = "Job is in terminal state but last checkpoint is unknown, possibly due to an " +
		"unrecoverable restore error. Manual restore required."
	messageMissing  = "JobManager deployment is missing and " + messageNoData
	messageVanished = "Flink no longer lists the job and " + messageNoData
	messageNoData   = "HA metadata is not available to make stateful upgrades. " +
		"It is possible that the job has finished or terminally failed, or the configmaps have been deleted. Manual " +
		"restore required."
	messageForgets = "The job waits for resources, and the adaptive scheduler does not report its checkpoints until it " +
		"runs, " +
		"nor after it is cancelled; the change is made when it runs. If it never ran, upgradeMode stateless makes the " +
		"change at once"
	messageNotRetained = "No state to start from is kept after the cancellation of the job " +
		"(execution.checkpointing.externalized-checkpoint-retention is not RETAIN_ON_CANCELLATION, or it makes no " +
		"checkpoints), " +
		"and no directory for a savepoint is known. Set execution.checkpointing.savepoint-dir in " +
		"spec.flinkConfiguration: " +
		"the job is then stopped with a savepoint there."
)

// Decide is how a job is stopped for a change of its spec. First match wins; "HA" means that high-availability data is
// there.
//
//	 #  mode        job                                    else                       suspend       restore
//	 0  any         a savepoint is pending                                            wait
//	 1  stateless   terminal                                                          none          stateless
//	 2  stateless   any                                                               stateless     stateless
//	2b  stateful    any                                    HA cannot be read          wait
//	 3  stateful    ended, its last state is the marker                               refuse
//	3b  stateful    ended, its last state is not read yet                             wait, open
//	 4  stateful    ended                                                             none          savepoint
//	 5  stateful    CANCELLING                                                        wait
//	 6  savepoint   RUNNING                                                           savepoint     savepoint
//	 7  savepoint   not RUNNING                            same version, no fallback  wait, open
//	 8  savepoint   not RUNNING                            otherwise: as last-state   see 10 to 14
//	 9  last-state  RUNNING, version changed               savepoint directory set    savepoint     savepoint
//	10  last-state  version changed                        cancellable                see byCancel
//	11  last-state  version changed                                                   wait, open
//	12  last-state  RUNNING                                                           see byAge
//	13  last-state  not RUNNING                            cancel allowed             see byCancel
//	14  last-state  not RUNNING                                                       wait, open
//
// "ended" is CANCELED, or FINISHED or FAILED when there is no HA or the JobManager answers. "wait, open" leaves room
// for recovery and snapshots. Where 5, 7, 11 or 14 waits, or byCancel after 10 or 13, an application may have another
// way: see application; and a session job that Flink refused to run goes on with the state it was to start from.
func Decide(f Facts) Decision {
	if f.SavepointPending {
		return wait(plan.ReasonSavepointPending, "a savepoint is being written; the change is made when it is done")
	}
	if f.Wanted == v1beta1.UpgradeModeStateless || f.Wanted == "" {
		if f.State.IsTerminal() {
			return goFor(SuspendNone, v1beta1.UpgradeModeStateless, "Stateless")
		}
		return goFor(SuspendStateless, v1beta1.UpgradeModeStateless, "Stateless")
	}
	if f.HighAvailability.IsUnknown() {
		return wait(
			plan.ReasonHighAvailabilityUnknown, "the high-availability data cannot be read: "+f.HighAvailability.Why(),
		)
	}
	d, unavailable := stateful(f)
	switch {
	case unavailable && f.Application:
		return application(f, d)
	case unavailable && f.NeverStarted: // Flink refused to run a session job
		return goFor(SuspendNone, v1beta1.UpgradeModeSavepoint, "NeverStarted")
	}
	return d
}

// stateful decides rows 3 to 14. unavailable is true where an application may have another way.
func stateful(f Facts) (d Decision, unavailable bool) {
	switch {
	case f.ended() && f.Recorded == v1beta1.LastStatePlaceholder:
		return refuse(plan.ReasonLastStateUnknown, messageTerminalUnknown), false
	case f.ended() && f.Unread:
		return waitOpen(
			plan.ReasonJobEnded, "the job has ended; the change is made when its last checkpoint is read",
		), false
	case f.ended():
		return goFor(SuspendNone, v1beta1.UpgradeModeSavepoint, "JobEnded"), false
	case f.State == v1beta1.FlinkJobCancelling:
		return wait(plan.ReasonJobCancelling, "the job is being cancelled"), true
	}
	running := f.State == v1beta1.FlinkJobRunning
	if f.Wanted == v1beta1.UpgradeModeSavepoint {
		if running {
			return goFor(SuspendSavepoint, v1beta1.UpgradeModeSavepoint, "Savepoint"), false
		}
		if !f.VersionChanged && !f.Options.LastStateFallback {
			return waitOpen(
				plan.ReasonJobNotRunning,
				fmt.Sprintf(
					"a savepoint needs a running job and the job is %s; the fall-back to last-state is switched off", f.State,
				),
			), true
		}
	}
	if f.VersionChanged {
		return otherVersion(f, running)
	}
	if running {
		return byAge(f), false
	}
	if f.cancelAllowed() {
		return byCancel(f, "LastCheckpoint")
	}
	return waitOpen(
		plan.ReasonJobNotRunning, fmt.Sprintf("the job is %s; the change is made when it runs", f.State),
	), true
}

// otherVersion is rows 9 to 11: high-availability data of one Flink version is no start for another.
func otherVersion(f Facts, running bool) (Decision, bool) {
	switch {
	case running && f.Options.SavepointDir:
		return goFor(SuspendSavepoint, v1beta1.UpgradeModeSavepoint, "FlinkVersionChanged"), false
	case f.cancellable():
		return byCancel(f, "FlinkVersionChanged")
	}
	return waitOpen(
		plan.ReasonFlinkVersionChanged,
		fmt.Sprintf("a change of the Flink version needs a job that can be stopped, and the job is %s", f.State),
	), true
}

// byAge is row 12: how a running job is stopped for last-state, D unless its newest checkpoint is too old. First match
// wins:
//
//	 #  maximum age  the job's                                 suspend     restore
//	B1  unset        -                                         see D
//	B2  set          checkpoints are unknown                   wait
//	B3  set          start is younger                          see D
//	B4  set          newest completed checkpoint is younger    see D
//	B5  set          newest checkpoint is pending and younger  wait, open
//	B6  set          otherwise                                 savepoint   savepoint
//
// D is:
//
//	 #  cancel       suspend       restore
//	D1  allowed      see byCancel
//	D2  not allowed  last-state    last-state
func byAge(f Facts) Decision {
	usual := goFor(SuspendLastState, v1beta1.UpgradeModeLastState, "LastState")
	if f.cancelAllowed() {
		usual, _ = byCancel(f, "LastCheckpoint")
	}
	if f.Options.MaxCheckpointAge == 0 {
		return usual
	}
	c, known := f.Checkpoints.Get()
	if !known {
		return wait(plan.ReasonCheckpointsUnknown, "the job's checkpoints cannot be read: "+f.Checkpoints.Why())
	}
	oldest := f.Now.Add(-f.Options.MaxCheckpointAge)
	switch {
	case c.JobStart.After(oldest), c.Completed.After(oldest):
		return usual
	case c.Pending.After(oldest):
		return waitOpen(plan.ReasonCheckpointPending, "the newest checkpoint is too old and another is being written")
	}
	return goFor(SuspendSavepoint, v1beta1.UpgradeModeSavepoint, "CheckpointTooOld")
}

// byCancel stops a job by cancellation if what it would start from outlives that. First match wins:
//
//	 #  its newest checkpoint          job          else                                   suspend     restore
//	C0  any                            not RUNNING  it may wait for resources              wait, open
//	C1  nobody will tell               not RUNNING  it waits for resources: Forgets        wait, open
//	C2  outlives it, or it makes none  any                                                 cancel      savepoint
//	C3  unknown                        any                                                 wait, open
//	C4  is a savepoint, or none        not RUNNING  it makes no checkpoints by itself      cancel      savepoint
//	C5  goes with it                   not RUNNING                                         wait, open
//	C6  otherwise                      RUNNING      an application's HA, the same version  last-state  last-state
//	C7  otherwise                      RUNNING      savepoint directory set                savepoint   savepoint
//	C8  otherwise                      RUNNING                                             refuse
//
// A job that makes no checkpoints by itself has nothing newer to start from than what a savepoint has, and that it can
// be asked for while it runs.
func byCancel(f Facts, reason plan.Reason) (d Decision, unavailable bool) {
	r, known := f.Retention.Get()
	running := f.State == v1beta1.FlinkJobRunning
	data := f.Application && f.HighAvailability.IsPresent() && !f.VersionChanged
	switch {
	case f.GraphUnread != "" && !running:
		return waitOpen(
			plan.ReasonCheckpointsUnknown, "whether the job waits for resources cannot be read: "+f.GraphUnread,
		), true
	case f.Forgets && !running:
		return waitOpen(plan.ReasonCheckpointsUnknown, messageForgets), true
	case f.Retention.IsAbsent(), r.Cancelled && r.Periodic, known && !r.Periodic && !running:
		return goFor(SuspendCancel, v1beta1.UpgradeModeSavepoint, reason), false
	case !known:
		return waitOpen(plan.ReasonCheckpointRetentionUnknown,
			"whether the job's checkpoints are kept after its cancellation cannot be read: "+f.Retention.Why()), true
	case !running:
		return waitOpen(NotRetained,
			fmt.Sprintf("a cancellation would delete the job's checkpoints, a savepoint needs a running job, "+
				"and the job is %s; the change is made when it runs. If it cannot, say what to start from: "+
				"initialSavepointPath, with another savepointRedeployNonce", f.State)), true
	case data:
		return goFor(SuspendLastState, v1beta1.UpgradeModeLastState, "LastState"), false
	case f.Options.SavepointDir:
		return goFor(SuspendSavepoint, v1beta1.UpgradeModeSavepoint, NotRetained), false
	}
	return refuse(NotRetained, messageNotRetained), false
}

// NotRetained is the reason why a job is not cancelled for its last state.
const NotRetained = "CheckpointsNotRetained"

// application has another way for an application whose job cannot be asked. First match wins:
//
//	 #  what                                                         suspend     restore
//	A0  nobody answers yet, and a job that runs would be stopped     see Decide
//	    in another way than by last-state
//	Aa  the job is FAILING, the JobManager READY                     see Decide
//	A1  13 or 14 came to a wait; HA                                  last-state  last-state
//	A2  the JobManager never started, was not started from HA,       none        savepoint
//	    and is not MISSING
//	A3  the same is not known, for its node does not answer;         wait, open
//	    JobManager ERROR; no HA
//	A4  JobManager ERROR; its HA data is where only Flink can look   see Decide
//	A5  JobManager MISSING or ERROR, or the job has vanished; no HA  refuse
//	A6  otherwise                                                    see Decide
//
// "see Decide" stays with what Decide came to. Of a job that is FAILING, Flink is about to take the high-availability
// data away, and then says with which checkpoint it ended. A job that never started goes on with the state it was to
// start from.
func application(f Facts, d Decision) Decision {
	ha := f.HighAvailability.IsPresent()
	missing := f.JobManager == v1beta1.JobManagerMissing || f.JobManager == v1beta1.JobManagerError
	lastState := f.Wanted == v1beta1.UpgradeModeLastState || f.Options.LastStateFallback
	otherwise := f.Wanted == v1beta1.UpgradeModeSavepoint || f.Options.JobCancel || f.Options.MaxCheckpointAge > 0
	switch {
	case f.Unanswered && otherwise:
		return d
	case f.State == v1beta1.FlinkJobFailing && f.JobManager == v1beta1.JobManagerReady && !f.Unanswered:
		return d
	case ha && lastState && !f.VersionChanged && f.State != v1beta1.FlinkJobCancelling:
		return goFor(SuspendLastState, v1beta1.UpgradeModeLastState, "HighAvailabilityData")
	case f.NeverStarted && f.JobManager != v1beta1.JobManagerMissing && f.RecordedMode != v1beta1.UpgradeModeLastState:
		return goFor(SuspendNone, v1beta1.UpgradeModeSavepoint, "NeverStarted")
	case f.SilentNode != "" && f.JobManager == v1beta1.JobManagerError && !ha:
		return waitOpen(plan.ReasonNodeUnreachable,
			fmt.Sprintf("node %s does not answer, so it is not known whether the JobManager "+
				"ever ran there; the change is made when it does, or is gone", f.SilentNode))
	case f.OutOfSight && f.JobManager == v1beta1.JobManagerError:
		return d
	case missing && !ha:
		return refuse(plan.ReasonUpgradeFailed, messageMissing)
	case f.Vanished && !ha:
		return refuse(plan.ReasonUpgradeFailed, messageVanished)
	}
	return d
}

// Ended reports whether a job has ended and what it ended with is known for good: CANCELED, or FINISHED or FAILED when
// there is no high-availability data or the JobManager answers.
func Ended(state v1beta1.FlinkJobState, data bool, jm v1beta1.JobManagerDeploymentStatus) bool {
	switch state {
	case v1beta1.FlinkJobCanceled:
		return true
	case v1beta1.FlinkJobFinished, v1beta1.FlinkJobFailed:
		return !data || jm == v1beta1.JobManagerReady
	}
	return false
}

func (f Facts) ended() bool { return Ended(f.State, f.HighAvailability.IsPresent(), f.JobManager) }

// cancellable reports whether Flink can be asked to cancel the job.
func (f Facts) cancellable() bool {
	if f.State == "" || f.State == v1beta1.FlinkJobReconciling || f.State.IsTerminal() {
		return false
	}
	return !f.Application || f.JobManager == v1beta1.JobManagerReady
}

// cancelAllowed reports whether last-state may be had by cancelling: session jobs always do it, applications without
// high-availability data, and others if told to.
func (f Facts) cancelAllowed() bool {
	return f.cancellable() && (!f.Application || !f.HighAvailability.IsPresent() || f.Options.JobCancel)
}
