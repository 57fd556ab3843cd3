package flinksim

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

// versions are those whose recordings hold the model.
var versions = []string{"1.20", "2.2"}

func facts(t *testing.T, version string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "pkg", "flinkrest", "testdata", version, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWhatIsLeftAfterAnEndIsReal holds the model to what real Flink left of the newest checkpoint, for each retention
// and each end.
func TestWhatIsLeftAfterAnEndIsReal(t *testing.T) {
	ends := map[string]func(j *job.Job, w *World){
		"CANCELED": func(j *job.Job, w *World) { j.Cancel(w.Clock.Now()) },
		"FAILED":   func(j *job.Job, w *World) { j.Fail("org.apache.flink.runtime.JobException", "boom", w.Clock.Now()) },
		"FINISHED": func(j *job.Job, w *World) { j.Finish(w.Clock.Now()) },
		"stop":     func(j *job.Job, w *World) { j.Begin(job.Trigger{ID: trigger, Kind: job.Stop}, w.Clock.Now()) },
	}
	for _, retention := range []string{job.RetainedOnCancellation, job.DeletedOnCancellation, job.NeverRetained} {
		for end, act := range ends {
			t.Run(retention+" "+end, func(t *testing.T) {
				w := running(
					t, application(map[string]string{"execution.checkpointing.externalized-checkpoint-retention": retention}),
				)
				w.Flink.Do("flink", "demo", jobA, func(j *job.Job) { act(j, w) })
				w.Settle()
				newest := w.Flink.Job("flink", "demo", jobA).Latest(false)
				_, there := w.Storage.Get(newest.Path)
				got := fmt.Sprintf("discarded %t, files there: %t", newest.Discarded, there)
				for _, version := range versions {
					if want := facts(t, version)["newest-checkpoint-after-"+end+"-"+retention]; got != want {
						t.Errorf("%s, Flink %s: %v", got, version, want)
					}
				}
			})
		}
	}
}

// TestRetentionTellsWhatItIs holds GET /jobs/:jobid/checkpoints/config to the recordings, for each retention and for
// one in the job's code.
func TestRetentionTellsWhatItIs(t *testing.T) {
	rows := map[string]struct{ configured, code, recording string }{
		"kept":                {job.RetainedOnCancellation, "", "checkpoint-config-retain_on_cancellation"},
		"deleted":             {job.DeletedOnCancellation, "", "checkpoint-config-delete_on_cancellation"},
		"never kept":          {job.NeverRetained, "", "checkpoint-config-no_externalized_checkpoints"},
		"by default":          {"", "", "checkpoint-config-no_externalized_checkpoints"},
		"the code wins":       {job.RetainedOnCancellation, job.DeletedOnCancellation, "checkpoint-config-in-code"},
		"the code, unset":     {"", job.DeletedOnCancellation, "checkpoint-config-in-code"},
		"the code keeps more": {job.NeverRetained, job.RetainedOnCancellation, "checkpoint-config-retain_on_cancellation"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := NewWorld(t)
			w.Flink.ScriptJob("demo", job.Script{Retain: row.code})
			deploy(
				t, w,
				application(map[string]string{"execution.checkpointing.externalized-checkpoint-retention": row.configured}),
			)
			w.Settle()
			_, answer := raw(t, w, "GET", "/jobs/"+jobA+"/checkpoints/config", "")
			want := recorded(t, row.recording).Answer
			compare(t, want, answer)
			got, flink := answer.(map[string]any)["externalization"], want.(map[string]any)["externalization"]
			if fmt.Sprint(got) != fmt.Sprint(flink) {
				t.Errorf("%v, Flink: %v", got, flink)
			}
		})
	}
}

