package flinkrest

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// oldest is the first version we support; testdata has what differs or matters most of it.
const oldest = "1.15"

func TestOldestVersionReads(t *testing.T) {
	c, r := play(t, oldest, "overview")
	overview, err := c.Overview(background)
	wantKind(t, err, nil)
	if overview.FlinkVersion != r.Flink || overview.SlotsTotal != 4 {
		t.Errorf("got %+v", overview)
	}
	c, _ = play(t, oldest, "job")
	details, err := c.Job(background, job(1))
	wantKind(t, err, nil)
	if details.State != Running || details.Type != "" || len(details.Vertices) != 2 || len(details.Plan.Nodes) != 2 {
		t.Errorf("got %+v", details)
	}
	if v := details.Vertices[0]; v.SlotSharingGroup != "" || !math.IsNaN(float64(v.Metrics.BusyTime)) {
		t.Errorf("neither existed: %+v", v)
	}
	c, _ = play(t, oldest, "job-exceptions")
	history, err := c.JobExceptions(background, job(3), 0)
	wantKind(t, err, nil)
	if len(history.Entries) != 2 || !strings.Contains(history.Entries[1].Endpoint, ":") ||
		history.Entries[1].TaskManagerID != "" {
		t.Errorf("the location is the endpoint: %+v", history.Entries)
	}
	c, _ = play(t, oldest, "checkpoints-finished")
	statistics, err := c.CheckpointStatistics(background, job(1))
	wantKind(t, err, nil)
	if s := statistics.Latest.Savepoint; s == nil || s.SavepointFormat != "" ||
		!strings.Contains(s.ExternalPath, "/stops/") {
		t.Errorf("got %+v", s)
	}
	c, _ = play(t, oldest, "stop-failed-after-savepoint")
	stop, err := c.SavepointStatus(background, job(4), trigger(11))
	wantKind(t, err, nil)
	if stop.State != OperationFailed || !strings.Contains(stop.Location, "/stops/savepoint-") {
		t.Errorf("got %+v", stop)
	}
	c, _ = play(t, oldest, "execution-result-failed")
	result, err := c.ExecutionResult(background, job(3))
	wantKind(t, err, nil)
	if !strings.HasSuffix(result.Failure.Summary(), "<- RuntimeException: the root of it") {
		t.Errorf("got %s", result.Failure.Summary())
	}
}

func TestOldestVersionRuns(t *testing.T) {
	c, r := play(t, oldest, "jar-run-from-savepoint")
	no := false
	var sent struct{ SavepointPath string }
	if err := json.Unmarshal(r.Sent, &sent); err != nil {
		t.Fatal(err)
	}
	got, err := c.JarRun(background, r.segment(3), RunRequest{
		Version: Version{1, 15}, JobID: job(5), Args: []string{"--checkpoint-ms", "500"}, SavepointPath: sent.SavepointPath,
		ClaimMode: NoClaim, AllowNonRestoredState: &no, Configuration: map[string]string{"left": "out"},
	})
	wantKind(t, err, nil)
	if got != job(5) {
		t.Errorf("got %q", got)
	}
}

func TestOldestVersionRefuses(t *testing.T) {
	rows := map[string]struct {
		call func(c *Client, r recording) error
		kind error
	}{
		"job-unknown-job": {
			func(c *Client, _ recording) error { _, err := c.Job(background, job(404)); return err }, ErrNotFound,
		},
		"cancel-finished": {func(c *Client, _ recording) error { return c.Cancel(background, job(1)) }, ErrTerminal},
		"checkpoint-trigger": {func(c *Client, _ recording) error {
			_, err := c.TriggerCheckpoint(background, job(1), CheckpointRequest{Type: CheckpointFull, TriggerID: trigger(4)})
			return err
		}, ErrNoEndpoint},
		"resource-requirements": {func(c *Client, _ recording) error {
			_, err := c.ResourceRequirements(background, job(20))
			return err
		}, ErrNoEndpoint},
		"jar-run-again-while-running": {func(c *Client, r recording) error {
			args := []string{"--checkpoint-ms", "1000", "--snapshot-ms", "700"}
			_, err := c.JarRun(background, r.segment(3), RunRequest{JobID: job(1), Parallelism: 2, Args: args})
			return err
		}, ErrDuplicateJob},
		"jar-run-unknown-jar": {func(c *Client, r recording) error {
			_, err := c.JarRun(background, r.segment(3), RunRequest{JobID: job(9)})
			return err
		}, ErrNotFound},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			c, r := play(t, oldest, name)
			wantKind(t, row.call(c, r), row.kind)
		})
	}
}
