package job

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func newJob(change func(*Options)) (*Job, *Storage) {
	o := Options{
		ID: strings.Repeat("ab", 16), Name: "demo", Parallelism: 2, Interval: time.Minute,
		CheckpointDir: "s3://c", SavepointDir: "s3://s", Retain: RetainedOnCancellation, Version: "1.20", Attempts: Endless,
	}
	if change != nil {
		change(&o)
	}
	s := NewStorage()
	return New(o, s, nil, noon), s
}

// run steps a job once a minute.
func run(j *Job, minutes int) time.Time {
	now := j.Modified()
	if !j.lastCycle.Before(now) {
		now = j.lastCycle
	}
	for range minutes {
		now = now.Add(time.Minute)
		j.Step(now, true)
	}
	return now
}

func TestStates(t *testing.T) {
	rows := map[string]struct {
		act  func(j *Job)
		want []State
		why  string
	}{
		"healthy":   {func(j *Job) {}, []State{Running, Running}, "CREATED, then RUNNING"},
		"fails":     {func(j *Job) { j.Script.FailAtStart = "no class" }, []State{Failed, Failed}, "by its script"},
		"cancelled": {func(j *Job) { j.Cancel(noon) }, []State{Canceled, Canceled}, "one step later"},
		"slow cancel": {
			func(j *Job) { j.Script.CancelSteps = 1; j.Cancel(noon) }, []State{Cancelling, Canceled}, "as scripted",
		},
		"finished": {func(j *Job) { j.Finish(noon) }, []State{Finished, Finished}, "the end is the end"},
		"suspended": {
			func(j *Job) { j.Suspend(noon) }, []State{Suspended, Suspended}, "it goes on elsewhere, not here",
		},
		"fails over": {
			func(j *Job) { j.Step(noon, true); j.Restart("X", "boom", noon) }, []State{Running, Running},
			"RESTARTING, then RUNNING",
		},
		"failed stays": {
			func(j *Job) { j.Fail("X", "boom", noon); j.Fail("Y", "again", noon); j.Cancel(noon) }, []State{Failed, Failed},
			"nothing follows an end",
		},
		"cancel twice": {
			func(j *Job) { j.Cancel(noon); j.Cancel(noon) }, []State{Canceled, Canceled}, "the second changes nothing",
		},
		"finish, again": {
			func(j *Job) { j.Cancel(noon); j.Step(noon, true); j.Finish(noon) }, []State{Canceled, Canceled},
			"nothing follows an end",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			j, _ := newJob(nil)
			row.act(j)
			var got []State
			for i := range row.want {
				j.Step(noon.Add(time.Duration(i+1)*time.Second), true)
				got = append(got, j.State)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("%s\n%s", row.why, diff)
			}
			if j.State.Ended() == j.End.IsZero() {
				t.Errorf("state %s with end %s", j.State, j.End)
			}
		})
	}
}

func TestCancelTellsWhetherItIsTooLate(t *testing.T) {
	j, _ := newJob(nil)
	j.Finish(noon)
	if j.Cancel(noon) {
		t.Error("a finished job was cancelled")
	}
}

func TestItWaitsForSlots(t *testing.T) {
	j, _ := newJob(nil)
	j.Step(noon, false)
	if j.State != Created {
		t.Errorf("state %s without slots, want CREATED", j.State)
	}
	run(j, 4)
	j.Step(noon.Add(time.Hour), false)
	if j.State != Restarting || j.Restarts != 1 || len(j.Failures) != 1 {
		t.Errorf(
			"state %s, %d restarts, failures %v; want RESTARTING after the TaskManager went", j.State, j.Restarts, j.Failures,
		)
	}
}

func TestCheckpoints(t *testing.T) {
	j, s := newJob(nil)
	run(j, 4)
	var ids []string
	for _, c := range j.Checkpoints {
		ids = append(ids, fmt.Sprintf("%d %s %v", c.ID, c.Path, c.Discarded))
	}
	dir := "s3://c/" + j.ID
	want := []string{"1 " + dir + "/chk-1 true", "2 " + dir + "/chk-2 true", "3 " + dir + "/chk-3 false"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("one each minute, one kept\n%s", diff)
	}
	if stored := s.Snapshots(); len(stored) != 1 || stored[0].Path != dir+"/chk-3" || stored[0].Progress != 3 {
		t.Errorf("stored %+v, want the newest with its progress", stored)
	}
	j.Script.NoCheckpoints = true
	run(j, 3)
	if len(j.Checkpoints) != 3 || j.Progress != 6 {
		t.Errorf("%d checkpoints at progress %d, want none more", len(j.Checkpoints), j.Progress)
	}
	j.Restart("X", "boom", noon.Add(time.Hour))
	if j.Progress != 3 || j.Restored.Path != dir+"/chk-3" || j.From != nil {
		t.Errorf("progress %d, restored %+v: a fail-over goes back to the newest checkpoint", j.Progress, j.Restored)
	}
}

