package flinkrest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestJobsListsIDStateAndTimes(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "jobs")
		got, err := c.Jobs(background)
		wantKind(t, err, nil)
		if len(got) != 1 || got[0].ID != job(1) || got[0].State != Running || got[0].Name != "record job" {
			t.Fatalf("got %+v", got)
		}
		if got[0].StartTime.Time().IsZero() || !got[0].EndTime.Time().IsZero() ||
			got[0].LastModification < got[0].StartTime {
			t.Errorf("a running job has a start and no end: %+v", got[0])
		}
		if got[0].Tasks["total"] != 4 || got[0].Tasks["running"] != 4 {
			t.Errorf("tasks: %v", got[0].Tasks)
		}
	})
}

func TestNoJobsIsAnEmptyList(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, name := range []string{"jobs-empty", "application-jobs-before-submit"} {
			c, _ := play(t, version, name)
			got, err := c.Jobs(background)
			wantKind(t, err, nil)
			if len(got) != 0 || got == nil {
				t.Errorf("%s: got %#v", name, got)
			}
		}
	})
}

func TestJobsOfAllSorts(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "jobs-of-all-sorts")
		got, err := c.Jobs(background)
		wantKind(t, err, nil)
		states := map[string]JobState{}
		for _, j := range got {
			states[j.ID] = j.State
		}
		if states[job(1)] != Finished || states[job(2)] != Canceled || states[job(3)] != Failed {
			t.Errorf("job 1 was stopped, 2 cancelled, 3 failed: %v", states)
		}
	})
}

func TestJobShowsVerticesPlanAndTimestamps(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "job")
		got, err := c.Job(background, job(1))
		wantKind(t, err, nil)
		if got.State != Running || got.Type != "STREAMING" || got.MaxParallelism != -1 || got.Now < got.StartTime {
			t.Errorf("got %+v", got)
		}
		if got.Timestamps[Running] < got.Timestamps[Created] || got.Timestamps[Finished] != 0 || len(got.Timestamps) != 11 {
			t.Errorf("timestamps: %v", got.Timestamps)
		}
		if len(got.Vertices) != 2 || len(got.Plan.Nodes) != 2 {
			t.Fatalf("a source and the rest behind a shuffle: %+v %+v", got.Vertices, got.Plan)
		}
		for _, v := range got.Vertices {
			if v.Parallelism != 2 || v.Status != "RUNNING" || v.Tasks["RUNNING"] != 2 || v.SlotSharingGroup == "" ||
				v.MaxParallelism != 128 {
				t.Errorf("vertex %+v", v)
			}
			if v.Metrics.ReadRecords != v.Metrics.ReadRecords {
				t.Errorf("records are counted: %+v", v.Metrics)
			}
		}
		strategies := map[string]int{}
		for _, node := range got.Plan.Nodes {
			for _, input := range node.Inputs {
				strategies[input.ShipStrategy]++
			}
		}
		if diff := cmp.Diff(map[string]int{"HASH": 1}, strategies); diff != "" {
			t.Errorf("edges (-want +got):\n%s", diff)
		}
	})
}

func TestJobAfterItsEnd(t *testing.T) {
	rows := map[string]struct {
		file   string
		job    int
		state  JobState
		reason string
	}{
		"stopped with savepoint": {"job-finished", 1, Finished, "a stop ends in FINISHED"},
		"cancelled":              {"job-canceled", 2, Canceled, "a cancel ends in CANCELED"},
		"failed":                 {"job-failed", 3, Failed, "restarts are used up"},
		"never set up": {
			"job-savepoint-missing", 6, Failed, "a job whose savepoint is missing is kept as FAILED without vertices",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version string) {
				c, _ := play(t, version, row.file)
				got, err := c.Job(background, job(row.job))
				wantKind(t, err, nil)
				if got.State != row.state || !got.State.Ended() || got.EndTime.Time().IsZero() {
					t.Errorf("%s; got %s, end %v", row.reason, got.State, got.EndTime.Time())
				}
			})
		})
	}
}

func TestJobConfig(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "job-config")
		got, err := c.JobConfig(background, job(1))
		wantKind(t, err, nil)
		if got.Execution == nil || got.Execution.Parallelism != 2 || got.Execution.RestartStrategy == "" {
			t.Errorf("got %+v", got.Execution)
		}
	})
}

