package rest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// call is one REST request to one JobManager, with the lock of Flink held.
type call struct {
	jm   *process.JobManager
	r    *http.Request
	body []byte
}

// refusal is an answer of Flink's that is not a success.
type refusal struct {
	status int
	text   string
}

// Error is the text in the list of errors.
func (e *refusal) Error() string { return e.text }

// refuse is a RestHandlerException, with the stack trace that Flink sends along.
func refuse(status int, format string, args ...any) error {
	return &refusal{status, "org.apache.flink.runtime.rest.handler.RestHandlerException: " +
		fmt.Sprintf(format, args...) +
		"\n\tat org.apache.flink.runtime.rest.handler.Model.handle(Model.java:1)\n"}
}

func notFound(jobID string) error {
	return &refusal{http.StatusNotFound, "org.apache.flink.runtime.rest.NotFoundException: Job " + jobID + " not found" +
		"\n\tat org.apache.flink.runtime.rest.handler.Model.handle(Model.java:1)\n"}
}

// noJob is the exception about a job that the dispatcher does not know.
func noJob(id string) string {
	return "org.apache.flink.runtime.messages.FlinkJobNotFoundException: Could not find Flink job (" + id + ")"
}

const noLeader = "Service temporarily unavailable due to an ongoing leader election. Please refresh."

// status is an answer with another code than 200.
type status struct {
	code int
	body any
}

// ofJob is an endpoint under /jobs/:jobid. cache names the one that it answers from; empty: from none.
func ofJob(cache string, inner func(c *call, j *job.Job) (any, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		id := c.r.PathValue("job")
		if !hex32.MatchString(id) {
			return nil, refuse(
				http.StatusBadRequest,
				"Bad request, could not parse parameters: Cannot resolve path parameter (jobid) from value %q.", id,
			)
		}
		j := c.jm.Job(id)
		if cache != "" {
			j = c.fetch(cache, id)
		}
		switch {
		case j == nil && cache == "":
			return nil, &refusal{http.StatusNotFound, noJob(id)}
		case j == nil:
			return nil, notFound(id)
		}
		return inner(c, j)
	}
}

var hex32 = regexp.MustCompile(`^[0-9a-f]{32}$`)

// makeRoutes is every path that the model serves. What it does not serve is Flink's own 404 for an unknown path.
func makeRoutes(f *process.Flink) *http.ServeMux {
	mux := http.NewServeMux()
	add := func(pattern string, inner func(*call) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { handle(f, w, r, inner) })
	}
	add("GET /overview", clusterOverview)
	add("GET /config", clusterConfig)
	add("GET /taskmanagers", listTaskManagers)
	add("GET /taskmanagers/metrics", taskManagerMetrics)
	add("GET /jobmanager/config", jobManagerConfig)
	add("GET /jobmanager/metrics", plainMetrics("jobmanager"))
	add("GET /jobs", listJobs)
	add("GET /jobs/overview", jobsOverview)
	add("GET /jobs/{job}", ofJob(graphCache, jobDetails))
	add("GET /jobs/{job}/config", ofJob(graphCache, jobConfig))
	add("GET /jobs/{job}/exceptions", ofJob(graphCache, jobExceptions))
	add("GET /jobs/{job}/execution-result", ofJob("", executionResult))
	add("GET /jobs/{job}/metrics", jobMetrics)
	add("GET /jobs/{job}/vertices/{vertex}/subtasks/metrics", vertexMetrics)
	add("PATCH /jobs/{job}", cancelJob)
	add("GET /jobs/{job}/resource-requirements", readRequirements)
	add("PUT /jobs/{job}/resource-requirements", writeRequirements)
	add("POST /jobs/{job}/savepoints", triggerSavepoint)
	add("POST /jobs/{job}/stop", stopWithSavepoint)
	add("POST /jobs/{job}/checkpoints", triggerCheckpoint)
	add("GET /jobs/{job}/savepoints/{trigger}", operationStatus(job.Savepoint))
	add("GET /jobs/{job}/checkpoints/{trigger}", operationStatus(job.OneCheckpoint))
	add("GET /jobs/{job}/checkpoints", ofJob(statisticsCache, checkpointStatistics))
	add("GET /jobs/{job}/checkpoints/config", ofJob(graphCache, checkpointConfig))
	add("GET /jobs/{job}/checkpoints/details/{checkpoint}", ofJob(statisticsCache, checkpointDetails))
	add("POST /savepoint-disposal", disposeSavepoint)
	add("GET /savepoint-disposal/{trigger}", disposalStatus)
	add("GET /jars", listJars)
	add("POST /jars/upload", uploadJar)
	add("POST /jars/{jar}/run", runJar)
	add("POST /jars/{jar}/plan", planJar)
	add("DELETE /jars/{jar}", deleteJar)
	return mux
}

