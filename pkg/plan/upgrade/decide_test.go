package upgrade

import (
	"fmt"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const (
	stateless, savepoint, lastState = v1beta1.UpgradeModeStateless, v1beta1.UpgradeModeSavepoint,
		v1beta1.UpgradeModeLastState
	ready, missing, jmError    = v1beta1.JobManagerReady, v1beta1.JobManagerMissing, v1beta1.JobManagerError
	deploying, notReady        = v1beta1.JobManagerDeploying, v1beta1.JobManagerDeployedNotReady
	running, reconciling       = v1beta1.FlinkJobRunning, v1beta1.FlinkJobReconciling
	finished, failed, canceled = v1beta1.FlinkJobFinished, v1beta1.FlinkJobFailed, v1beta1.FlinkJobCanceled
)

var (
	data    = plan.Present(HAData{Checkpoint: true})
	no      = plan.Absent[HAData]()
	unknown = plan.Unknown[HAData]("time-out")

	retained = plan.Present(Retention{Cancelled: true, Failed: true, Periodic: true})
)

// job is an application whose spec wants a mode.
func job(
	wanted v1beta1.UpgradeMode, state v1beta1.FlinkJobState, ha plan.Observed[HAData], changes ...func(*Facts),
) Facts {
	f := Facts{
		Now: noon, Application: true, Wanted: wanted, State: state, JobManager: ready, HighAvailability: ha,
		Retention: retained,
		Options:   Options{LastStateFallback: true, SavepointDir: true},
	}
	for _, change := range changes {
		change(&f)
	}
	return f
}

func jobManager(status v1beta1.JobManagerDeploymentStatus) func(*Facts) {
	return func(f *Facts) { f.JobManager = status }
}
func noFallback(f *Facts)     { f.Options.LastStateFallback = false }
func cancels(f *Facts)        { f.Options.JobCancel = true }
func noDir(f *Facts)          { f.Options.SavepointDir = false }
func otherVersionOf(f *Facts) { f.VersionChanged = true }
func unanswered(f *Facts)     { f.JobManager, f.Unanswered = notReady, true }
func recorded(path string) func(*Facts) {
	return func(f *Facts) { f.Recorded = path }
}
func silentNode(f *Facts) { f.SilentNode = "node-1" }
func never(mode v1beta1.UpgradeMode) func(*Facts) {
	return func(f *Facts) { f.NeverStarted, f.RecordedMode = true, mode }
}

// R10
func TestDecide(t *testing.T) {
	waits := Decision{Verdict: plan.Wait}
	open := Decision{Verdict: plan.Wait, OthersAllowed: true}
	refuses := Decision{Verdict: plan.Refuse, OthersAllowed: true}
	stops := func(how Suspend, mode v1beta1.UpgradeMode) Decision {
		return Decision{Verdict: plan.Go, Suspend: how, Restore: mode}
	}
	rows := map[string]struct {
		facts  Facts
		want   Decision
		reason string
	}{
		"a savepoint is pending": {
			job(stateless, running, no, func(f *Facts) { f.SavepointPending = true }), waits, "it is waited for",
		},
		// T3.1
		"stateless, runs": {
			job(stateless, running, data), stops(SuspendStateless, stateless), "its state is given up",
		},
		"stateless, no answer": {
			job(stateless, reconciling, unknown, jobManager(missing)), stops(SuspendStateless, stateless),
			"nothing is asked for",
		},
		"stateless, ended": {
			job(stateless, finished, no), stops(SuspendNone, stateless), "there is nothing to stop",
		},
		"what the data says is unknown": {job(lastState, running, unknown), waits, "nothing is done on a guess"},
		// T3.5
		"ended": {
			job(savepoint, finished, data, recorded("s")), stops(SuspendNone, savepoint), "with what it ended with",
		},
		"failed, no data": {
			job(lastState, failed, no, recorded("s"), jobManager(missing)), stops(SuspendNone, savepoint), "the same",
		},
		"cancelled": {job(lastState, canceled, data, recorded("s")), stops(SuspendNone, savepoint), "the same"},
		// T3.5
		"ended, its last state is not read": {
			job(savepoint, finished, data, recorded(v1beta1.LastStatePlaceholder)), refuses, "a person must find it",
		},
		"ended, its last state is not read yet": {
			job(savepoint, finished, data, recorded("s"), func(f *Facts) { f.Unread = true }), open, "it is in a moment",
		},
		"vanished, no data": {
			job(savepoint, reconciling, no, vanished), refuses, "a person must say how it ended",
		},
		"vanished, data": {
			job(savepoint, reconciling, data, vanished), stops(SuspendLastState, lastState), "the data has the newest",
		},
		"failed, its JobManager may try on": {
			job(lastState, failed, data, recorded("s"), jobManager(deploying)), stops(SuspendLastState, lastState),
			"the data has the newest",
		},
		// T3.3, T3.41
		"lost, no data":   {job(savepoint, reconciling, no, jobManager(missing)), refuses, "its state is not known"},
		"broken, no data": {job(lastState, reconciling, no, jobManager(jmError)), refuses, "the same"},
		"being cancelled": {job(lastState, v1beta1.FlinkJobCancelling, no), waits, "the end is waited for"},
		// T3.2
		"savepoint, runs": {job(savepoint, running, data), stops(SuspendSavepoint, savepoint), "as asked for"},
		"savepoint, another version": {
			job(savepoint, running, data, otherVersionOf), stops(SuspendSavepoint, savepoint),
			"a savepoint outlives versions",
		},
		"savepoint, does not run": {
			job(savepoint, reconciling, data), stops(SuspendLastState, lastState), "falls back",
		},
		"savepoint, no fallback": {job(savepoint, reconciling, data, noFallback), open, "told not to"},
		"savepoint, no fallback, lost": {
			job(savepoint, reconciling, data, noFallback, jobManager(missing)), open, "it is recovered first",
		},
		// T3.9
		"last-state, another version": {
			job(lastState, running, data, otherVersionOf), stops(SuspendSavepoint, savepoint), "the data is of one version",
		},
		"last-state, another version, no directory": {
			job(lastState, running, data, otherVersionOf, noDir), stops(SuspendCancel, savepoint),
			"its checkpoint is retained",
		},
		"last-state, another version, restarting": {
			job(lastState, v1beta1.FlinkJobRestarting, data, otherVersionOf), stops(SuspendCancel, savepoint), "the same",
		},
		"last-state, another version, not answering": {
			job(lastState, reconciling, data, otherVersionOf), open, "it is waited for",
		},
		"savepoint, another version, not answering": {
			job(savepoint, reconciling, data, otherVersionOf, noFallback), open, "whatever the fall-back",
		},
		"last-state, runs": {
			job(lastState, running, data), stops(SuspendLastState, lastState), "the data stays",
		},
		"last-state, runs, told to cancel": {
			job(lastState, running, data, cancels), stops(SuspendCancel, savepoint), "as told",
		},
		"last-state, runs, no HA": {
			job(lastState, running, no), stops(SuspendCancel, savepoint), "its retained checkpoint",
		},
		"last-state, restarting, no HA": {
			job(lastState, v1beta1.FlinkJobRestarting, no), stops(SuspendCancel, savepoint), "the same",
		},
		"last-state, restarting": {
			job(lastState, v1beta1.FlinkJobRestarting, data), stops(SuspendLastState, lastState), "the data has the newest",
		},
		"savepoint, not answering for a moment": {
			job(savepoint, reconciling, data, unanswered), open, "A0: it may run, and a savepoint is asked for",
		},
		"last-state, not answering for a moment": {
			job(lastState, reconciling, data, unanswered), stops(SuspendLastState, lastState),
			"A1: it is stopped that way if it runs, too",
		},
		"by cancellation, not answering for a moment": {
			job(lastState, reconciling, data, unanswered, cancels), open, "A0: it is cancelled if it runs",
		},
		"last-state, not answering, data": {
			job(lastState, reconciling, data, jobManager(notReady)), stops(SuspendLastState, lastState), "A1",
		},
		"never started, was given a path": {
			job(lastState, reconciling, no, jobManager(deploying), never(savepoint)), stops(SuspendNone, savepoint),
			"it can be given it again",
		},
		"never started, was started from data": {
			job(lastState, reconciling, no, jobManager(deploying), never(lastState)), open, "the data it needed is gone",
		},
		"never started, as far as its node tells": {
			job(savepoint, reconciling, no, jobManager(v1beta1.JobManagerError), silentNode), open,
			"it may never have started: its node tells when it is back",
		},
		"on a node that does not answer, with data": {
			job(savepoint, reconciling, data, jobManager(v1beta1.JobManagerError), silentNode),
			stops(SuspendLastState, lastState), "the data has its state",
		},
		"never started, its Deployment is gone": {
			job(lastState, reconciling, no, jobManager(missing), never(savepoint)), refuses, "any doubt is a no",
		},
		"a session job that runs": {
			job(lastState, running, data, func(f *Facts) { f.Application = false }), stops(SuspendCancel, savepoint),
			"its cluster stays",
		},
		"a session job that is not listed": {
			job(savepoint, reconciling, no, func(f *Facts) { f.Application = false }), open, "it is waited for",
		},
		"savepoint, being cancelled, never started": {
			job(savepoint, v1beta1.FlinkJobCancelling, no), waits, "the end is waited for",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) { same(t, Decide(row.facts), row.want, row.reason) })
	}
}

