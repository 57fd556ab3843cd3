package gather

import (
	"fmt"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

func TestTheNewestStateOfAJob(t *testing.T) {
	made := func(id int, path string) string {
		return fmt.Sprintf(
			`{"id":%d,"status":"COMPLETED","external_path":%q,"trigger_timestamp":1700000060000,"discarded":false}`, id, path,
		)
	}
	gone := func(id int, path string) string {
		return fmt.Sprintf(
			`{"id":%d,"status":"COMPLETED","external_path":%q,"trigger_timestamp":1700000060000,"discarded":true}`, id, path,
		)
	}
	restored := `{"id":6,"restore_timestamp":1700000050000,"is_savepoint":false,"external_path":"s3://r/chk-6"}`
	rows := map[string]struct {
		completed, savepoint, restored string
		path                           string
		absent, discarded              bool
		reason                         string
	}{
		"restored alone": {
			"null", "null", restored, "s3://r/chk-6", false, false, "it has not gone further",
		},
		"a checkpoint since": {
			made(7, "s3://c/chk-7"), "null", restored, "s3://c/chk-7", false, false, "the highest number",
		},
		"a savepoint since": {
			made(7, "s3://c/chk-7"), made(8, "s3://s/8"), restored, "s3://s/8", false, false, "the highest number",
		},
		"a checkpoint since a savepoint": {
			made(9, "s3://c/chk-9"), made(8, "s3://s/8"), restored, "s3://c/chk-9", false, false, "the highest number",
		},
		"one that Flink has thrown away": {
			gone(7, "s3://c/chk-7"), "null", restored, "s3://r/chk-6", false, true,
			"it cannot be restored from, and what it can is older",
		},
		"the one it restarted from is": {
			gone(6, "s3://r/chk-6"), "null", restored, "s3://r/chk-6", false, true,
			"it was its own, and went with it",
		},
		"all that it had is thrown away": {
			gone(7, "s3://c/chk-7"), "null", "null", "", false, true,
			"it had one: that is lost, which is not the same as none",
		},
		"a savepoint since a lost one": {
			gone(7, "s3://c/chk-7"), made(8, "s3://s/8"), "null", "s3://s/8", false, false, "nothing newer was lost",
		},
		"one that lies in a JobManager": {
			made(7, flinkrest.NotAddressable), "null", "null", "", false, false, "there is one, and nobody can start from it",
		},
		"a job that has not made any yet": {"null", "null", "null", "", true, false, "it has none"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			body := fmt.Sprintf(
				`{"counts":{"completed":7},"latest":{"completed":%s,"savepoint":%s,"restored":%s},"history":[]}`, row.completed,
				row.savepoint, row.restored,
			)
			got := (&Gatherer{}).checkpoints(statisticsOf(t, body))
			c, _ := got.Get()
			if got.IsUnknown() || got.IsAbsent() != row.absent || c.Path != row.path || c.Discarded != row.discarded {
				t.Errorf(
					"%q, discarded %t, absent %t, unknown %q; want %q: %s", c.Path, c.Discarded, got.IsAbsent(), got.Why(),
					row.path, row.reason,
				)
			}
		})
	}
	if got := (&Gatherer{}).checkpoints(statisticsOf(t, "")); !got.IsAbsent() {
		t.Errorf("a job without checkpointing: %q", got.Why())
	}
}

// statisticsOf asks a Flink that answers with this body; an empty one is that of a job without checkpointing.
func statisticsOf(t *testing.T, body string) statistics {
	client := flinkAnswers(t, "", body)
	return func() (flinkrest.CheckpointStatistics, error) {
		return client.CheckpointStatistics(t.Context(), "aa000000000000000000000000000001")
	}
}