func TestCheckpointsInMemoryAreNowhere(t *testing.T) {
	j, s := newJob(func(o *Options) { o.CheckpointDir = "" })
	run(j, 3)
	if c := j.Latest(false); c == nil || c.Path != NotAddressable || len(s.Snapshots()) != 0 {
		t.Errorf("latest %+v, stored %v; want a checkpoint that nobody can restore", c, s.Snapshots())
	}
}

func TestRetention(t *testing.T) {
	end := map[string]func(*Job){
		"FINISHED":  func(j *Job) { j.Finish(noon) },
		"CANCELED":  func(j *Job) { j.Cancel(noon); j.Step(noon, true) },
		"FAILED":    func(j *Job) { j.Fail("X", "boom", noon) },
		"SUSPENDED": func(j *Job) { j.Suspend(noon) },
	}
	rows := map[string]struct {
		kept []string
		why  string
	}{
		RetainedOnCancellation: {[]string{"CANCELED", "FAILED", "SUSPENDED"}, "a finished job needs none"},
		DeletedOnCancellation:  {[]string{"FAILED", "SUSPENDED"}, "a cancelled job needs none either"},
		NeverRetained:          {[]string{"SUSPENDED"}, "nothing is kept but what a fail-over needs"},
		"":                     {[]string{"SUSPENDED"}, "the default is to keep nothing"},
	}
	for retain, row := range rows {
		t.Run(retain, func(t *testing.T) {
			var kept []string
			for _, state := range []string{"CANCELED", "FAILED", "FINISHED", "SUSPENDED"} {
				j, s := newJob(func(o *Options) { o.Retain = retain })
				run(j, 3)
				end[state](j)
				if len(s.Snapshots()) == 1 {
					kept = append(kept, state)
				}
			}
			if diff := cmp.Diff(row.kept, kept); diff != "" {
				t.Errorf("%s\n%s", row.why, diff)
			}
		})
	}
}

func TestOperations(t *testing.T) {
	rows := map[string]struct {
		script Script
		before func(*Job)
		kind   Kind
		target string
		steps  int
		status Status
		path   string
		fails  string
		state  State
		why    string
	}{
		"savepoint": {
			Script{}, nil, Savepoint, "", 1, Completed, "s3://s/savepoint-ababab-", "", Running, "the job goes on",
		},
		"savepoint, target": {
			Script{}, nil, Savepoint, "hdfs://x", 1, Completed, "hdfs://x/savepoint-ababab-", "", Running,
			"where the caller says",
		},
		"slow savepoint": {
			Script{SnapshotSteps: 2}, nil, Savepoint, "", 2, InProgress, "", "", Running, "it takes its steps",
		},
		"slow savepoint end": {
			Script{SnapshotSteps: 2}, nil, Savepoint, "", 3, Completed, "s3://s/savepoint-", "", Running, "and then is there",
		},
		"failed savepoint": {
			Script{SnapshotFails: "disk full"}, nil, Savepoint, "", 1, Completed, "", "disk full", Running,
			"the job does not care",
		},
		"not running": {
			Script{}, func(j *Job) { j.Restart("X", "boom", noon) }, Savepoint, "", 0, Completed, "",
			"not in state RUNNING but RESTARTING", Restarting, "accepted, and failed at once",
		},
		"ended": {
			Script{}, func(j *Job) { j.Finish(noon) }, Stop, "", 0, Completed, "", "FlinkJobNotFoundException", Finished,
			"its JobMaster is gone",
		},
		"stop": {
			Script{}, nil, Stop, "", 1, Completed, "s3://s/savepoint-", "", Finished, "the savepoint ends the job",
		},
		"stop fails": {
			Script{StopFails: true}, nil, Stop, "", 1, Completed, "s3://s/savepoint-",
			"A savepoint has been created at: s3://s/savepoint-", Failed, "the savepoint is good all the same",
		},
		"stop, no savepoint": {
			Script{SnapshotFails: "disk full"}, nil, Stop, "", 1, Completed, "", "disk full", Running,
			"without a savepoint it goes on",
		},
		"checkpoint": {Script{}, nil, OneCheckpoint, "", 1, Completed, "", "", Running, "a checkpoint out of turn"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			j, s := newJob(nil)
			run(j, 2)
			j.Script = row.script
			if row.before != nil {
				row.before(j)
			}
			now := noon.Add(time.Hour)
			if !j.Begin(Trigger{ID: "t1", Kind: row.kind, Target: row.target}, now) {
				t.Fatal("a new trigger was known already")
			}
			if j.Begin(Trigger{ID: "t1", Kind: row.kind}, now) {
				t.Error("the same trigger started a second operation")
			}
			for range row.steps {
				j.Step(now, true)
			}
			o, ok := j.Look(row.kind, "t1", now)
			if !ok || o.Status != row.status || !strings.HasPrefix(o.Path, row.path) || (row.path == "") != (o.Path == "") {
				t.Errorf("operation %+v %v, want %s with path %q: %s", o, ok, row.status, row.path, row.why)
			}
			if (o.Failure != nil) != (row.fails != "") || o.Failure != nil && !strings.Contains(o.Failure.Text(), row.fails) {
				t.Errorf("failure %+v, want %q: %s", o.Failure, row.fails, row.why)
			}
			if _, stored := s.Get(o.Path); o.Path != "" && !stored {
				t.Errorf("savepoint %s is not in the storage", o.Path)
			}
			if row.kind == OneCheckpoint && o.CheckpointID != j.Latest(false).ID {
				t.Errorf("checkpoint %d, latest %d", o.CheckpointID, j.Latest(false).ID)
			}
			if j.State != row.state {
				t.Errorf("state %s, want %s: %s", j.State, row.state, row.why)
			}
		})
	}
}

