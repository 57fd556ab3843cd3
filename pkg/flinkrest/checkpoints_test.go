package flinkrest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestCheckpointStatistics(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "checkpoints")
		got, err := c.CheckpointStatistics(background, job(1))
		wantKind(t, err, nil)
		last := got.Latest.Completed
		if last == nil || last.ID < 1 || last.Status != CheckpointCompleted || last.IsSavepoint ||
			last.Type != "CHECKPOINT" {
			t.Fatalf("got %+v", last)
		}
		if !strings.HasSuffix(last.ExternalPath, fmt.Sprintf("%s/chk-%d", job(1), last.ID)) || last.StateSize <= 0 ||
			last.LatestAck < last.TriggerTime {
			t.Errorf("got %+v", last)
		}
		if got.Counts.Completed != last.ID || got.Latest.Restored != nil || got.Latest.Savepoint != nil ||
			len(got.History) == 0 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestCheckpointStatisticsAfterAStop(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "checkpoints-finished")
		got, err := c.CheckpointStatistics(background, job(1))
		wantKind(t, err, nil)
		savepoint := got.Latest.Savepoint
		if savepoint == nil || !savepoint.IsSavepoint || savepoint.Type != "SYNC_SAVEPOINT" ||
			savepoint.SavepointFormat != "CANONICAL" {
			t.Fatalf("the stop's savepoint is the latest: %+v", savepoint)
		}
		if savepoint.ID <= got.Latest.Completed.ID || !strings.Contains(savepoint.ExternalPath, "/stops/savepoint-") {
			t.Errorf("savepoint %+v after checkpoint %+v", savepoint, got.Latest.Completed)
		}
	})
}

func TestCheckpointStatisticsShowTheRestore(t *testing.T) {
	rows := map[string]struct {
		file      string
		job       int
		savepoint bool
		path      string
		reason    string
	}{
		"start from savepoint":    {"checkpoints-restored", 5, true, "/stops/savepoint-", "the run named a savepoint"},
		"restart from checkpoint": {"checkpoints-failed", 3, false, "/chk-", "the failed job restarted once"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version string) {
				c, _ := play(t, version, row.file)
				got, err := c.CheckpointStatistics(background, job(row.job))
				wantKind(t, err, nil)
				from := got.Latest.Restored
				if from == nil || from.IsSavepoint != row.savepoint || !strings.Contains(from.ExternalPath, row.path) ||
					from.ID < 1 {
					t.Fatalf("%s; got %+v", row.reason, from)
				}
				if from.RestoreTime.Time().IsZero() || got.Counts.Restored != 1 {
					t.Errorf("restored at %v, %d times", from.RestoreTime.Time(), got.Counts.Restored)
				}
			})
		})
	}
}

// TestJobsWithoutCheckpoints: a streaming job without an interval has empty statistics, a batch job has none, and a job
// that was never set up looks like the former.
func TestJobsWithoutCheckpoints(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for name, n := range map[string]int{"checkpoints-not-enabled": 2, "checkpoints-savepoint-missing": 6} {
			c, _ := play(t, version, name)
			got, err := c.CheckpointStatistics(background, job(n))
			wantKind(t, err, nil)
			if *got.Counts != (CheckpointCounts{}) || len(got.History) != 0 || got.Latest.Completed != nil {
				t.Errorf("%s: got %+v", name, got)
			}
		}
		c, _ := play(t, version, "checkpoint-config-not-enabled")
		config, err := c.CheckpointConfig(background, job(2))
		wantKind(t, err, nil)
		if config.Interval != math.MaxInt64 {
			t.Errorf("no interval is the largest number, got %d", config.Interval)
		}
		c, _ = play(t, version, "checkpoints-batch")
		_, err = c.CheckpointStatistics(background, job(8))
		wantKind(t, err, ErrNoCheckpointing)
		c, _ = play(t, version, "checkpoint-config-batch")
		_, err = c.CheckpointConfig(background, job(8))
		wantKind(t, err, ErrNoCheckpointing)
	})
}

func TestCheckpointConfig(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "checkpoint-config")
		got, err := c.CheckpointConfig(background, job(1))
		wantKind(t, err, nil)
		if got.Mode != "exactly_once" || got.Interval != 1000 || got.Timeout != 600_000 || got.MaxConcurrent != 1 {
			t.Errorf("got %+v", got)
		}
		if !got.Externalization.Enabled || got.Externalization.DeleteOnCancellation || got.StateBackend == "" ||
			got.Storage == "" {
			t.Errorf("got %+v", got)
		}
	})
}

func TestCheckpointDetails(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, r := play(t, version, "checkpoint-details")
		id, err := strconv.ParseInt(r.segment(6), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.CheckpointDetails(background, job(1), id)
		wantKind(t, err, nil)
		if got.ID != id || got.Status != CheckpointCompleted ||
			!strings.HasSuffix(got.ExternalPath, fmt.Sprintf("/chk-%d", id)) {
			t.Errorf("got %+v", got)
		}
		c, _ = play(t, version, "checkpoint-details-unknown")
		_, err = c.CheckpointDetails(background, job(1), 99999)
		wantKind(t, err, ErrNotFound)
	})
}

// TestTheLatestCheckpointMayBeGone: discarded is recorded as true of the newest completed checkpoint, of a running job
// and of one that was stopped, so nobody may restore from it unseen.
func TestTheLatestCheckpointMayBeGone(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "checkpoints-finished")
		got, err := c.CheckpointStatistics(background, job(1))
		wantKind(t, err, nil)
		if !got.Latest.Completed.Discarded || got.Latest.Savepoint.Discarded {
			t.Errorf("the stop's savepoint replaced the checkpoint: %+v %+v", got.Latest.Completed, got.Latest.Savepoint)
		}
	})
}
