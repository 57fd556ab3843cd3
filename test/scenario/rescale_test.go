package scenario

import (
	"maps"
	"net/http"
	"strings"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func init() { maps.Copy(scenarios, rescaleScenarios) }

// sized sets the parallelism of the vertices of the job of that name.
func sized(name, source, sink string) change {
	return option(
		"pipeline.jobvertex-parallelism-overrides",
		job.VertexID(name, "source")+":"+source+","+job.VertexID(name, "sink")+":"+sink,
	)
}

// unsized leaves the parallelism of the vertices to the job.
func unsized(spec map[string]any) {
	delete(spec["flinkConfiguration"].(map[string]any), "pipeline.jobvertex-parallelism-overrides")
}

// parallelismOf is what the source and the sink of the newest job of a resource run with; nothing when it does not.
func (h *harness) parallelismOf(name string) [2]int {
	j := h.job(name)
	if j == nil || j.State != job.Running {
		return [2]int{}
	}
	return [2]int{j.ParallelismOf(j.Vertices()[0]), j.ParallelismOf(j.Vertices()[1])}
}

// rescales counts the requests that changed the resource requirements of a job.
func (h *harness) rescales() int {
	n := 0
	for _, e := range h.w.Tap.Effects() {
		if strings.Contains(e.String(), "rescale job") {
			n++
		}
	}
	return n
}

// resizes gives the source a parallelism of 4 and the sink one of 1, and waits until the job runs with them.
func (h *harness) resizes(name string) {
	h.t.Helper()
	h.flinkResizes(name)
	h.untilStable(name)
}

// flinkResizes gives the source a parallelism of 4 and the sink one of 1, and waits for Flink alone to do it.
func (h *harness) flinkResizes(name string) {
	h.t.Helper()
	h.edit(name, sized(name, "4", "1"))
	h.until("it is rescaled", func() bool { return h.parallelismOf(name) == [2]int{4, 1} })
}

// rescaleScenarios are changes of the parallelism of single vertices, for TestScenarios.
var rescaleScenarios = map[string]scenario{
	"rescaled in place": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), adaptive, sized("demo", "2", "2")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.resizes("demo")
		h.sees("demo", stable, "nothing")
		expect(h.t, "requests that changed the requirements", h.rescales(), 1)
		h.tells("demo", "JobStatusChanged Scaling SpecChanged Submit")
	}, "the cluster stays, and Flink restarts the tasks"},

	"rescaled by an upgrade": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), sized("demo", "2", "2")))
		h.untilStable("demo")
		h.resizes("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
		expect(h.t, "requests that changed the requirements", h.rescales(), 0)
	}, "the default scheduler does not change the parallelism of a running job"},

	"rescaled in place, and Flink refuses it": {func(h *harness) {
		refuses := wire.Fault{Status: http.StatusBadRequest, Match: func(r wire.Request) bool {
			return r.Method == http.MethodPut && strings.HasSuffix(r.Path, "/resource-requirements")
		}}
		h.standing = append(h.standing, refuses)
		h.w.Tap.Inject(refuses)
		h.apply("demo", application(stateful("savepoint"), adaptive, sized("demo", "2", "2")))
		h.untilStable("demo")
		h.resizes("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "what Flink refuses is made by an upgrade"},

	"a rescale in place is taken back": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), adaptive, sized("demo", "2", "2")))
		h.untilStable("demo")
		h.flinkResizes("demo")
		h.edit("demo", sized("demo", "2", "2"))
		h.until("it has its size again", func() bool { return h.parallelismOf("demo") == [2]int{2, 2} })
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "whoever takes it back may do so before it is recorded"},

	"a session job's rescale in place is taken back": {func(h *harness) {
		h.apply("session", sessionCluster(adaptive))
		h.untilStable("session")
		h.submit("etl", sessionJob("session"))
		h.untilStable("etl")
		before := h.parallelismOf("etl")
		h.flinkResizes("etl")
		h.edit("etl", unsized)
		h.until("it has its size again", func() bool { return h.parallelismOf("etl") == before })
		h.untilStable("etl")
	}, "it is a job on another host, and its spec names no vertex"},

	"a session job is rescaled in place": {func(h *harness) {
		h.apply("session", sessionCluster(adaptive))
		h.untilStable("session")
		h.submit("etl", sessionJob("session", sized("etl", "2", "2")))
		h.untilStable("etl")
		h.resizes("etl")
		h.sees("etl", stable, "nothing")
	}, "it is a job on another host"},
}
