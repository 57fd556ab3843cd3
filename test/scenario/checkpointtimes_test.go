package scenario

import (
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

func init() {
	for name, s := range checkpointTimesScenarios {
		scenarios[name] = s
	}
}

// checkpointTimesScenarios are about jobs whose code says how often they make checkpoints, and how long one may take.
// Flink's own answer counts, not the configuration (FLINK-37354).
var checkpointTimesScenarios = map[string]scenario{
	"the code of a healthy job makes a checkpoint every six hours": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{Interval: 6 * time.Hour})
		h.apply("demo", application(healthChecked, option("execution.checkpointing.interval", "10 s")))
		h.untilStable("demo")
		h.pass(90 * time.Minute)
		h.sees("demo", stable, "nothing")
	}, "a job that makes a checkpoint in time is healthy"},

	"the code of a job gives a savepoint an hour, and its resource is deleted": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{Timeout: time.Hour})
		h.apply("demo", application(
			stateful("savepoint"), healthChecked, option("kubernetes.operator.job.savepoint-on-deletion", "true"),
		))
		h.untilStable("demo")
		h.flink("demo", func(j *job.Job) { j.Script.SnapshotSteps = 400 })
		h.remove("demo")
		h.untilGone("demo")
		expect(h.t, "savepoints", h.stored(), 1)
		if strings.Contains(h.reasons("demo"), "SavepointSkipped") {
			h.t.Errorf("the savepoint was given up before Flink gave it up: %s", h.reasons("demo"))
		}
	}, "Flink says how long a savepoint may take"},

	"the code of a job gives a savepoint an hour, and the job is upgraded": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{Timeout: time.Hour})
		h.apply("demo", application(stateful("savepoint"), healthChecked))
		h.untilStable("demo")
		h.flink("demo", func(j *job.Job) { j.Script.SnapshotSteps = 400 })
		h.edit("demo", parallelism(4))
		h.until("it is stopped", func() bool { return h.status("demo").Intent != nil })
		h.until("it is upgraded", func() bool {
			if stalled := h.condition("demo", "Stalled"); stalled != "-" {
				h.t.Fatalf("a stop in time is told as %s", stalled)
			}
			return h.status("demo").Intent == nil
		})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "a stop that Flink still works on is not overdue"},
}
