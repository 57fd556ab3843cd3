package flinksim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
)

// reader asks a client for what a recorded request asked for.
type reader func(c *flinkrest.Client, r *http.Request) (any, error)

// plainly is a reader of something that there is one of.
func plainly[T any](ask func(c *flinkrest.Client, ctx context.Context) (T, error)) reader {
	return func(c *flinkrest.Client, r *http.Request) (any, error) { return ask(c, r.Context()) }
}

// ofJob is a reader of something below /jobs/:jobid.
func ofJob[T any](ask func(c *flinkrest.Client, ctx context.Context, id string) (T, error)) reader {
	return func(c *flinkrest.Client, r *http.Request) (any, error) {
		return ask(c, r.Context(), r.PathValue("job"))
	}
}

// ofTrigger is a reader of how far an operation on a job is.
func ofTrigger[T any](ask func(c *flinkrest.Client, ctx context.Context, id, trigger string) (T, error)) reader {
	return func(c *flinkrest.Client, r *http.Request) (any, error) {
		return ask(c, r.Context(), r.PathValue("job"), r.PathValue("trigger"))
	}
}

func named(r *http.Request) []string { return strings.Split(r.URL.Query().Get("get"), ",") }

// readers are the calls of package flinkrest by what they ask for.
var readers = map[string]reader{
	"GET /v1/overview":                         plainly((*flinkrest.Client).Overview),
	"GET /v1/config":                           plainly((*flinkrest.Client).ClusterConfig),
	"GET /v1/taskmanagers":                     plainly((*flinkrest.Client).TaskManagers),
	"GET /v1/jobs/overview":                    plainly((*flinkrest.Client).Jobs),
	"GET /v1/jars":                             plainly((*flinkrest.Client).Jars),
	"GET /v1/no-such-path":                     plainly((*flinkrest.Client).Jars),
	"POST /v1/no-such-path":                    plainly((*flinkrest.Client).Jars),
	"GET /v1/jobmanager/config":                plainly((*flinkrest.Client).JobManagerConfig),
	"GET /v1/jobs/{job}":                       ofJob((*flinkrest.Client).Job),
	"GET /v1/jobs/{job}/config":                ofJob((*flinkrest.Client).JobConfig),
	"GET /v1/jobs/{job}/execution-result":      ofJob((*flinkrest.Client).ExecutionResult),
	"GET /v1/jobs/{job}/checkpoints":           ofJob((*flinkrest.Client).CheckpointStatistics),
	"GET /v1/jobs/{job}/checkpoints/config":    ofJob((*flinkrest.Client).CheckpointConfig),
	"GET /v1/jobs/{job}/resource-requirements": ofJob((*flinkrest.Client).ResourceRequirements),
	"GET /v1/jobs/{job}/savepoints/{trigger}":  ofTrigger((*flinkrest.Client).SavepointStatus),
	"GET /v1/jobs/{job}/checkpoints/{trigger}": ofTrigger((*flinkrest.Client).CheckpointStatus),
	"GET /v1/jobmanager/metrics": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.JobManagerMetrics(r.Context(), named(r))
	},
	"GET /v1/taskmanagers/metrics": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.TaskManagerMetrics(r.Context(), named(r))
	},
	"GET /v1/jobs/{job}/metrics": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.Metrics(r.Context(), r.PathValue("job"), named(r))
	},
	"GET /v1/jobs/{job}/vertices/{vertex}/subtasks/metrics": func(c *flinkrest.Client, r *http.Request) (any, error) {
		if r.URL.Query().Has("get") {
			return c.VertexMetrics(r.Context(), r.PathValue("job"), r.PathValue("vertex"), named(r))
		}
		return c.VertexMetricNames(r.Context(), r.PathValue("job"), r.PathValue("vertex"))
	},
	"GET /v1/jobs/{job}/exceptions": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.JobExceptions(r.Context(), r.PathValue("job"), 0)
	},
	"GET /v1/jobs/{job}/checkpoints/details/{checkpoint}": func(c *flinkrest.Client, r *http.Request) (any, error) {
		number, err := strconv.ParseInt(r.PathValue("checkpoint"), 10, 64)
		if err != nil {
			return nil, err
		}
		return c.CheckpointDetails(r.Context(), r.PathValue("job"), number)
	},
	"PATCH /v1/jobs/{job}": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return nil, c.Cancel(r.Context(), r.PathValue("job"))
	},
	"PUT /v1/jobs/{job}/resource-requirements": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return nil, c.SetResourceRequirements(r.Context(), r.PathValue("job"), nil)
	},
	"POST /v1/jobs/{job}/savepoints": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.TriggerSavepoint(r.Context(), r.PathValue("job"), flinkrest.SavepointRequest{})
	},
	"POST /v1/jobs/{job}/stop": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.StopWithSavepoint(r.Context(), r.PathValue("job"), flinkrest.StopRequest{})
	},
	"POST /v1/jobs/{job}/checkpoints": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.TriggerCheckpoint(r.Context(), r.PathValue("job"), flinkrest.CheckpointRequest{})
	},
	"POST /v1/savepoint-disposal": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.DisposeSavepoint(r.Context(), "s3://x")
	},
	"GET /v1/savepoint-disposal/{trigger}": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.DisposalStatus(r.Context(), r.PathValue("trigger"))
	},
	"POST /v1/jars/upload": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.JarUpload(r.Context(), "operation.jar", strings.NewReader("jar"))
	},
	"POST /v1/jars/{jar}/run": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return c.JarRun(r.Context(), r.PathValue("jar"), flinkrest.RunRequest{})
	},
	"POST /v1/jars/{jar}/plan": func(c *flinkrest.Client, r *http.Request) (any, error) {
		plan, err := c.JarPlan(r.Context(), r.PathValue("jar"), flinkrest.RunRequest{})
		var vertices []string // their order is none, and their IDs are derived from the program
		for _, v := range plan.Nodes {
			vertices = append(vertices, fmt.Sprintf("parallelism %d, %d inputs", v.Parallelism, len(v.Inputs)))
		}
		slices.Sort(vertices)
		return vertices, err
	},
	"DELETE /v1/jars/{jar}": func(c *flinkrest.Client, r *http.Request) (any, error) {
		return nil, c.JarDelete(r.Context(), r.PathValue("jar"))
	},
}

