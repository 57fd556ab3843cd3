package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// number writes a metric as JSON; what JSON cannot write is a text, as in Flink.
func number(text string) any {
	if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return json.Number(text)
	}
	return text
}

func listJobs(c *call) (any, error) {
	list := []any{}
	for _, j := range c.jm.Jobs() {
		list = append(list, object{"id": j.ID, "status": j.State})
	}
	return object{"jobs": list}, nil
}

func jobsOverview(c *call) (any, error) {
	list := []any{}
	for _, j := range c.jm.Jobs() {
		total := 0
		for _, vertex := range j.Vertices() {
			if !j.IsSetUp() || j.NoGraph {
				break
			}
			total += c.jm.Parallelism(j, vertex)
		}
		tasks := object{"total": total}
		for state, n := range executions(j.State, total) {
			tasks[strings.ToLower(state)] = n
		}
		modified := millis(j.Modified(), -1)
		if j.NoGraph {
			modified = 0
		}
		list = append(list, object{
			"jid": j.ID, "name": j.Name, "start-time": millis(j.Start, -1), "end-time": ends(j),
			"duration": c.duration(j), "state": j.State, "last-modification": modified, "tasks": tasks,
		})
	}
	return object{"jobs": list}, nil
}

// ends is when the job ended. Of one that was cancelled without an execution graph it is not known.
func ends(j *job.Job) any {
	if j.NoGraph && j.State == job.Canceled {
		return 0
	}
	return millis(j.End, -1)
}

func (c *call) duration(j *job.Job) int64 {
	if j.End.IsZero() {
		return c.jm.Now().Sub(j.Start).Milliseconds()
	}
	return j.End.Sub(j.Start).Milliseconds()
}

func jobDetails(c *call, j *job.Job) (any, error) {
	if j.OnlyEnd {
		return nil, errors.New("java.lang.NullPointerException")
	}
	stamps := object{}
	for _, state := range []job.State{
		job.Initializing, job.Created, job.Running, job.Failing, job.Failed, job.Cancelling,
		job.Canceled, job.Finished, job.Restarting, job.Suspended, "RECONCILING",
	} {
		if stamps[string(state)] = millis(j.Entered[state], 0); j.NoGraph && state != job.Failed {
			stamps[string(state)] = 0
		}
	}
	stamps[string(job.Initializing)] = millis(j.Start, 0)
	vertices, plan := c.vertices(j)
	counted := j.State
	if j.NoGraph {
		counted = job.Created
	}
	return object{
		"jid": j.ID, "name": j.Name, "isStoppable": false, "state": j.State, "job-type": "STREAMING",
		"start-time": millis(j.Start, -1), "end-time": ends(j), "duration": c.duration(j), "maxParallelism": -1,
		"now": millis(c.jm.Now(), 0), "timestamps": stamps, "vertices": vertices,
		"status-counts": executions(counted, len(vertices)), "plan": plan,
	}, nil
}

// vertices are the details and the plan of a job; empty for one that could not be set up.
func (c *call) vertices(j *job.Job) (vertices []any, plan object) {
	if !j.IsSetUp() {
		return []any{}, object{}
	}
	nodes := []any{}
	var busy any = "NaN" // until there is something to sum up
	if j.State.Ended() || j.NoGraph {
		busy = 0.0
	}
	state, begun, ended := j.State, millis(j.Start, -1), millis(j.End, -1)
	if j.NoGraph {
		state, begun, ended = job.Created, -1, -1
	}
	for i, id := range j.Vertices() {
		p := c.jm.Parallelism(j, id)
		tasks := executions(state, p)
		if j.NoGraph {
			tasks = executions(state, 0)
		}
		nodes = append(nodes, planNode(j, i, p))
		vertices = append(vertices, object{
			"id": id, "name": []string{"source", "sink"}[i], "slotSharingGroupId": job.VertexID(j.Name, "slots"),
			"parallelism": p, "maxParallelism": 128,
			"status": state, "start-time": begun, "end-time": ended, "duration": c.duration(j), "tasks": tasks,
			"metrics": c.counters(id, object{
				"read-records": j.Records(id, c.jm.Now()), "write-records": j.Records(id, c.jm.Now()),
				"accumulated-busy-time": busy,
			}),
		})
	}
	if j.NoGraph {
		return vertices, object{}
	}
	return vertices, planOf(j, nodes)
}