// history is the statistics as a text: number, kind and status of each snapshot.
func history(j *Job) string {
	var all []string
	for _, c := range j.History() {
		all = append(all, fmt.Sprintf("%d %t %s", c.ID, c.Savepoint, c.Status))
	}
	return strings.Join(all, ", ")
}

func TestSnapshotsAreNumberedAsTheyBegin(t *testing.T) {
	j, _ := newJob(nil)
	now := run(j, 2)
	j.Script.SnapshotSteps = 2
	j.Begin(Trigger{ID: "t", Kind: Savepoint}, now)
	for _, want := range []string{
		"1 false COMPLETED, 2 true IN_PROGRESS", // the checkpoint that is due waits
		"1 false COMPLETED, 2 true IN_PROGRESS",
		"1 false COMPLETED, 2 true COMPLETED",
		"1 false COMPLETED, 2 true COMPLETED, 3 false COMPLETED",
	} {
		now = now.Add(time.Minute)
		if j.Step(now, true); history(j) != want {
			t.Errorf("%s, want %s", history(j), want)
		}
	}
}

func TestAStopSuspendsOtherSnapshots(t *testing.T) {
	j, _ := newJob(nil)
	now := run(j, 1)
	j.Script.SnapshotSteps, j.Script.FinishSteps = 1, 1
	j.Begin(Trigger{ID: "a", Kind: Savepoint}, now)
	j.Begin(Trigger{ID: "b", Kind: Stop}, now)
	if o, _ := j.Look(Savepoint, "a", now); o.Failure == nil {
		t.Errorf("savepoint %+v beside a stop", o)
	}
	for _, want := range []string{
		"1 true FAILED, 2 true IN_PROGRESS", "1 true FAILED, 2 true COMPLETED", "1 true FAILED, 2 true COMPLETED",
	} {
		if j.Step(now, true); history(j) != want || history(j.Copy()) != want {
			t.Errorf("%s, its copy %s, want %s", history(j), history(j.Copy()), want)
		}
	}
	if j.Step(now, true); j.State != Finished {
		t.Errorf("state %s after the stop", j.State)
	}
}

// A job that ends while its stop waits for its tasks has the savepoint all the same, once.
func TestASavepointOfAStopIsOneEntry(t *testing.T) {
	j, _ := newJob(nil)
	now := run(j, 1)
	j.Script.FinishSteps = 5
	j.Begin(Trigger{ID: "t", Kind: Stop}, now)
	j.Step(now, true)
	j.Cancel(now)
	if o, _ := j.Look(Stop, "t", now); o.Failure == nil || history(j) != "1 true COMPLETED" {
		t.Errorf("%+v, history %s", o, history(j))
	}
}

