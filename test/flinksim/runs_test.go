package flinksim

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// upload brings a jar to a session cluster and returns what runs it under an ID, for a job named mine.
func upload(t *testing.T, w *World) func(id string) error {
	t.Helper()
	c, ctx := client(t, w), t.Context()
	jar := must(c.JarUpload(ctx, "op.jar", strings.NewReader("jar")))(t)
	return func(id string) error {
		_, err := c.JarRun(context.WithoutCancel(ctx), jar, flinkrest.RunRequest{
			Version: flinkrest.Version{Major: 1, Minor: 20}, JobID: id,
			Configuration: map[string]string{"pipeline.name": "mine"},
		})
		return err
	}
}

// Recorded as jar-run-again-*, but for what an expired job and another process know: Dispatcher.submitJob,
// EmbeddedJobResultStore and FileSystemJobResultStore.
func TestWhoseIDIsRefused(t *testing.T) {
	const ha, keep = "high-availability.type", "job-result-store.delete-on-commit"
	store := map[string]string{ha: "kubernetes", "job-result-store.storage-path": "s3://ha/jrs/1"}
	deletes := map[string]string{ha: "kubernetes", "job-result-store.storage-path": "s3://ha/jrs/1", keep: "true"}
	kept := map[string]string{ha: "kubernetes", "job-result-store.storage-path": "s3://ha/jrs/1", keep: "false"}
	rows := map[string]struct {
		options        map[string]string
		ended, crashed bool // refused after the end, and by the next process
	}{
		"no high availability": {nil, true, false},
		"results are kept":     {kept, true, true},
		"results are deleted":  {deletes, false, false},
		"by default":           {store, false, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := NewWorld(t)
			deploy(t, w, session(row.options))
			w.Settle()
			run := upload(t, w)
			if err := run(jobA); err != nil {
				t.Fatal(err)
			}
			if err := run(jobA); !errors.Is(err, flinkrest.ErrDuplicateJob) {
				t.Errorf("while it runs: %v", err)
			}
			w.Settle()
			w.Flink.Do("flink", "demo", jobA, func(j *job.Job) { j.Finish(w.Clock.Now()) })
			w.Settle()
			w.Tick(2 * time.Hour)
			if jobs := must(client(t, w).Jobs(t.Context()))(t); len(jobs) != 0 {
				t.Errorf("jobs %+v, two hours after the end", jobs)
			}
			refused := func(what string, run func(string) error, want bool) {
				if err := run(jobA); errors.Is(err, flinkrest.ErrDuplicateJob) != want {
					t.Errorf("%s: %v, want it refused: %t", what, err, want)
				}
			}
			if row.ended {
				refused("after the end", run, true)
			}
			w.Nodes.Crash("flink", jobManagerPod(w), "oom")
			w.Settle()
			refused("by another process", upload(t, w), row.crashed)
		})
	}
}

func TestAMainThatIsSlow(t *testing.T) {
	w := NewWorld(t)
	deploy(t, w, session(nil))
	w.Settle()
	w.Flink.ScriptJob("mine", job.Script{MainSteps: 3})
	run := upload(t, w)
	for range 2 {
		if err := run(jobA); !errors.Is(err, flinkrest.ErrUnreachable) {
			t.Errorf("got %v, want no answer", err)
		}
	}
	if jobs := must(client(t, w).Jobs(t.Context()))(t); len(jobs) != 0 {
		t.Errorf("jobs %+v before main has submitted one", jobs)
	}
	for range 6 {
		w.Step()
	}
	if jobs := must(client(t, w).Jobs(t.Context()))(t); len(jobs) != 1 {
		t.Errorf("jobs %+v: two mains, and one ID", jobs)
	}
	noViolations(t, w)
}

func TestAMainThatFails(t *testing.T) {
	w := NewWorld(t)
	deploy(t, w, session(nil))
	w.Settle()
	w.Flink.ScriptJob("mine", job.Script{MainFails: "java.lang.IllegalStateException: main was told to fail"})
	run := upload(t, w)
	if err := run(jobA); !errors.Is(err, flinkrest.ErrRejected) || !strings.Contains(err.Error(), "told to fail") {
		t.Errorf("got %v", err)
	}
	w.Flink.ScriptJob("mine", job.Script{})
	if err := run(jobA); err != nil {
		t.Errorf("nothing was submitted under the ID: %v", err)
	}
}

func TestASessionClusterThatTakesNoJars(t *testing.T) {
	w := NewWorld(t)
	deploy(t, w, session(map[string]string{"web.submit.enable": "false"}))
	w.Settle()
	if _, err := client(t, w).Jars(t.Context()); !errors.Is(err, flinkrest.ErrNoEndpoint) {
		t.Errorf("got %v, want Flink's answer for a path that it does not have", err)
	}
}