func planOf(j *job.Job, nodes []any) object {
	return object{"jid": j.ID, "name": j.Name, "type": "STREAMING", "nodes": nodes}
}

// planNode is the n-th vertex in the plan of a job.
func planNode(j *job.Job, n, parallelism int) object {
	node := object{
		"id": j.Vertices()[n], "parallelism": parallelism, "operator": "", "operator_strategy": "", "description": "",
		"optimizer_properties": object{},
	}
	if n > 0 {
		node["inputs"] = []any{
			object{"num": 0, "id": j.Vertices()[n-1], "ship_strategy": "HASH", "exchange": "pipelined_bounded"},
		}
	}
	return node
}

// counters are those of a vertex, as far as somebody set them (SetMetric, scope io/<vertex>).
func (c *call) counters(vertex string, otherwise object) object {
	for name, value := range c.jm.Metrics("io/" + vertex) {
		otherwise[name] = number(value)
	}
	return otherwise
}

// executions counts subtasks by their ExecutionState, which here is the state of the job where there is one of that
// name.
func executions(state job.State, n int) object {
	counts := object{}
	for _, name := range []string{
		"RECONCILING", "CANCELED", "FAILED", "CREATED", "SCHEDULED", "RUNNING", "CANCELING", "DEPLOYING", "INITIALIZING",
		"FINISHED",
	} {
		counts[name] = 0
	}
	name := map[job.State]string{
		job.Cancelling: "CANCELING", job.Restarting: "SCHEDULED", job.Suspended: "CANCELED",
	}[state]
	if name == "" {
		name = string(state)
	}
	counts[name] = n
	return counts
}

func jobConfig(_ *call, j *job.Job) (any, error) {
	return object{"jid": j.ID, "name": j.Name, "execution-config": object{
		"restart-strategy": "Cluster level default restart strategy", "job-parallelism": j.Parallelism,
		"object-reuse-mode": false, "user-config": object{},
	}}, nil
}

func jobExceptions(c *call, j *job.Job) (any, error) {
	limit := len(j.Failures)
	if n, err := strconv.Atoi(c.r.URL.Query().Get("maxExceptions")); err == nil {
		limit = min(limit, n)
	}
	entries := []any{}
	for i := len(j.Failures) - 1; i >= len(j.Failures)-limit; i-- {
		f := j.Failures[i]
		entry := object{
			"exceptionName": f.Class, "stacktrace": f.Text(), "timestamp": millis(f.At, 0), "failureLabels": object{},
			"concurrentExceptions": []any{},
		}
		if f.Task != "" {
			entry["taskName"], entry["endpoint"], entry["taskManagerId"] = f.Task, "taskmanager-1:40000", "taskmanager-1"
		}
		entries = append(entries, entry)
	}
	return object{"exceptionHistory": object{"entries": entries, "truncated": limit < len(j.Failures)}}, nil
}

func executionResult(c *call, j *job.Job) (any, error) {
	if !j.State.Ended() {
		return object{"status": object{"id": "IN_PROGRESS"}}, nil
	}
	outcome := map[job.State]string{job.Finished: "SUCCEEDED", job.Failed: "FAILED", job.Canceled: "CANCELED"}[j.State]
	result := object{
		"id": j.ID, "application-status": outcome, "net-runtime": c.duration(j), "accumulator-results": object{},
	}
	if j.State == job.Failed && len(j.Failures) > 0 {
		result["failure-cause"] = cause(&j.Failures[len(j.Failures)-1])
	}
	return object{"status": object{"id": "COMPLETED"}, "job-execution-result": result}, nil
}

// cause is a SerializedThrowable as JSON; nil stays null.
func cause(f *job.Failure) any {
	if f == nil {
		return nil
	}
	return object{"class": f.Class, "stack-trace": f.Text(), "serialized-throwable": ""}
}

// jobMetrics answers an empty list for a job that is not there, as Flink does.
func jobMetrics(c *call) (any, error) {
	j := c.jm.Job(c.r.PathValue("job"))
	if j == nil {
		return []any{}, nil
	}
	completed := 0
	for _, ck := range j.Checkpoints {
		if ck.Status == job.Completed {
			completed++
		}
	}
	values := map[string]string{
		"numRestarts":                  fmt.Sprint(j.Restarts),
		"numberOfCompletedCheckpoints": fmt.Sprint(completed),
		"numberOfFailedCheckpoints":    fmt.Sprint(len(j.Checkpoints) - completed),
	}
	if !c.jm.Config.AtLeast(2, 0) {
		values["fullRestarts"] = values["numRestarts"]
	}
	for name, value := range c.jm.Metrics("job/" + j.Name) {
		values[name] = value
	}
	return plain(c, values), nil
}