func TestADiscardShowsInACopy(t *testing.T) {
	j, _ := newJob(nil)
	run(j, 2)
	then := j.Copy()
	run(j, 1)
	if len(then.Checkpoints) != 1 || then.Checkpoints[0].Discarded {
		t.Errorf("the copy is %+v", then.Checkpoints)
	}
	if then.Discards(j); len(then.Checkpoints) != 1 || !then.Checkpoints[0].Discarded {
		t.Errorf("%+v, want the checkpoint discarded", then.Checkpoints)
	}
}

func TestARestoreHasItsTime(t *testing.T) {
	j, s := newJob(nil)
	now := run(j, 2)
	if !j.RestoredAt.IsZero() {
		t.Errorf("restored at %s, and it began empty", j.RestoredAt)
	}
	if j.Restart("X", "boom", now.Add(time.Hour)); !j.RestoredAt.Equal(now.Add(time.Hour)) {
		t.Errorf("restored at %s", j.RestoredAt)
	}
	if again := New(j.Options, s, &Snapshot{CheckpointID: 7}, now); !again.RestoredAt.Equal(now) {
		t.Errorf("restored at %s", again.RestoredAt)
	}
}

func TestTriggersAreForgotten(t *testing.T) {
	j, _ := newJob(nil)
	now := run(j, 2)
	j.Begin(Trigger{ID: "t1", Kind: Savepoint}, now)
	if j.InFlight() != 1 {
		t.Errorf("%d in flight, want 1", j.InFlight())
	}
	j.Step(now, true)
	if _, ok := j.Look(Savepoint, "t1", now.Add(Remembered)); !ok {
		t.Error("forgotten within rest.async.store-duration")
	}
	if _, ok := j.Look(OneCheckpoint, "t1", now); ok {
		t.Error("checkpoints share the savepoints' IDs")
	}
	later := now.Add(Remembered + time.Second)
	if _, ok := j.Look(Savepoint, "t1", later); ok {
		t.Error("remembered for too long")
	}
	if !j.Begin(Trigger{ID: "t1", Kind: Savepoint}, later) {
		t.Error("a forgotten trigger must start again: that is the hazard")
	}
}

func TestALeavingJobFailsItsOperations(t *testing.T) {
	j, _ := newJob(nil)
	now := run(j, 2)
	j.Script.SnapshotSteps = 9
	j.Begin(Trigger{ID: "b", Kind: Savepoint}, now)
	j.Begin(Trigger{ID: "a", Kind: Stop}, now)
	j.Cancel(now)
	for _, id := range []string{"a", "b"} {
		if o, ok := j.Look(Savepoint, id, now); !ok || o.Failure == nil {
			t.Errorf("operation %s: %+v %v, want it failed", id, o, ok)
		}
	}
}

func TestCancelWithSavepoint(t *testing.T) {
	j, _ := newJob(nil)
	now := run(j, 2)
	j.Begin(Trigger{ID: "t", Kind: Savepoint, Cancel: true}, now)
	j.Step(now, true)
	if j.State != Cancelling || j.Latest(true) == nil {
		t.Errorf("state %s, savepoint %v; want the cancellation after the savepoint", j.State, j.Latest(true))
	}
}

func TestStartFromASnapshot(t *testing.T) {
	j, s := newJob(nil)
	from := Snapshot{Path: "s3://c/x/chk-7", JobID: j.ID, CheckpointID: 7, Progress: 40}
	s.Put(from)
	again := New(j.Options, s, &from, noon)
	run(again, 2)
	if again.Progress != 41 || again.Latest(false).ID != 8 || again.Restored.Path != from.Path {
		t.Errorf("progress %d, checkpoint %d: the same job goes on counting", again.Progress, again.Latest(false).ID)
	}
	other := New(Options{ID: strings.Repeat("0", 32), Interval: time.Minute, Name: "demo"}, s, &from, noon)
	run(other, 2)
	if other.Latest(false).ID != 8 {
		t.Errorf(
			"checkpoint %d: the number follows that of what was restored, whichever job made it", other.Latest(false).ID,
		)
	}
	if diff := cmp.Diff(j.Vertices(), other.Vertices()); diff != "" {
		t.Errorf("vertex IDs must survive an upgrade\n%s", diff)
	}
	s.RecordResult("s3://jrs", j.ID, Result{End: Finished})
	if result, ok := s.Result("s3://jrs", j.ID); !ok || result.End != Finished {
		t.Errorf("result %+v %v", result, ok)
	}
	if !s.Remove(from.Path+"/") || s.Remove(from.Path) {
		t.Error("removing twice is not the same as once")
	}
}