// chosen is a reader, and a request with the values of its path.
type chosen struct {
	read reader
	r    *http.Request
}

// chosenKey is the key of the *chosen in a context.
type chosenKey struct{}

// choice has a request note its reader in the *chosen of its context.
var choice = func() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, read := range readers {
		mux.HandleFunc(pattern, func(_ http.ResponseWriter, r *http.Request) {
			*r.Context().Value(chosenKey{}).(*chosen) = chosen{read, r}
		})
	}
	return mux
}()

// canned answers every request with one answer.
type canned struct {
	status int
	text   []byte
}

// RoundTrip is that answer.
func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: c.status, Header: http.Header{"Content-Type": {"application/json; charset=UTF-8"}},
		Body: io.NopCloser(bytes.NewReader(c.text)),
	}, nil
}

// asRead is what package flinkrest makes of an answer to a request, as JSON values: all that kn-flink knows of it.
func asRead(t *testing.T, request string, status int, answer []byte) any {
	t.Helper()
	c, err := flinkrest.New(flinkrest.Options{
		BaseURL: "http://flink", Wrap: func(http.RoundTripper) http.RoundTripper { return canned{status, answer} },
	})
	if err != nil {
		t.Fatal(err)
	}
	var call chosen
	method, path, _ := strings.Cut(request, " ")
	ctx := context.WithValue(t.Context(), chosenKey{}, &call)
	choice.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, method, path, nil))
	if call.read == nil {
		t.Fatalf("no call of package flinkrest asks for %s", request)
	}
	got, err := call.read(c, call.r)
	if err != nil {
		var details *flinkrest.Error
		if !errors.As(err, &details) {
			t.Fatalf("%T: %v", err, err)
		}
		got = map[string]any{"error": details.Kind.Error(), "message": details.Message}
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	reader, values := json.NewDecoder(bytes.NewReader(text)), any(nil)
	reader.UseNumber()
	if err := reader.Decode(&values); err != nil {
		t.Fatal(err)
	}
	return values
}