// TestHighAvailabilityDataIsReal holds the model to what real Flink kept in its high-availability data, and told of
// jobs whose result was there when their JobManager began.
func TestHighAvailabilityDataIsReal(t *testing.T) {
	w := running(t, withHA(map[string]string{"restart-strategy.type": "none"}))
	kept := func() bool {
		data := w.Kube.Get(kubesim.ConfigMaps, "flink", "demo-"+jobA+"-config-map")
		return data != nil && strings.Contains(fmt.Sprint(data.Object["data"]), "checkpointID-")
	}
	holds := func(fact string, got any) {
		t.Helper()
		for _, version := range versions {
			if want := facts(t, version)[fact]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, Flink %s: %v", fact, got, version, want)
			}
		}
	}
	jobs := func(recording string) {
		t.Helper()
		_, answer := raw(t, w, "GET", "/jobs/overview", "")
		want := recorded(t, recording).Answer
		compare(t, want, answer)
		got, flink := answer.(map[string]any)["jobs"].([]any), want.(map[string]any)["jobs"].([]any)
		if len(got) != len(flink) || len(got) > 0 &&
			got[0].(map[string]any)["state"] != flink[0].(map[string]any)["state"] {
			t.Errorf("%s: %v, Flink: %v", recording, got, flink)
		}
	}
	crash := func(component string) {
		for _, pod := range w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": component}) {
			w.Nodes.Crash("flink", pod.GetName(), "oom")
		}
	}

	holds("ha-data-has-a-checkpoint-of-a-running-job", kept())
	crash("taskmanager")
	w.Settle()
	jobs("ha-jobs-after-its-taskmanager-left")
	holds("ha-data-has-a-checkpoint-of-a-job-that-failed-because-its-taskmanager-left", kept())
	crash("jobmanager")
	w.Settle()
	jobs("ha-jobs-after-a-start-over-a-result")
	w.Storage.RecordResult("s3://ha/jrs/1", jobA, job.Result{End: job.Failed, Dirty: true})
	crash("jobmanager")
	w.Settle()
	jobs("ha-jobs-after-a-start-over-a-dirty-result")
	for path, recording := range map[string]string{
		"": "ha-job-after-a-start-over-a-dirty-result", "/checkpoints": "ha-checkpoints-after-a-start-over-a-dirty-result",
	} {
		status, answer := raw(t, w, "GET", "/jobs/"+jobA+path, "")
		want := recorded(t, recording)
		if compare(t, want.Answer, answer); status != want.Status {
			t.Errorf("%s: status %d, Flink gave %d", recording, status, want.Status)
		}
	}
	if result, _ := w.Storage.Result("s3://ha/jrs/1", jobA); result.Dirty {
		t.Error("the result is still dirty")
	}
}

// TestAnswersFromACacheAreReal holds the model to what real Flink answered from a cache.
func TestAnswersFromACacheAreReal(t *testing.T) {
	w := NewWorld(t)
	w.Flink.Script("flink", "demo", process.Script{MainSteps: 8})
	deploy(t, w, application(nil))
	for w.Flink.Job("flink", "demo", jobA) == nil {
		if _, listens := w.Flink.Reach(Host("flink", "demo")); listens {
			raw(t, w, "GET", "/jobs/"+jobA+"/checkpoints", "")
		}
		w.Step()
	}
	early, _ := raw(t, w, "GET", "/jobs/"+jobA+"/checkpoints", "")
	ticks(w, 2)
	raw(t, w, "GET", "/jobs/"+jobA, "")
	w.Flink.Do("flink", "demo", jobA, func(j *job.Job) { j.Cancel(w.Clock.Now()) })
	w.Settle()
	_, details := raw(t, w, "GET", "/jobs/"+jobA, "")
	for fact, got := range map[string]any{
		"status-of-statistics-that-were-asked-for-before-the-job-came": early,
		"state-by-job-details-when-the-list-says-canceled":             details.(map[string]any)["state"],
	} {
		for _, version := range versions {
			if want := facts(t, version)[fact]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, Flink %s: %v", fact, got, version, want)
			}
		}
	}
}

// TestRestartStrategiesEndAsRealOnes counts the failures that a job takes before it is FAILED.
func TestRestartStrategiesEndAsRealOnes(t *testing.T) {
	for name, options := range map[string]map[string]string{
		"none":          {"restart-strategy.type": "none"},
		"fixed-delay-2": {"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.attempts": "2"},
	} {
		w := running(t, application(options))
		for range 9 {
			w.Flink.Do("flink", "demo", jobA, func(j *job.Job) {
				if !j.State.Ended() {
					j.Restart("java.lang.IllegalStateException", "again", w.Clock.Now())
				}
			})
			w.Settle()
		}
		j := mustState(t, w, jobA, job.Failed)
		for _, version := range versions {
			if want := facts(t, version)["failures-of-a-job-with-restart-strategy-"+
				name]; fmt.Sprint(len(j.Failures)) != fmt.Sprint(want) {
				t.Errorf("%s: %d failures, Flink %s: %v", name, len(j.Failures), version, want)
			}
		}
	}
}