func vanished(f *Facts) { f.Vanished = true }

// same compares all but the words.
func same(t *testing.T, got, want Decision, reason string) {
	t.Helper()
	if got.Verdict != plan.Go && (got.Reason == "" || got.Message == "") {
		t.Errorf("%+v says nothing", got)
	}
	got.Reason, got.Message = "", ""
	if got != want {
		t.Errorf("got %+v, want %+v: %s", got, want, reason)
	}
}

// T3.10
func TestDecideWithoutHighAvailability(t *testing.T) {
	for _, mode := range []v1beta1.UpgradeMode{savepoint, lastState} {
		for _, fallback := range []bool{true, false} {
			for _, jm := range []v1beta1.JobManagerDeploymentStatus{ready, notReady, deploying, missing, jmError} {
				t.Run(fmt.Sprintf("%s, fall-back %t, %s", mode, fallback, jm), func(t *testing.T) {
					want := Decision{Verdict: plan.Wait, OthersAllowed: true}
					switch {
					case jm == missing || jm == jmError:
						want = Decision{Verdict: plan.Refuse, OthersAllowed: true}
					case jm == ready && (mode == lastState || fallback):
						want = Decision{Verdict: plan.Go, Suspend: SuspendCancel, Restore: savepoint}
					}
					facts := job(mode, v1beta1.FlinkJobFailing, no, jobManager(jm))
					facts.Options.LastStateFallback = fallback
					same(t, Decide(facts), want, "a job that fails is cancelled where someone answers")
				})
			}
		}
	}
}

