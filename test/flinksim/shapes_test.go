package flinksim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// recording is one answer of a real Flink, as the tests of package flinkrest keep it.
type recording struct {
	Status int `json:"status"`
	Answer any `json:"answer"`
}

func recorded(t *testing.T, name string) recording {
	t.Helper()
	return recordedBy(t, "1.20", name)
}

func recordedBy(t *testing.T, version, name string) recording {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "pkg", "flinkrest", "testdata", version, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// shape lists the paths of a JSON value with the type at the end of each. Identifiers in keys are "*".
func shape(prefix string, value any, into map[string]map[string]bool) {
	note := func(kind string) {
		if into[prefix] == nil {
			into[prefix] = map[string]bool{}
		}
		into[prefix][kind] = true
	}
	switch v := value.(type) {
	case map[string]any:
		note("object")
		for key, inner := range v {
			if len(key) == 32 {
				key = "*"
			}
			shape(prefix+"."+key, inner, into)
		}
	case []any:
		note("list")
		for _, inner := range v {
			shape(prefix+"[]", inner, into)
		}
	case nil:
		note("null")
	default:
		note(fmt.Sprintf("%T", v))
	}
}

// TestShapesAreReal compares answers of the model with recorded answers of Flink 1.20: the same status, no key that
// Flink does not have, no other type at a key. Flink may have more.
func TestShapesAreReal(t *testing.T) {
	w := running(t, application(map[string]string{"jobmanager.scheduler": "adaptive"}))
	w.Flink.Do("flink", "demo", jobA, func(j *job.Job) {
		j.Begin(job.Trigger{ID: trigger, Kind: job.Savepoint}, w.Clock.Now())
		j.Begin(job.Trigger{ID: trigger, Kind: job.OneCheckpoint}, w.Clock.Now())
	})
	other := strings.Repeat("2", 32)
	w.Settle()
	w.Flink.SetMetric("jobmanager", "taskSlotsTotal", "2")
	w.Flink.SetMetric("taskmanagers", "Status.JVM.CPU.Load", "0.5")
	source := job.VertexID("demo", "source")
	w.Flink.SetMetric("vertex/"+source, "numRecordsIn", "5")

	rows := map[string]struct {
		request   string
		body      string
		recording string
	}{
		"overview":        {"GET /overview", "", "overview"},
		"config":          {"GET /config", "", "config"},
		"jobs":            {"GET /jobs/overview", "", "jobs"},
		"job":             {"GET /jobs/" + jobA, "", "job"},
		"job config":      {"GET /jobs/" + jobA + "/config", "", "job-config"},
		"no job":          {"GET /jobs/" + jobB, "", "job-unknown-job"},
		"bad job":         {"GET /jobs/xyz", "", "job-bad-id"},
		"no path":         {"GET /no-such-path", "", "no-such-path"},
		"no path to post": {"POST /no-such-path", "", "no-such-path-post"},
		"no jars":         {"GET /jars", "", "application-jars"},
		"no jar to run":   {"POST /jars/x.jar/run", "{}", "application-jar-run"},
		"exceptions":      {"GET /jobs/" + jobA + "/exceptions", "", "job-exceptions-none"},
		"result":          {"GET /jobs/" + jobA + "/execution-result", "", "execution-result-running"},
		"metrics": {
			"GET /jobs/" + jobA + "/metrics?get=numRestarts,noSuchMetric", "", "metrics-one-unknown",
		},
		"metrics of no job": {"GET /jobs/" + jobB + "/metrics?get=numRestarts", "", "metrics-unknown-job"},
		"vertex metrics": {
			"GET /jobs/" + jobA + "/vertices/" + source + "/subtasks/metrics?get=numRecordsIn", "", "vertex-metrics",
		},
		"vertex metric names": {
			"GET /jobs/" + jobA + "/vertices/" + source + "/subtasks/metrics", "", "vertex-metric-names",
		},
		"TaskManager metrics":   {"GET /taskmanagers/metrics?get=Status.JVM.CPU.Load", "", "taskmanager-metrics"},
		"JobManager metrics":    {"GET /jobmanager/metrics?get=taskSlotsTotal", "", "jobmanager-metrics"},
		"JobManager config":     {"GET /jobmanager/config", "", "jobmanager-config"},
		"TaskManagers":          {"GET /taskmanagers", "", "taskmanagers"},
		"checkpoints":           {"GET /jobs/" + jobA + "/checkpoints", "", "checkpoints"},
		"checkpoints of no job": {"GET /jobs/" + jobB + "/checkpoints", "", "checkpoints-unknown-job"},
		"checkpoint config":     {"GET /jobs/" + jobA + "/checkpoints/config", "", "checkpoint-config"},
		"checkpoint details":    {"GET /jobs/" + jobA + "/checkpoints/details/1", "", "checkpoint-details"},
		"no checkpoint":         {"GET /jobs/" + jobA + "/checkpoints/details/99999", "", "checkpoint-details-unknown"},
		"savepoint":             {"GET /jobs/" + jobA + "/savepoints/" + trigger, "", "savepoint-completed"},
		"no savepoint":          {"GET /jobs/" + jobA + "/savepoints/" + other, "", "savepoint-unknown-trigger"},
		"checkpoint":            {"GET /jobs/" + jobA + "/checkpoints/" + trigger, "", "checkpoint-completed"},
		"no checkpoint trigger": {"GET /jobs/" + jobA + "/checkpoints/" + other, "", "checkpoint-unknown-trigger"},
		"savepoint again": {
			"POST /jobs/" + jobA + "/savepoints", `{"triggerId":"` + trigger + `"}`, "savepoint-trigger-again",
		},
		"bad trigger": {"POST /jobs/" + jobA + "/savepoints", `{"triggerId":"xy"}`, "savepoint-bad-trigger-id"},
		"stop of no job": {
			"POST /jobs/" + jobB + "/stop", `{"targetDirectory":"s3://x","triggerId":"` + other + `"}`, "stop-unknown-job",
		},
		"cancel of no job":       {"PATCH /jobs/" + jobB + "?mode=cancel", "", "cancel-unknown-job"},
		"disposal":               {"POST /savepoint-disposal", `{"savepoint-path":"s3://gone"}`, "disposal-trigger"},
		"no disposal":            {"GET /savepoint-disposal/" + other, "", "disposal-unknown-trigger"},
		"requirements":           {"GET /jobs/" + jobA + "/resource-requirements", "", "resource-requirements"},
		"requirements of no job": {"GET /jobs/" + jobB + "/resource-requirements", "", "resource-requirements-unknown-job"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			method, path, _ := strings.Cut(row.request, " ")
			status, answer := raw(t, w, method, path, row.body)
			want := recorded(t, row.recording)
			if status != want.Status {
				t.Errorf("status %d, Flink gave %d", status, want.Status)
			}
			compare(t, want.Answer, answer)
		})
	}
}