// What becomes of a job's checkpoints is Flink's word, which knows what the job's code sets, too.
func TestWhichCheckpointsOutliveAJob(t *testing.T) {
	config := func(interval, kept string) string {
		return `{"mode":"exactly_once","timeout":3600000,"interval":` + interval + `,"externalization":` + kept + `}`
	}
	const never = "9223372036854775807"
	rows := map[string]struct {
		body   string
		want   upgrade.Retention
		absent bool
	}{
		"RETAIN_ON_CANCELLATION": {
			config("1000", `{"enabled":true,"delete_on_cancellation":false}`),
			upgrade.Retention{Cancelled: true, Failed: true, Periodic: true}, false,
		},
		"DELETE_ON_CANCELLATION": {
			config("1000", `{"enabled":true,"delete_on_cancellation":true}`),
			upgrade.Retention{Failed: true, Periodic: true},
			false,
		},
		"NO_EXTERNALIZED_CHECKPOINTS": {
			config("1000", `{"enabled":false,"delete_on_cancellation":true}`), upgrade.Retention{Periodic: true}, false,
		},
		"no interval": {
			config(never, `{"enabled":true,"delete_on_cancellation":false}`),
			upgrade.Retention{Cancelled: true, Failed: true}, false,
		},
		"batch mode": {"", upgrade.Retention{}, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			client := flinkAnswers(t, "", row.body)
			got, timeout := (&Gatherer{}).retention(t.Context(), client, "aa000000000000000000000000000001")
			if d, known := timeout.Get(); known == row.absent || known && d != time.Hour {
				t.Errorf("a checkpoint may take %s, known %t", d, known)
			}
			if r, known := got.Get(); r != row.want || known == row.absent || got.IsAbsent() != row.absent {
				t.Errorf("%+v, absent %t, unknown %q; want %+v", r, got.IsAbsent(), got.Why(), row.want)
			}
		})
	}
}

// The numbers of a run's checkpoints tell which was its first, also where Flink's history is cut off.
func TestTheFirstCheckpointOfARun(t *testing.T) {
	listed := func(running bool, ids ...int64) []flinkrest.Checkpoint {
		history := make([]flinkrest.Checkpoint, len(ids))
		for i, id := range ids {
			history[i] = flinkrest.Checkpoint{ID: id, Status: flinkrest.CheckpointCompleted}
		}
		if running {
			history[0].Status = flinkrest.CheckpointInProgress
		}
		return history
	}
	rows := map[string]struct {
		history         []flinkrest.Checkpoint
		total, progress int64
		failed          int64
		want, latest    int64
		reason          string
	}{
		"none":                             {nil, 0, 0, 0, 0, 0, "nothing was triggered"},
		"all are listed":                   {listed(false, 9, 8, 7), 3, 0, 0, 7, 7, "the oldest"},
		"the history is cut off":           {listed(false, 19, 18, 17), 13, 0, 0, 7, 7, "13 up to the newest"},
		"the newest runs":                  {listed(true, 9, 8, 7), 3, 1, 0, 7, 7, "it is listed, and counts"},
		"one that runs is not listed":      {listed(false, 9, 8), 3, 1, 0, 8, 8, "it is newer than what is listed"},
		"more were counted than there are": {listed(false, 2, 1), 5, 0, 0, 1, 1, "numbers begin with 1"},
		"some numbers were left out":       {listed(false, 9, 5), 2, 0, 0, 5, 5, "the oldest that is listed was its own"},
		"attempts failed before they began": {
			listed(false, 9, 8), 5, 0, 3, 5, 8, "Flink counts what it gave no number, as of tasks that do not run yet",
		},
		"the same, and the history is cut off": {listed(false, 19, 18, 17), 13, 0, 3, 7, 10, "3 may have had no number"},
	}
	for name, row := range rows {
		s := flinkrest.CheckpointStatistics{
			Counts:  &flinkrest.CheckpointCounts{Total: row.total, InProgress: row.progress, Failed: row.failed},
			History: row.history,
		}
		if got, latest := firstNumber(s); got != row.want || latest != row.latest {
			t.Errorf("%s: %d to %d, want %d to %d: %s", name, got, latest, row.want, row.latest, row.reason)
		}
	}
}