// TestUnknownJobIsNotFound: every path answers differently, the kind is the same.
func TestUnknownJobIsNotFound(t *testing.T) {
	at := job(404)
	rows := map[string]func(c *Client) error{
		"job":                   func(c *Client) error { _, err := c.Job(background, at); return err },
		"job-config":            func(c *Client) error { _, err := c.JobConfig(background, at); return err },
		"job-exceptions":        func(c *Client) error { _, err := c.JobExceptions(background, at, 0); return err },
		"execution-result":      func(c *Client) error { _, err := c.ExecutionResult(background, at); return err },
		"checkpoints":           func(c *Client) error { _, err := c.CheckpointStatistics(background, at); return err },
		"checkpoint-config":     func(c *Client) error { _, err := c.CheckpointConfig(background, at); return err },
		"checkpoint-details":    func(c *Client) error { _, err := c.CheckpointDetails(background, at, 1); return err },
		"resource-requirements": func(c *Client) error { _, err := c.ResourceRequirements(background, at); return err },
	}
	for name, call := range rows {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version string) {
				c, _ := play(t, version, name+"-unknown-job")
				err := call(c)
				wantKind(t, err, ErrNotFound)
				if Unknown(err) || !strings.Contains(err.Error(), at) {
					t.Errorf("Flink said so, about that job: %v", err)
				}
			})
		})
	}
	t.Run("application before its main has submitted", func(t *testing.T) {
		eachVersion(t, func(t *testing.T, version string) {
			c, _ := play(t, version, "application-job-before-submit")
			_, err := c.Job(background, job(20))
			wantKind(t, err, ErrNotFound)
		})
	})
}

func TestCancel(t *testing.T) {
	rows := map[string]struct {
		file   string
		job    int
		kind   error
		reason string
	}{
		"running":     {"cancel", 2, nil, "accepted"},
		"canceled":    {"cancel-canceled", 2, nil, "a second cancel finds what it wants"},
		"finished":    {"cancel-finished", 1, ErrTerminal, "there is an end already, another one"},
		"failed":      {"cancel-failed", 3, ErrTerminal, "there is an end already, another one"},
		"unknown":     {"cancel-unknown-job", 404, ErrNotFound, "Flink does not know it"},
		"application": {"application-cancel", 20, nil, "the job of an application too"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version string) {
				c, _ := play(t, version, row.file)
				t.Log(row.reason)
				wantKind(t, c.Cancel(background, job(row.job)), row.kind)
			})
		})
	}
}

func TestMalformedIDs(t *testing.T) {
	t.Run("Flink refuses one that is not hexadecimal", func(t *testing.T) {
		eachVersion(t, func(t *testing.T, version string) {
			c, _ := play(t, version, "job-bad-id")
			_, err := c.Job(background, "xyz")
			wantKind(t, err, ErrRejected)
		})
	})
	for _, bad := range []string{"", ".", ".."} {
		t.Run("nothing is sent for "+bad, func(t *testing.T) {
			c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
			_, err := c.Job(background, bad)
			wantKind(t, err, ErrRejected)
			wantKind(t, c.JarDelete(background, bad), ErrRejected)
		})
	}
	t.Run("a separator stays inside its segment", func(t *testing.T) {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.EscapedPath() != "/v1/jobs/a%2F..%2F..%2Fcluster" {
				t.Errorf("path %q", r.URL.EscapedPath())
			}
			w.WriteHeader(http.StatusAccepted)
		})
		wantKind(t, c.Cancel(background, "a/../../cluster"), nil)
	})
}

func TestJobStateIsClosed(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"jobs":[{"jid":"1","state":"DREAMING","start-time":1500}]}`))
	})
	got, err := c.Jobs(background)
	wantKind(t, err, nil)
	if got[0].State != JobStateUnknown || got[0].State.Ended() {
		t.Errorf("a state of a later Flink is unknown, got %q", got[0].State)
	}
	if want := time.UnixMilli(1500).UTC(); !got[0].StartTime.Time().Equal(want) {
		t.Errorf("start %v, want %v", got[0].StartTime.Time(), want)
	}
}