// TestShapesOfAnEndedJob does the same for jobs that have ended.
func TestShapesOfAnEndedJob(t *testing.T) {
	end := map[string]func(j *job.Job, w *World){
		"finished": func(j *job.Job, w *World) { j.Finish(w.Clock.Now()) },
		"failed":   func(j *job.Job, w *World) { j.Fail("org.apache.flink.runtime.JobException", "boom", w.Clock.Now()) },
		"canceled": func(j *job.Job, w *World) { j.Cancel(w.Clock.Now()) },
	}
	for name, act := range end {
		t.Run(name, func(t *testing.T) {
			w := running(t, application(nil))
			w.Flink.Do("flink", "demo", jobA, func(j *job.Job) { act(j, w) })
			w.Settle()
			for path, recording := range map[string]string{
				"": "job-" + name, "/execution-result": "execution-result-" + name,
			} {
				_, answer := raw(t, w, "GET", "/jobs/"+jobA+path, "")
				compare(t, recorded(t, recording).Answer, answer)
			}
			status, answer := raw(t, w, "PATCH", "/jobs/"+jobA+"?mode=cancel", "")
			want := recorded(t, "cancel-"+name)
			if status != want.Status {
				t.Errorf("cancel: status %d, Flink gave %d", status, want.Status)
			}
			compare(t, want.Answer, answer)
			raw(t, w, "POST", "/jobs/"+jobA+"/stop", `{"targetDirectory":"s3://x","triggerId":"`+trigger+`"}`)
			_, answer = raw(t, w, "GET", "/jobs/"+jobA+"/savepoints/"+trigger, "")
			compare(t, recorded(t, "stop-failed-job-ended").Answer, answer)
		})
	}
}

func raw(t *testing.T, w *World, method, path, body string) (int, any) {
	t.Helper()
	request, err := http.NewRequestWithContext(
		t.Context(), method, "http://"+Host("flink", "demo")+"/v1"+path, strings.NewReader(body),
	)
	if err != nil {
		t.Fatal(err)
	}
	response, err := w.Transport("test").RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer any
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
	return response.StatusCode, answer
}

func compare(t *testing.T, flink, model any) {
	t.Helper()
	theirs, mine := map[string]map[string]bool{}, map[string]map[string]bool{}
	shape("", flink, theirs)
	shape("", model, mine)
	var paths []string
	for path := range mine {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		for kind := range mine[path] {
			switch {
			case theirs[path] == nil && !belowNull(theirs, path):
				t.Errorf("%s: Flink has no such key here", path)
			case theirs[path] != nil && !theirs[path][kind] && kind != "null" && !theirs[path]["null"]:
				t.Errorf("%s is a %s, Flink's is %v", path, kind, theirs[path])
			}
		}
	}
}

// belowNull says whether Flink happened to have null where the model has an object.
func belowNull(theirs map[string]map[string]bool, path string) bool {
	for {
		at := strings.LastIndex(path, ".")
		if at < 0 {
			return false
		}
		if path = path[:at]; theirs[path]["null"] {
			return true
		}
	}
}