// TestAnEndedJobManagerLeavesItsFiles ends the process without high availability, in order and by
// force.
func TestAnEndedJobManagerLeavesItsFiles(t *testing.T) {
	for _, retention := range []string{job.RetainedOnCancellation, job.DeletedOnCancellation, job.NeverRetained} {
		for _, signal := range []string{"SIGTERM", "SIGKILL"} {
			w := running(
				t, application(map[string]string{"execution.checkpointing.externalized-checkpoint-retention": retention}),
			)
			path := w.Flink.Job("flink", "demo", jobA).Latest(false).Path
			for _, pod := range w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": "jobmanager"}) {
				w.Flink.Stop(pod.GetUID(), signal == "SIGKILL")
			}
			_, there := w.Storage.Get(path)
			for _, version := range versions {
				if want := facts(t, version)["checkpoint-files-after-"+signal+"-of-the-jobmanager-"+retention]; there != want {
					t.Errorf("%s, %s: files there %t, Flink %s: %v", retention, signal, there, version, want)
				}
			}
		}
	}
}

// TestTheAdaptiveSchedulerForgets holds the model to what real Flink told of jobs that waited for
// resources, or ended while they did: nothing of a job that ran can be told from one that never did.
func TestTheAdaptiveSchedulerForgets(t *testing.T) {
	cancel := func(j *job.Job, w *World) { j.Cancel(w.Clock.Now()) }
	fail := func(j *job.Job, w *World) {
		j.Fail("org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException", "none", w.Clock.Now())
	}
	rows := map[string]struct {
		ran bool
		end func(j *job.Job, w *World)
	}{
		"canceled-running":                       {true, cancel},
		"waiting-after-it-ran":                   {true, nil},
		"canceled-waiting-after-it-ran":          {true, cancel},
		"waiting-before-it-ran":                  {false, nil},
		"canceled-waiting-before-it-ran":         {false, cancel},
		"canceled-waiting-without-checkpointing": {false, cancel},
		"failed-waiting-before-it-ran":           {false, fail},
		"failed-waiting-after-it-ran":            {true, fail},
		"running-again":                          {true, nil},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := NewWorld(t)
			away := func(away bool) { w.Nodes.Script("flink:1.20@taskmanager", controllers.Script{Unschedulable: away}) }
			away(!row.ran)
			deploy(t, w, application(map[string]string{"jobmanager.scheduler": "adaptive"}))
			w.Settle()
			ticks(w, 2)
			if row.ran && strings.Contains(name, "waiting") || name == "running-again" {
				away(true)
				for _, pod := range w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": "taskmanager"}) {
					if err := w.Kube.Delete(kubesim.Pods, "flink", pod.GetName(), kubesim.DeleteOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				w.Settle()
				ticks(w, 1)
			}
			if name == "running-again" {
				mustState(t, w, jobA, job.Created)
				away(false)
				ticks(w, 1)
			}
			if row.end != nil {
				w.Flink.Do("flink", "demo", jobA, func(j *job.Job) { row.end(j, w) })
			}
			w.Settle()
			ticks(w, 1)
			if newest := w.Flink.Job("flink", "demo", jobA).Latest(false); name == "canceled-waiting-after-it-ran" {
				_, there := w.Storage.Get(newest.Path)
				for _, version := range versions {
					const fact = "checkpoint-of-a-job-that-was-cancelled-while-it-waited-for-resources"
					if want := facts(t, version)[fact]; there != want {
						t.Errorf("files there: %t, Flink %s: %v", there, version, want)
					}
				}
			}
			for path, kind := range map[string]string{
				"": "job", "/checkpoints": "checkpoints", "/checkpoints/config": "checkpoint-config",
			} {
				_, answer := raw(t, w, "GET", "/jobs/"+jobA+path, "")
				for _, version := range versions {
					flink := recordedBy(t, version, "adaptive-"+kind+"-"+name).Answer
					if name != "running-again" { // metrics come and go
						compare(t, flink, answer)
					}
					if got, want := essence(answer), essence(flink); !maps.Equal(got, want) {
						t.Errorf("%s: %v, Flink %s: %v", kind, got, version, want)
					}
				}
			}
		})
	}
}

// essence is what a job's details and statistics tell of its graph and its end, in words that times do not change.
func essence(answer any) map[string]any {
	seen, all := map[string]any{}, answer.(map[string]any)
	for _, key := range []string{"state", "end-time"} {
		if seen[key] = all[key]; key == "end-time" && all[key] != nil && all[key].(float64) > 0 {
			seen[key] = "known"
		}
	}
	for _, state := range []string{"CREATED", "RUNNING", "CANCELED", "FAILED"} {
		if stamps, ok := all["timestamps"].(map[string]any); ok {
			seen[state] = stamps[state].(float64) > 0
		}
	}
	if vertices, ok := all["vertices"].([]any); ok {
		seen["vertices"], seen["vertex"] = len(vertices) > 0, vertices[0].(map[string]any)["status"]
	}
	if latest, ok := all["latest"].(map[string]any); ok {
		seen["completed"], seen["restored"] = latest["completed"] != nil, latest["restored"] != nil
	}
	return seen
}