// T3.8
func TestDecideByTheAgeOfCheckpoints(t *testing.T) {
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	old, young := ago(61*time.Second), ago(30*time.Second)
	usual := "D"
	rows := map[string]struct {
		age    time.Duration
		c      plan.Observed[Checkpoints]
		want   string
		reason string
	}{
		"no age": {0, plan.Unknown[Checkpoints]("nobody asked"), usual, "nobody minds"},
		"unknown": {
			time.Minute, plan.Unknown[Checkpoints]("time-out"), "wait", "nothing is done on a guess",
		},
		"just started": {
			time.Minute, plan.Present(Checkpoints{JobStart: noon}), usual, "it cannot have an old one",
		},
		"started a while ago": {
			time.Minute, plan.Present(Checkpoints{JobStart: old}), "savepoint", "it has none",
		},
		"one is being written": {
			time.Minute, plan.Present(Checkpoints{JobStart: old, Pending: young}), "open", "it is waited for",
		},
		"one has been written for long": {
			time.Minute, plan.Present(Checkpoints{JobStart: old, Pending: old}), "savepoint", "it may never end",
		},
		"started lately": {
			time.Minute, plan.Present(Checkpoints{JobStart: young}), usual, "as just started",
		},
		"completed lately": {
			time.Minute, plan.Present(Checkpoints{JobStart: old, Completed: young}), usual, "it is young enough",
		},
		"completed long ago, pending too": {
			time.Minute, plan.Present(Checkpoints{JobStart: old, Completed: old, Pending: old}), "savepoint", "it is too old",
		},
		"completed long ago, pending": {
			time.Minute, plan.Present(Checkpoints{JobStart: old, Completed: old, Pending: young}), "open", "it is waited for",
		},
	}
	for name, row := range rows {
		for _, cancel := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, cancel %t", name, cancel), func(t *testing.T) {
				facts := job(lastState, running, data)
				facts.Options.MaxCheckpointAge, facts.Options.JobCancel, facts.Checkpoints = row.age, cancel, row.c
				d := Decision{Verdict: plan.Go, Suspend: SuspendLastState, Restore: lastState}
				if cancel {
					d.Suspend, d.Restore = SuspendCancel, savepoint
				}
				want := map[string]Decision{
					usual: d, "wait": {Verdict: plan.Wait}, "open": {Verdict: plan.Wait, OthersAllowed: true},
					"savepoint": {Verdict: plan.Go, Suspend: SuspendSavepoint, Restore: savepoint},
				}[row.want]
				same(t, Decide(facts), want, row.reason)
			})
		}
	}
}

