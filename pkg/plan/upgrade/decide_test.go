package upgrade

import (
	"fmt"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
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

func TestDecide(t *testing.T) {
	rows := map[string]struct {
		// row is the way through the drawings, see package drawing.
		row    string
		facts  Facts
		reason string
	}{
		"a savepoint is pending": {
			"0", job(stateless, running, no, func(f *Facts) { f.SavepointPending = true }), "it is waited for",
		},
		"stateless, runs": {
			"2", job(stateless, running, data), "its state is given up",
		},
		"stateless, no answer": {
			"2", job(stateless, reconciling, unknown, jobManager(missing)), "nothing is asked for",
		},
		"stateless, ended": {
			"1", job(stateless, finished, no), "there is nothing to stop",
		},
		"what the data says is unknown": {"2b", job(lastState, running, unknown), "nothing is done on a guess"},
		"ended": {
			"4", job(savepoint, finished, data, recorded("s")), "with what it ended with",
		},
		"failed, no data": {
			"4", job(lastState, failed, no, recorded("s"), jobManager(missing)), "the same",
		},
		"cancelled": {"4", job(lastState, canceled, data, recorded("s")), "the same"},
		"ended, its last state is not read": {
			"3", job(savepoint, finished, data, recorded(v1beta1.LastStatePlaceholder)), "a person must find it",
		},
		"ended, its last state is not read yet": {
			"3b", job(savepoint, finished, data, recorded("s"), func(f *Facts) { f.Unread = true }), "it is in a moment",
		},
		"vanished, no data": {
			"8/14/A5", job(savepoint, reconciling, no, vanished), "a person must say how it ended",
		},
		"vanished, data": {
			"8/14/A1", job(savepoint, reconciling, data, vanished), "the data has the newest",
		},
		"failed, its JobManager may try on": {
			"14/A1", job(lastState, failed, data, recorded("s"), jobManager(deploying)), "the data has the newest",
		},
		"lost, no data":   {"8/14/A5", job(savepoint, reconciling, no, jobManager(missing)), "its state is not known"},
		"broken, no data": {"14/A5", job(lastState, reconciling, no, jobManager(jmError)), "the same"},
		"broken, its data is out of sight": {
			"14/A4", job(lastState, reconciling, no, jobManager(jmError), outOfSight), "it may come back with it",
		},
		"lost, its data is out of sight": {
			"14/A5", job(lastState, reconciling, no, jobManager(missing), outOfSight), "nothing brings it back",
		},
		"being cancelled": {"5/A6", job(lastState, v1beta1.FlinkJobCancelling, no), "the end is waited for"},
		"savepoint, runs": {"6", job(savepoint, running, data), "as asked for"},
		"savepoint, another version": {
			"6", job(savepoint, running, data, otherVersionOf), "a savepoint outlives versions",
		},
		"savepoint, does not run": {
			"8/14/A1", job(savepoint, reconciling, data), "falls back",
		},
		"savepoint, no fallback": {"7/A6", job(savepoint, reconciling, data, noFallback), "told not to"},
		"savepoint, no fallback, lost": {
			"7/A6", job(savepoint, reconciling, data, noFallback, jobManager(missing)), "it is recovered first",
		},
		"last-state, another version": {
			"9", job(lastState, running, data, otherVersionOf), "the data is of one version",
		},
		"last-state, another version, no directory": {
			"10/C2", job(lastState, running, data, otherVersionOf, noDir), "its checkpoint is retained",
		},
		"last-state, another version, restarting": {
			"10/C2", job(lastState, v1beta1.FlinkJobRestarting, data, otherVersionOf), "the same",
		},
		"last-state, another version, not answering": {
			"11/A6", job(lastState, reconciling, data, otherVersionOf), "it is waited for",
		},
		"savepoint, another version, not answering": {
			"8/11/A6", job(savepoint, reconciling, data, otherVersionOf, noFallback), "whatever the fall-back",
		},
		"last-state, runs": {
			"12/B1/D2", job(lastState, running, data), "the data stays",
		},
		"last-state, runs, told to cancel": {
			"12/B1/D1/C2", job(lastState, running, data, cancels), "as told",
		},
		"last-state, runs, no HA": {
			"12/B1/D1/C2", job(lastState, running, no), "its retained checkpoint",
		},
		"last-state, restarting, no HA": {
			"13/C2", job(lastState, v1beta1.FlinkJobRestarting, no), "the same",
		},
		"last-state, restarting": {
			"14/A1", job(lastState, v1beta1.FlinkJobRestarting, data), "the data has the newest",
		},
		"savepoint, not answering for a moment": {
			"8/14/A0", job(savepoint, reconciling, data, unanswered), "A0: it may run, and a savepoint is asked for",
		},
		"last-state, not answering for a moment": {
			"14/A1", job(lastState, reconciling, data, unanswered), "A1: it is stopped that way if it runs, too",
		},
		"by cancellation, not answering for a moment": {
			"14/A0", job(lastState, reconciling, data, unanswered, cancels), "A0: it is cancelled if it runs",
		},
		"last-state, not answering, data": {
			"14/A1", job(lastState, reconciling, data, jobManager(notReady)), "A1",
		},
		"never started, was given a path": {
			"14/A2", job(lastState, reconciling, no, jobManager(deploying), never(savepoint)), "it can be given it again",
		},
		"never started, was started from data": {
			"14/A6", job(lastState, reconciling, no, jobManager(deploying), never(lastState)), "the data it needed is gone",
		},
		"never started, as far as its node tells": {
			"8/14/A3", job(savepoint, reconciling, no, jobManager(v1beta1.JobManagerError), silentNode),
			"it may never have started: its node tells when it is back",
		},
		"on a node that does not answer, with data": {
			"8/14/A1", job(savepoint, reconciling, data, jobManager(v1beta1.JobManagerError), silentNode),
			"the data has its state",
		},
		"never started, its Deployment is gone": {
			"14/A5", job(lastState, reconciling, no, jobManager(missing), never(savepoint)), "any doubt is a no",
		},
		"a session job that runs": {
			"12/B1/D1/C2", job(lastState, running, data, func(f *Facts) { f.Application = false }), "its cluster stays",
		},
		"a session job that is not listed": {
			"8/14", job(savepoint, reconciling, no, func(f *Facts) { f.Application = false }), "it is waited for",
		},
		"last-state, failing for good": {
			"14/Aa", job(lastState, v1beta1.FlinkJobFailing, data), "its data goes; what it ended with is read then",
		},
		"last-state, failing for good, nobody answers": {
			"14/A1", job(lastState, v1beta1.FlinkJobFailing, data, jobManager(notReady)), "its next JobManager has the data",
		},
		"savepoint, being cancelled, never started": {
			"5/A6", job(savepoint, v1beta1.FlinkJobCancelling, no), "the end is waited for",
		},
	}
	var ways []string
	for name, row := range rows {
		ways = append(ways, row.row)
		t.Run(name, func(t *testing.T) { as(t, row.row, row.facts, row.reason) })
	}
	shown(t, ways, "Decide", "application")
}

func vanished(f *Facts) { f.Vanished = true }

func outOfSight(f *Facts) { f.OutOfSight = true }

// shown fails the test when the drawings of functions and the rows that cases show differ.
func shown(t *testing.T, ways []string, functions ...string) {
	t.Helper()
	for _, function := range functions {
		if err := drawn(t).Shown(function, ways...); err != nil {
			t.Error(err)
		}
	}
}

func drawn(t *testing.T) drawing.Drawing {
	t.Helper()
	return drawing.Read(t, "decide.go", "Decide", "application", "byAge", "byCancel")
}

// as fails the test when the decision is not as the last row of the way draws it.
func as(t *testing.T, way string, facts Facts, reason string) {
	t.Helper()
	d := Decide(facts)
	if d.Verdict != plan.Go && (d.Reason == "" || d.Message == "") {
		t.Errorf("%+v says nothing", d)
	}
	if err := drawn(t).Holds(way, inWords(d)); err != nil {
		t.Errorf("%v: %s", err, reason)
	}
}

// inWords is a decision in the words of the drawings.
func inWords(d Decision) drawing.Row {
	words := map[Suspend]string{
		SuspendNone: "none", SuspendStateless: "stateless", SuspendSavepoint: "savepoint", SuspendCancel: "cancel",
		SuspendLastState: "last-state",
	}
	suspend := words[d.Suspend]
	switch {
	case d.Verdict == plan.Wait && d.OthersAllowed:
		suspend = "wait, open"
	case d.Verdict == plan.Wait:
		suspend = "wait"
	case d.Verdict == plan.Refuse && d.OthersAllowed:
		suspend = "refuse"
	}
	return drawing.Row{"suspend": suspend, "restore": string(d.Restore)}
}

func TestDecideWithoutHighAvailability(t *testing.T) {
	for _, mode := range []v1beta1.UpgradeMode{savepoint, lastState} {
		for _, fallback := range []bool{true, false} {
			for _, jm := range []v1beta1.JobManagerDeploymentStatus{ready, notReady, deploying, missing, jmError} {
				t.Run(fmt.Sprintf("%s, fall-back %t, %s", mode, fallback, jm), func(t *testing.T) {
					way := "14/A6"
					switch {
					case jm == missing || jm == jmError:
						way = "14/A5"
					case jm == ready:
						way = "13/C2"
					}
					switch {
					case mode == savepoint && fallback:
						way = "8/" + way
					case mode == savepoint && way == "14/A5":
						way = "7/A5"
					case mode == savepoint:
						way = "7/A6"
					}
					facts := job(mode, v1beta1.FlinkJobFailing, no, jobManager(jm))
					facts.Options.LastStateFallback = fallback
					as(t, way, facts, "a job that fails is cancelled where someone answers")
				})
			}
		}
	}
}

func TestDecideByTheAgeOfCheckpoints(t *testing.T) {
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	old, young := ago(61*time.Second), ago(30*time.Second)
	rows := map[string]struct {
		row    string
		age    time.Duration
		c      plan.Observed[Checkpoints]
		reason string
	}{
		"no age": {"B1", 0, plan.Unknown[Checkpoints]("nobody asked"), "nobody minds"},
		"unknown": {
			"B2", time.Minute, plan.Unknown[Checkpoints]("time-out"), "nothing is done on a guess",
		},
		"just started": {
			"B3", time.Minute, plan.Present(Checkpoints{JobStart: noon}), "it cannot have an old one",
		},
		"started a while ago": {
			"B6", time.Minute, plan.Present(Checkpoints{JobStart: old}), "it has none",
		},
		"one is being written": {
			"B5", time.Minute, plan.Present(Checkpoints{JobStart: old, Pending: young}), "it is waited for",
		},
		"one has been written for long": {
			"B6", time.Minute, plan.Present(Checkpoints{JobStart: old, Pending: old}), "it may never end",
		},
		"started lately": {
			"B3", time.Minute, plan.Present(Checkpoints{JobStart: young}), "as just started",
		},
		"completed lately": {
			"B4", time.Minute, plan.Present(Checkpoints{JobStart: old, Completed: young}), "it is young enough",
		},
		"completed long ago, pending too": {
			"B6", time.Minute, plan.Present(Checkpoints{JobStart: old, Completed: old, Pending: old}), "it is too old",
		},
		"completed long ago, pending": {
			"B5", time.Minute, plan.Present(Checkpoints{JobStart: old, Completed: old, Pending: young}), "it is waited for",
		},
	}
	usual := map[bool]string{false: "/D2", true: "/D1/C2"}
	var ways []string
	for name, row := range rows {
		for _, cancel := range []bool{false, true} {
			way := "12/" + row.row
			if row.row == "B1" || row.row == "B3" || row.row == "B4" {
				way += usual[cancel]
			}
			ways = append(ways, way)
			t.Run(fmt.Sprintf("%s, cancel %t", name, cancel), func(t *testing.T) {
				facts := job(lastState, running, data)
				facts.Options.MaxCheckpointAge, facts.Options.JobCancel, facts.Checkpoints = row.age, cancel, row.c
				as(t, way, facts, row.reason)
			})
		}
	}
	shown(t, ways, "byAge")
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
	session := func(f *Facts) { f.Application = false }
	forgets := func(f *Facts) { f.Forgets = true }
	unread := func(f *Facts) { f.GraphUnread = "time-out" }
	rows := map[string]struct {
		facts Facts
		// lost: the checkpoints go with the job; no: it makes none by itself; unread: unknown
		retain, lost, no, unread string
	}{
		"runs, no HA": {job(lastState, running, no), "12/B1/D1/C2", "12/B1/D1/C7", "12/B1/D1/C7", "12/B1/D1/C3"},
		"runs, no HA, no directory": {
			job(lastState, running, no, noDir), "12/B1/D1/C2", "12/B1/D1/C8", "12/B1/D1/C8", "12/B1/D1/C3",
		},
		"runs, HA, told to cancel": {
			job(lastState, running, data, cancels), "12/B1/D1/C2", "12/B1/D1/C6", "12/B1/D1/C6", "12/B1/D1/C3",
		},
		"runs, HA":               {job(lastState, running, data), "12/B1/D2", "12/B1/D2", "12/B1/D2", "12/B1/D2"},
		"runs, no HA, savepoint": {job(savepoint, running, no, noDir), "6", "6", "6", "6"},
		"runs, a session job": {
			job(lastState, running, data, session), "12/B1/D1/C2", "12/B1/D1/C7", "12/B1/D1/C7", "12/B1/D1/C3",
		},
		"runs, another version": {job(lastState, running, data, otherVersionOf), "9", "9", "9", "9"},
		"runs, another version, no directory": {
			job(lastState, running, data, otherVersionOf, noDir), "10/C2", "10/C8", "10/C8", "10/C3/A6",
		},
		"restarts, no HA": {job(lastState, restarting, no), "13/C2", "13/C5/A6", "13/C4", "13/C3/A6"},
		"restarts, no HA, savepoint": {
			job(savepoint, restarting, no), "8/13/C2", "8/13/C5/A6", "8/13/C4", "8/13/C3/A6",
		},
		"restarts, HA, told to cancel": {
			job(lastState, restarting, data, cancels), "13/C2", "13/C5/A1", "13/C4", "13/C3/A1",
		},
		"restarts, another version": {
			job(lastState, restarting, data, otherVersionOf), "10/C2", "10/C5/A6", "10/C4", "10/C3/A6",
		},
		"restarts, a session job":    {job(lastState, restarting, data, session), "13/C2", "13/C5", "13/C4", "13/C3"},
		"restarts, no HA, stateless": {job(stateless, restarting, no), "2", "2", "2", "2"},
		"restarts, no HA, savepoint, no others": {
			job(savepoint, restarting, no, noFallback), "7/A6", "7/A6", "7/A6", "7/A6",
		},
		"waits for resources, no HA": {
			job(lastState, restarting, no, forgets), "13/C1/A6", "13/C1/A6", "13/C1/A6", "13/C1/A6",
		},
		"may wait for resources, no HA": {
			job(lastState, restarting, no, unread), "13/C0/A6", "13/C0/A6", "13/C0/A6", "13/C0/A6",
		},
	}
	var ways []string
	for name, row := range rows {
		for sort, retention := range sorts {
			way := map[string]string{
				"RETAIN_ON_CANCELLATION": row.retain, "DELETE_ON_CANCELLATION": row.lost,
				"NO_EXTERNALIZED_CHECKPOINTS": row.lost,
				"no checkpoints by itself":    row.no, "none, in batch mode": row.retain, "unknown": row.unread,
			}[sort]
			ways = append(ways, way)
			t.Run(name+", "+sort, func(t *testing.T) {
				facts := row.facts
				facts.Retention = retention
				as(t, way, facts, "what would be lost is kept")
			})
		}
	}
	shown(t, ways, "byCancel")
}