// System is Flink as a Tap sees it.
func System(f *process.Flink) wire.System {
	routes := makeRoutes(f)
	return wire.System{
		Name: "flink", Classify: classify,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(f, routes, w, r) }),
		Refuse:  func(w http.ResponseWriter, code int) { answer(w, code, errorList("injected by the test")) },
	}
}

var verbs = map[string]string{"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}

// classify names a request: the resource is the last part of the path that is no identifier.
func classify(r *http.Request) wire.Request {
	service, namespace, _, _ := process.SplitHost(r.Host)
	named := wire.Request{
		Path: r.Host + r.URL.RequestURI(), Verb: verbs[r.Method],
		Namespace: namespace, Name: strings.TrimSuffix(service, "-rest"),
	}
	for _, part := range strings.Split(strings.Trim(r.URL.Path, "/"), "/") {
		if part != "v1" && !identifier.MatchString(part) {
			named.Resource = part
		}
	}
	return named
}

var identifier = regexp.MustCompile(`^([0-9a-f]{32}|[0-9]+|[0-9a-f-]{36}_.*)$`)

// serve answers in the name of the JobManager behind the host. A path that it does not serve is Flink's own 404.
func serve(f *process.Flink, routes *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	r.URL.Path = strings.TrimPrefix(r.URL.Path, "/v1")
	if _, pattern := routes.Handler(r); pattern != "" {
		routes.ServeHTTP(w, r)
		return
	}
	handle(f, w, r, unknownPath)
}

// unknownPath is what the router says: a GET may be for a file of the web page.
func unknownPath(c *call) (any, error) {
	if c.r.Method == http.MethodGet {
		return nil, &refusal{http.StatusNotFound, "Unable to load requested file /v1" + c.r.URL.Path + "."}
	}
	return nil, &refusal{http.StatusNotFound, "Not found: /v1" + c.r.URL.Path}
}

func handle(f *process.Flink, w http.ResponseWriter, r *http.Request, inner func(*call) (any, error)) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if f.Hangs(r.Host) {
		panic(http.ErrAbortHandler) // a connection from before it hung: the next one times out
	}
	there := f.Serve(r.Host, func(front, leader *process.JobManager) {
		switch {
		case leader != nil:
			front = leader
		case r.URL.Path != "/config":
			answer(w, http.StatusServiceUnavailable, errorList(noLeader))
			return
		}
		noJars := front.Application() || front.Config["web.submit.enable"] == "false"
		if noJars && strings.HasPrefix(r.URL.Path, "/jars") {
			inner = unknownPath
		}
		result, err := inner(&call{front, r, body})
		write(w, result, err)
	})
	if !there {
		panic(http.ErrAbortHandler) // a connection from before whose peer is gone
	}
}

func write(w http.ResponseWriter, result any, err error) {
	switch e := err.(type) {
	case nil:
	case *refusal:
		answer(w, e.status, errorList(e.text))
		return
	default:
		answer(w, http.StatusInternalServerError, errorList("Internal server error.",
			"<Exception on server side:\n"+err.Error()+"\nEnd of exception on server side>"))
		return
	}
	if s, ok := result.(status); ok {
		answer(w, s.code, s.body)
		return
	}
	answer(w, http.StatusOK, result)
}

func errorList(texts ...string) any { return map[string]any{"errors": texts} }

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// read decodes the request's body; an empty one is an empty object.
func (c *call) read(into any) error {
	if len(c.body) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		return refuse(http.StatusBadRequest, "Request did not match expected format.\nCaused by: %v", err)
	}
	return nil
}

// effect tells the Tap that the request changed something.
func (c *call) effect(format string, args ...any) {
	wire.Note(c.r.Context(), fmt.Sprintf(format, args...)+" in "+c.jm.Cluster.String())
}

// millis is a time as Flink writes it; "not yet" is the given number.
func millis(t time.Time, none int64) int64 {
	if t.IsZero() {
		return none
	}
	return t.UnixMilli()
}
