package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// again is a Flink that gives the answers that were recorded, with the directories and the name of this machine.
type again struct {
	mu      sync.Mutex
	answers map[string][]recording // by request, in the order in which they are given; the last one stays
	machine *strings.Replacer
}

func (a *again) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	request := r.Method + " " + r.URL.RequestURI()
	left := a.answers[request]
	if len(left) == 0 {
		http.Error(w, "not recorded: "+request, http.StatusTeapot)
		return
	}
	if len(left) > 1 {
		a.answers[request] = left[1:]
	}
	answer := string(left[0].Answer)
	var text string
	if json.Unmarshal(left[0].Answer, &text) == nil {
		answer = text
	}
	w.WriteHeader(left[0].Status)
	_, _ = w.Write([]byte(a.machine.Replace(answer))) // the recorder says what it lacks
}

// TestWhatIsRecordedAgainIsTheSame: the recorder writes the form that the tests of pkg/flinkrest read, and nothing of
// the machine on which it runs.
func TestWhatIsRecordedAgainIsTheSame(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"1.20", "2.2"} {
		t.Run(version, func(t *testing.T) {
			from, to := filepath.Join("../../../pkg/flinkrest/testdata", version), t.TempDir()
			c := &cluster{flink: "/opt/flink", work: filepath.Join(to, "work")}
			flink := &again{
				answers: map[string][]recording{},
				machine: strings.NewReplacer("/flink-data", c.work, "/opt/flink", c.flink, "flink-host", host),
			}
			recorded := recordedNames(t, from)
			for _, name := range recorded {
				var answer recording
				if err := json.Unmarshal([]byte(read(t, from, name)), &answer); err != nil {
					t.Fatal(err)
				}
				c.version = answer.Flink
				flink.answers[answer.Request] = append(flink.answers[answer.Request], answer)
			}
			server := httptest.NewServer(flink)
			defer server.Close()
			c.port = server.Listener.Addr().(*net.TCPAddr).Port
			r := newRecorder(c, to)
			playStart(r)
			playUnknown(r)
			for _, name := range recorded {
				if got, want := read(t, to, name), read(t, from, name); got != want {
					t.Errorf("%s is recorded as\n%s\nwant\n%s", name, got, want)
				}
			}
		})
	}
}

// recordedNames are the recordings of an empty cluster, and of jobs that never were.
func recordedNames(t *testing.T, dir string) []string {
	t.Helper()
	names := []string{
		"starting", "overview-empty", "config", "jobmanager-config", "taskmanagers", "jobs-empty", "jars-empty",
		"no-such-path", "no-such-path-post", "job-bad-id",
	}
	unknown, err := filepath.Glob(filepath.Join(dir, "*-unknown-job.json"))
	if err != nil || len(unknown) == 0 {
		t.Fatalf("no recordings of unknown jobs in %s: %v", dir, err)
	}
	for _, file := range unknown {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	return names
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