func vertexMetrics(c *call) (any, error) {
	vertex, values := c.r.PathValue("vertex"), map[string]string{}
	if j := c.jm.Job(c.r.PathValue("job")); j != nil {
		maps.Copy(values, j.Metrics(vertex, c.jm.Now()))
	}
	maps.Copy(values, c.jm.Metrics("vertex/"+vertex))
	return aggregate(c, values), nil
}

// taskManagerMetrics are those of the memory of TaskManagers that have enough of it, unless somebody set others.
func taskManagerMetrics(c *call) (any, error) {
	values := map[string]string{
		"Status.JVM.Memory.Heap.Max": "536870912", "Status.JVM.Memory.Heap.Used": "134217728",
		"Status.JVM.Memory.Metaspace.Used": "67108864", "Status.Flink.Memory.Managed.Used": "0",
	}
	maps.Copy(values, c.jm.Metrics("taskmanagers"))
	return aggregate(c, values), nil
}

func cancelJob(c *call) (any, error) {
	id := c.r.PathValue("job")
	if mode := c.r.URL.Query().Get("mode"); mode != "" && mode != "cancel" {
		return nil, refuse(http.StatusPermanentRedirect, "The termination mode \"stop\" has been removed.")
	}
	j := c.jm.Job(id)
	if j == nil {
		return nil, refuse(http.StatusNotFound, "Job could not be found.")
	}
	before := j.State
	if !j.Cancel(c.jm.Now()) {
		return nil, refuse(
			http.StatusConflict, "Job cancellation failed because the job has already reached another terminal state (%s).",
			j.State,
		)
	}
	if j.State != before {
		c.effect("cancel job %s", id)
	}
	return status{http.StatusAccepted, object{}}, nil
}

// adaptive finds the job of a request about resource requirements. An unknown one, or one under another scheduler, is a
// failure on Flink's side, a 500.
func (c *call) adaptive() (*job.Job, error) {
	j := c.jm.Job(c.r.PathValue("job"))
	switch {
	case !c.jm.Config.AtLeast(1, 18):
		_, err := unknownPath(c)
		return nil, err
	case j == nil:
		return nil, errors.New(noJob(c.r.PathValue("job")))
	case !c.jm.Adaptive():
		return nil, errors.New(
			"java.lang.UnsupportedOperationException: The DefaultScheduler does not support changing the parallelism " +
				"without a job restart.",
		)
	}
	return j, nil
}

func readRequirements(c *call) (any, error) {
	j, err := c.adaptive()
	if err != nil {
		return nil, err
	}
	out := object{}
	for _, id := range j.Vertices() {
		bound, set := j.Bounds[id]
		if !set {
			bound = job.Bound{Lower: 1, Upper: j.WantedOf(id)}
		}
		out[id] = object{"parallelism": object{"lowerBound": bound.Lower, "upperBound": bound.Upper}}
	}
	return out, nil
}

func writeRequirements(c *call) (any, error) {
	j, err := c.adaptive()
	if err != nil {
		return nil, err
	}
	var wanted map[string]struct {
		Parallelism struct {
			Lower int `json:"lowerBound"`
			Upper int `json:"upperBound"`
		} `json:"parallelism"`
	}
	if err := c.read(&wanted); err != nil {
		return nil, err
	}
	bounds := map[string]job.Bound{}
	for _, id := range j.Vertices() {
		bound, named := wanted[id]
		if !named || bound.Parallelism.Lower < 1 || bound.Parallelism.Upper < bound.Parallelism.Lower {
			return nil, refuse(http.StatusBadRequest,
				"The requested lower bound [%d] for job vertex [%s] is higher than the upper bound [%d].",
				bound.Parallelism.Lower, id, bound.Parallelism.Upper)
		}
		bounds[id] = job.Bound{Lower: bound.Parallelism.Lower, Upper: bound.Parallelism.Upper}
	}
	if !maps.Equal(bounds, j.Bounds) {
		j.Bounds = bounds
		c.effect("rescale job %s", j.ID)
	}
	return object{}, nil
}
