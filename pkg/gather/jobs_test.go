package gather

import (
	"encoding/json"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
)

// It counts for the snapshots of a job, too: Flink takes none before its tasks run.
func TestAJobRunsWhenItsTasksDo(t *testing.T) {
	rows := map[string]struct{ job, want string }{
		"two run, two have finished": {`{"state":"RUNNING","tasks":{"total":4,"running":2,"finished":2}}`, "RUNNING"},
		"two run, two are scheduled": {`{"state":"RUNNING","tasks":{"total":4,"running":2,"scheduled":2}}`, "CREATED"},
		"all have finished":          {`{"state":"FINISHED","tasks":{"total":4,"finished":4}}`, "FINISHED"},
		"all are cancelled":          {`{"state":"CANCELED","tasks":{"total":4,"canceled":4}}`, "CANCELED"},
		"it has no task yet":         {`{"state":"INITIALIZING","tasks":{"total":0}}`, "INITIALIZING"},
	}
	for name, row := range rows {
		var j flinkrest.JobSummary
		if err := json.Unmarshal([]byte(row.job), &j); err != nil {
			t.Fatal(err)
		}
		if got := jobOf(j).Shown(); string(got) != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}
