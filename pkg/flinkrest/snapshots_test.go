package flinkrest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const savepoints = "file:///flink-data/savepoints"

// TestTriggersAreAcceptedAgain replays three triggers under one ID: at once, while in progress, after completion.
func TestTriggersAreAcceptedAgain(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		request := SavepointRequest{TargetDirectory: savepoints, FormatType: FormatNative, TriggerID: trigger(1)}
		for _, name := range []string{
			"savepoint-trigger", "savepoint-trigger-again", "savepoint-trigger-after-completion",
		} {
			c, _ := play(t, version, name)
			got, err := c.TriggerSavepoint(background, job(1), request)
			wantKind(t, err, nil)
			if got != trigger(1) {
				t.Errorf("%s: trigger %q", name, got)
			}
		}
		stop := StopRequest{TargetDirectory: "file:///flink-data/stops", FormatType: FormatCanonical, TriggerID: trigger(8)}
		for _, name := range []string{"stop-trigger", "stop-trigger-again", "stop-trigger-after-the-end"} {
			c, _ := play(t, version, name)
			got, err := c.StopWithSavepoint(background, job(1), stop)
			wantKind(t, err, nil)
			if got != trigger(8) {
				t.Errorf("%s: trigger %q", name, got)
			}
		}
		for _, name := range []string{"checkpoint-trigger", "checkpoint-trigger-again"} {
			c, _ := play(t, version, name)
			got, err := c.TriggerCheckpoint(
				background, job(1), CheckpointRequest{Type: CheckpointFull, TriggerID: trigger(4)},
			)
			wantKind(t, err, nil)
			if got != trigger(4) {
				t.Errorf("%s: trigger %q", name, got)
			}
		}
	})
}

// TestOneIDMakesOneSavepoint pins what the recorder counted on disk after those triggers.
func TestOneIDMakesOneSavepoint(t *testing.T) {
	for _, version := range append([]string{oldest}, versions...) {
		facts := loadFacts(t, version)
		for _, name := range []string{
			"savepoints-made-by-three-triggers-of-one-id", "savepoints-made-by-three-stops-of-one-id",
		} {
			if facts[name] != 1.0 {
				t.Errorf("%s: %s = %v: doc.go says that TriggerID is idempotent", version, name, facts[name])
			}
		}
	}
}

func loadFacts(t *testing.T, version string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", version, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var facts map[string]any
	if err := json.Unmarshal(text, &facts); err != nil {
		t.Fatal(err)
	}
	return facts
}

func TestSavepointStatus(t *testing.T) {
	rows := map[string]struct {
		file     string
		job      int
		trigger  int
		state    OperationState
		location string // contained
		summary  string // contained
		reason   string
	}{
		"in progress": {"savepoint-in-progress", 1, 1, OperationInProgress, "", "", "the snapshot takes 0.7 s"},
		"completed": {
			"savepoint-completed", 1, 1, OperationCompleted, "/savepoints/savepoint-aa0000-", "", "with its place",
		},
		"failed": {
			"savepoint-failed", 1, 3, OperationFailed, "", "IO-problem detected", "the directory cannot be made",
		},
		"unknown trigger": {
			"savepoint-unknown-trigger", 1, 99, OperationNotKnown, "", "", "Flink forgot it or never knew",
		},
		"job unknown": {
			"savepoint-status-unknown-job", 404, 6, OperationFailed, "", "FlinkJobNotFoundException",
			"the trigger was accepted all the same",
		},
		"stop in progress": {"stop-in-progress", 1, 8, OperationInProgress, "", "", "the same path as savepoints"},
		"stop completed": {
			"stop-completed", 1, 8, OperationCompleted, "/stops/savepoint-aa0000-", "", "with its place",
		},
		"stop long completed": {
			"stop-completed-after-the-end", 1, 8, OperationCompleted, "/stops/savepoint-aa0000-", "",
			"a later trigger changes nothing",
		},
		"stop of an ended job": {
			"stop-failed-job-ended", 1, 10, OperationFailed, "", "FlinkJobNotFoundException",
			"the dispatcher runs it no more",
		},
		"stop of unknown job": {
			"stop-status-unknown-job", 404, 7, OperationFailed, "", "FlinkJobNotFoundException", "it never was",
		},
		"stop failed too late": {
			"stop-failed-after-savepoint", 4, 11, OperationFailed, "/stops/savepoint-aa0000-",
			"StopWithSavepointStoppingException", "the savepoint is good",
		},
		"stop failed too late, adaptive": {
			"stop-failed-after-savepoint-adaptive", 90, 41, OperationFailed, "/stops/savepoint-aa0000-",
			"StopWithSavepointStoppingException", "the cause of the failure names it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version string) {
				c, _ := play(t, version, row.file)
				got, err := c.SavepointStatus(background, job(row.job), trigger(row.trigger))
				wantKind(t, err, nil)
				if got.State != row.state || !strings.Contains(got.Location, row.location) ||
					(row.location == "") != (got.Location == "") {
					t.Errorf("%s; got %s at %q", row.reason, got.State, got.Location)
				}
				if (got.Failure != nil) != (row.state == OperationFailed) ||
					!strings.Contains(got.Failure.Summary(), row.summary) {
					t.Errorf("%s; got failure %q", row.reason, got.Failure.Summary())
				}
			})
		})
	}
}