// A job is not cancelled for its last state when that goes with it.
func TestDecideByWhatOutlivesACancellation(t *testing.T) {
	const restarting = v1beta1.FlinkJobRestarting
	sorts := map[string]plan.Observed[Retention]{
		"RETAIN_ON_CANCELLATION":      retained,
		"DELETE_ON_CANCELLATION":      plan.Present(Retention{Failed: true, Periodic: true}),
		"NO_EXTERNALIZED_CHECKPOINTS": plan.Present(Retention{Periodic: true}),
		"no checkpoints by itself":    plan.Present(Retention{Cancelled: true, Failed: true}),
		"none, in batch mode":         plan.Absent[Retention](),
		"unknown":                     plan.Unknown[Retention]("time-out"),
	}
	cancel, last := Decision{
		Verdict: plan.Go, Suspend: SuspendCancel, Restore: savepoint,
	}, Decision{Verdict: plan.Go, Suspend: SuspendLastState, Restore: lastState}
	stop := Decision{Verdict: plan.Go, Suspend: SuspendSavepoint, Restore: savepoint}
	open, refuses := Decision{
		Verdict: plan.Wait, OthersAllowed: true,
	}, Decision{Verdict: plan.Refuse, OthersAllowed: true}
	session := func(f *Facts) { f.Application = false }
	rows := map[string]struct {
		facts Facts
		// lost: the checkpoints go with the job; no: it makes none by itself; unread: unknown
		retain, lost, no, unread Decision
	}{
		"runs, no HA":               {job(lastState, running, no), cancel, stop, stop, open},
		"runs, no HA, no directory": {job(lastState, running, no, noDir), cancel, refuses, refuses, open},
		"runs, HA, told to cancel":  {job(lastState, running, data, cancels), cancel, last, last, open},
		"runs, HA":                  {job(lastState, running, data), last, last, last, last},
		"runs, no HA, savepoint":    {job(savepoint, running, no, noDir), stop, stop, stop, stop},
		"runs, a session job":       {job(lastState, running, data, session), cancel, stop, stop, open},
		"runs, another version":     {job(lastState, running, data, otherVersionOf), stop, stop, stop, stop},
		"runs, another version, no directory": {
			job(lastState, running, data, otherVersionOf, noDir), cancel, refuses, refuses, open,
		},
		"restarts, no HA":              {job(lastState, restarting, no), cancel, open, cancel, open},
		"restarts, no HA, savepoint":   {job(savepoint, restarting, no), cancel, open, cancel, open},
		"restarts, HA, told to cancel": {job(lastState, restarting, data, cancels), cancel, last, cancel, last},
		"restarts, another version": {
			job(lastState, restarting, data, otherVersionOf), cancel, open, cancel, open,
		},
		"restarts, a session job":               {job(lastState, restarting, data, session), cancel, open, cancel, open},
		"restarts, no HA, stateless":            {job(stateless, restarting, no), givenUp, givenUp, givenUp, givenUp},
		"restarts, no HA, savepoint, no others": {job(savepoint, restarting, no, noFallback), open, open, open, open},
	}
	for name, row := range rows {
		for sort, retention := range sorts {
			t.Run(name+", "+sort, func(t *testing.T) {
				facts := row.facts
				facts.Retention = retention
				want := map[string]Decision{
					"RETAIN_ON_CANCELLATION": row.retain, "DELETE_ON_CANCELLATION": row.lost,
					"NO_EXTERNALIZED_CHECKPOINTS": row.lost,
					"no checkpoints by itself":    row.no, "none, in batch mode": row.retain, "unknown": row.unread,
				}[sort]
				same(t, Decide(facts), want, "what would be lost is kept")
			})
		}
	}
}

var givenUp = Decision{Verdict: plan.Go, Suspend: SuspendStateless, Restore: stateless}
