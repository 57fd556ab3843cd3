package flinkrest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/wire"
)

// versions are the directories of testdata: what test/flinksim/record heard from a real Flink.
var versions = []string{"1.20", "2.2"}

// recording is one file of testdata.
type recording struct {
	Flink   string          `json:"flink"`
	Request string          `json:"request"`
	Sent    json.RawMessage `json:"sent"`
	Status  int             `json:"status"`
	Answer  json.RawMessage `json:"answer"`
}

func load(t *testing.T, version, name string) recording {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", version, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// segment is the n-th part of the recorded path, such as the jar ID that Flink drew.
func (r recording) segment(n int) string { return strings.Split(r.Request, "/")[n] }

// play serves one recording and fails the test if anything else is asked for. It returns a client and the recording.
func play(t *testing.T, version, name string) (*Client, recording) {
	t.Helper()
	r := load(t, version, name)
	return serve(t, func(w http.ResponseWriter, request *http.Request) {
		if got := request.Method + " " + unescaped(request); got != r.Request {
			t.Errorf("asked for %q, recorded %q", got, r.Request)
		}
		if r.Sent != nil {
			var got, want any
			if err := json.NewDecoder(request.Body).Decode(&got); err != nil {
				t.Errorf("request body: %v", err)
			}
			if err := json.Unmarshal(r.Sent, &want); err != nil {
				t.Errorf("recorded request body: %v", err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("request body (-recorded +sent):\n%s", diff)
			}
		}
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		w.WriteHeader(r.Status)
		_, _ = w.Write(r.Answer) // the client may have gone
	}), r
}

func unescaped(request *http.Request) string {
	text := request.URL.Path
	if request.URL.RawQuery != "" {
		text += "?" + strings.ReplaceAll(request.URL.RawQuery, "%2C", ",")
	}
	return text
}

func serve(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := New(Options{BaseURL: server.URL, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func id(kind string, n int) string { return fmt.Sprintf("%s%030x", kind, n) }
func job(n int) string             { return id("aa", n) }
func trigger(n int) string         { return id("bb", n) }

var background = context.Background()

// kinds are all kinds of failure.
var kinds = []error{
	ErrNotFound, ErrNoCheckpointing, ErrNoEndpoint, ErrTerminal, ErrDuplicateJob, ErrRejected,
	ErrUnreachable, ErrUnavailable, ErrServer, ErrNotFlink, ErrMalformed, ErrSource,
}

// wantKind fails unless err is an *Error of exactly that kind (nil: no error) with a bounded one-line message.
func wantKind(t *testing.T, err, kind error) {
	t.Helper()
	if kind == nil {
		if err != nil {
			t.Errorf("unexpected error: %v", err)
		}
		return
	}
	var details *Error
	if !errors.As(err, &details) {
		t.Fatalf("error is %T %v, want *Error of kind %q", err, err, kind)
	}
	for _, other := range kinds {
		if errors.Is(err, other) != (other == kind) {
			t.Errorf("errors.Is(%q) = %t for: %v", other, errors.Is(err, other), err)
		}
	}
	if details.Op == "" || details.Method == "" || details.Path == "" {
		t.Errorf("error does not say what was tried: %+v", details)
	}
	if len(details.Message) > 2048 || strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("message of %d bytes, or of several lines: %q", len(details.Message), err)
	}
}

// eachVersion runs a subtest per recorded version.
func eachVersion(t *testing.T, test func(t *testing.T, version string)) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) { test(t, version) })
	}
}

// FuzzTypedAnswers: no body makes a typed answer panic, and what passes its check is complete.
func FuzzTypedAnswers(f *testing.F) {
	for _, name := range []string{"job", "jobs", "checkpoints", "checkpoint-details", "savepoint-failed",
		"job-exceptions",
		"execution-result-failed", "jars", "metrics", "vertex-metrics", "taskmanagers", "resource-requirements"} {
		text, err := os.ReadFile(filepath.Join("testdata", "2.2", name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		var r recording
		if err := json.Unmarshal(text, &r); err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(r.Answer))
	}
	f.Add([]byte(
		`{"jobs":[null],"jid":"` + job(1) + `","exceptionHistory":{"entries":[null]},"counts":{},"history":[null]}`,
	))
	f.Fuzz(func(t *testing.T, body []byte) {
		answers := []wire.Checked{
			&Job{asked: job(1)}, &jobList{}, &JobConfig{asked: job(1)}, &exceptionAnswer{}, &resultAnswer{},
			&CheckpointStatistics{},
			&CheckpointConfig{}, &checkpointAnswer{asked: 1}, &operationAnswer{}, &triggerAnswer{}, &jarList{},
			&uploadAnswer{},
			&runAnswer{}, &planAnswer{},
			&metricList{}, &aggregateList{}, &taskManagers{}, &Overview{}, &ClusterConfig{}, &configEntries{},
			&Requirements{},
		}
		for _, answer := range answers {
			if json.Unmarshal(body, answer) != nil || answer.Check() != nil {
				continue
			}
			if operation, ok := answer.(*operationAnswer); ok {
				got := operation.operation()
				if got.State == OperationUnknown || (got.State == OperationFailed) != (got.Failure != nil) {
					t.Fatalf("%s became %+v", body, got)
				}
			}
		}
	})
}