func TestCheckpointTriggerStatus(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		rows := map[string]struct {
			trigger int
			state   OperationState
		}{
			"checkpoint-in-progress":     {4, OperationInProgress},
			"checkpoint-completed":       {4, OperationCompleted},
			"checkpoint-unknown-trigger": {99, OperationNotKnown},
		}
		for name, row := range rows {
			c, _ := play(t, version, name)
			got, err := c.CheckpointStatus(background, job(1), trigger(row.trigger))
			wantKind(t, err, nil)
			if got.State != row.state || (got.CheckpointID > 0) != (row.state == OperationCompleted) {
				t.Errorf("%s: got %+v", name, got)
			}
		}
		c, _ := play(t, version, "checkpoint-incremental")
		_, err := c.TriggerCheckpoint(
			background, job(1), CheckpointRequest{Type: CheckpointIncremental, TriggerID: trigger(5)},
		)
		wantKind(t, err, ErrRejected)
	})
}

func TestFailedCheckpointTrigger(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(
			`{"status":{"id":"COMPLETED"},"operation":{"failureCause":{"class":"a.B","stack-trace":"a.B: no"}}}`,
		))
	})
	got, err := c.CheckpointStatus(background, job(1), trigger(1))
	wantKind(t, err, nil)
	if got.State != OperationFailed || got.Failure.Summary() != "B: no" {
		t.Errorf("checkpoints spell the key failureCause; got %+v", got)
	}
}

func TestDisposal(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, r := play(t, version, "disposal-trigger")
		var sent map[string]string
		if err := json.Unmarshal(r.Sent, &sent); err != nil {
			t.Fatal(err)
		}
		got, err := c.DisposeSavepoint(background, sent["savepoint-path"])
		wantKind(t, err, nil)

		c, r = play(t, version, "disposal-completed")
		if r.segment(3) != got {
			t.Fatalf("trigger %q, recorded %q", got, r.segment(3))
		}
		done, err := c.DisposalStatus(background, got)
		wantKind(t, err, nil)
		if done.State != OperationCompleted {
			t.Errorf("got %+v", done)
		}
		c, r = play(t, version, "disposal-again")
		again, err := c.DisposalStatus(background, r.segment(3))
		wantKind(t, err, nil)
		if again.State != OperationFailed || !strings.Contains(again.Failure.Summary(), "FileNotFoundException") {
			t.Errorf("what is gone cannot be disposed of again: %+v", again)
		}
		c, _ = play(t, version, "disposal-unknown-trigger")
		unknown, err := c.DisposalStatus(background, trigger(99))
		wantKind(t, err, nil)
		if unknown.State != OperationNotKnown {
			t.Errorf("got %+v", unknown)
		}
	})
}

func TestRejectedTriggers(t *testing.T) {
	rows := map[string]struct {
		request SavepointRequest
		says    string
		reason  string
	}{
		"savepoint-no-directory": {
			SavepointRequest{TriggerID: trigger(2)}, "savepoint-dir] is not set", "no default either",
		},
		"savepoint-bad-trigger-id": {
			SavepointRequest{TargetDirectory: savepoints, TriggerID: "xyz"}, `under radix 16`, "not hexadecimal",
		},
		"savepoint-bad-format": {
			SavepointRequest{TargetDirectory: savepoints, FormatType: "xyz"}, "SavepointFormatType", "no such format",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			for _, version := range versions {
				r := load(t, version, name)
				c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					w.WriteHeader(r.Status)
					_, _ = w.Write(r.Answer)
				})
				_, err := c.TriggerSavepoint(background, job(1), row.request)
				wantKind(t, err, ErrRejected)
				if !strings.Contains(err.Error(), row.says) {
					t.Errorf("%s: the message must say what is wrong: %v", row.reason, err)
				}
			}
		})
	}
}

// TestTriggersOfUnknownJobsAreAccepted: only the status tells, so an accepted trigger proves nothing about the job.
func TestTriggersOfUnknownJobsAreAccepted(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		r := load(t, version, "savepoint-trigger-unknown-job")
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(r.Status); _, _ = w.Write(r.Answer) })
		got, err := c.TriggerSavepoint(
			background, job(404), SavepointRequest{TargetDirectory: "file:///x", TriggerID: trigger(6)},
		)
		wantKind(t, err, nil)
		if got != trigger(6) {
			t.Errorf("trigger %q", got)
		}
	})
}

// TestSuccessWithoutAPlaceIsMalformed: it must not be recorded as a savepoint.
func TestSuccessWithoutAPlaceIsMalformed(t *testing.T) {
	for _, body := range []string{
		`{"status":{"id":"COMPLETED"}}`, `{"status":{"id":"COMPLETED"},"operation":null}`,
		`{"status":{"id":"COMPLETED"},"operation":{"location":""}}`,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		_, err := c.SavepointStatus(background, job(1), trigger(1))
		wantKind(t, err, ErrMalformed)
		_, err = c.CheckpointStatus(background, job(1), trigger(1))
		wantKind(t, err, ErrMalformed)
	}
}
