package scenario

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

func init() {
	for name, s := range rollbackScenarios {
		scenarios[name] = s
	}
}

// broken is an upgrade to an image that does not exist, of a job that is rolled back after 20 s.
func (h *harness) broken(mode string) {
	h.t.Helper()
	h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
	h.apply(
		"demo",
		application(stateful(mode), highlyAvailable, option("kubernetes.operator.deployment.rollback.enabled", "true")),
	)
	h.untilStable("demo")
	h.checkpoints("demo")
	h.edit("demo", field("image", "flink:broken"), option("kubernetes.operator.deployment.readiness.timeout", "20 s"))
	h.untilRolledBack()
}

// failing is an upgrade whose job fails for good before it runs.
func (h *harness) failing(timeout string) {
	h.t.Helper()
	h.w.Flink.ScriptJob("demo", job.Script{FailAtStart: "no such state"})
	h.edit("demo", parallelism(4), option("kubernetes.operator.deployment.readiness.timeout", timeout))
	h.until("the new job has failed", func() bool {
		j := h.job("demo")
		return j != nil && j.Parallelism == 4 && j.State == job.Failed
	})
	h.w.Flink.ScriptJob("demo", job.Script{})
	h.untilRolledBack()
}

func (h *harness) untilRolledBack() {
	h.t.Helper()
	h.until("it is rolled back and ready", func() bool {
		return h.settled("demo", v1beta1.LifecycleRolledBack)() && h.status("demo").Situation == "Steady"
	})
}

// rollbackScenarios take what does not become stable back to what was.
var rollbackScenarios = map[string]scenario{
	"a job that keeps failing, rolled back from a broken image": {func(h *harness) {
		h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
		once := option("restart-strategy.type", "none")
		h.apply("demo", application(stateful("savepoint"), highlyAvailable, rolledBack, once))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.w.Flink.ScriptJob("demo", job.Script{FailAtStart: "the source cannot be read"})
		h.flink("demo", func(j *job.Job) { j.Fail("java.io.IOException", "the source cannot be read", h.w.Clock.Now()) })
		h.edit("demo", field("image", "flink:broken"))
		h.until("it is rolled back, and fails again", func() bool {
			s := h.status("demo")
			back := s.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack
			return back && s.JobStatus.State == v1beta1.FlinkJobFailed
		})
		h.steps(30)
		h.sees("demo", "FAILED FAILED False Ended", "nothing, path(checkpoint)")
		h.w.Flink.ScriptJob("demo", job.Script{})
		h.edit("demo", field("image", "flink:1.20"), field("restartNonce", int64(1)))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(checkpoint), path(checkpoint)")
	}, "the failure is the job's own and is shown; its state stays what it was"},

	"told to start from a savepoint that is not there, and rolled back otherwise": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), highlyAvailable, rolledBack))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", jobField("initialSavepointPath", "s3://s/gone"), jobField("savepointRedeployNonce", int64(1)))
		h.until("Flink does not find it", func() bool { return strings.Contains(h.status("demo").Error, "s3://s/gone") })
		h.steps(240)
		expect(h.t, "kubectl get", h.columns("demo"), "FAILED FAILED False Ended")
		if strings.Contains(h.reasons("demo"), "Rollback") {
			h.t.Errorf("it tells of a rollback: %s", h.reasons("demo"))
		}
		h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-right", Savepoint: true})
		h.edit(
			"demo", jobField("initialSavepointPath", "s3://s/savepoint-right"), jobField("savepointRedeployNonce", int64(2)),
		)
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "a person chose the state; the one before is not what was asked for"},

	"a failed upgrade by last state is rolled back": {func(h *harness) {
		h.broken("last-state")
		h.sees("demo", "RUNNING ROLLED_BACK True Steady", "nothing, high-availability data(checkpoint)")
		h.tells("demo", "ImagePullBackOff JobStatusChanged Rollback SpecChanged Submit Suspended")
	}, "the new pod never came up, and the state is that of the old job"},

	"a job that fails for good after its upgrade is rolled back with what it ended with": {func(h *harness) {
		h.apply(
			"demo",
			application(
				stateful("last-state"), highlyAvailable, option("kubernetes.operator.deployment.rollback.enabled", "true"),
			),
		)
		h.untilStable("demo")
		h.checkpoints("demo")
		h.failing("20 s")
		h.sees("demo", "RUNNING ROLLED_BACK True Steady", "nothing, high-availability data(checkpoint), path(checkpoint)")
	}, "Flink removes the high-availability data of a job that failed, and tells what it ended with"},

	"a job that fails before its first checkpoint is rolled back, empty": {func(h *harness) {
		h.apply(
			"demo",
			application(
				stateful("last-state"), highlyAvailable, option("execution.checkpointing.interval", "1 h"),
				option("kubernetes.operator.deployment.rollback.enabled", "true"),
			),
		)
		h.untilStable("demo")
		h.failing("5 min")
		h.sees("demo", "RUNNING ROLLED_BACK True Steady", "nothing, nothing, nothing")
	}, "there is nothing to lose, and it is asked whether there is, long after its end"},

	"a failed upgrade by savepoint is rolled back, then fixed": {func(h *harness) {
		h.broken("savepoint")
		h.sees("demo", "RUNNING ROLLED_BACK True Steady", "nothing, path(savepoint)")
		h.edit("demo", field("image", "flink:1.20"), parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint), path(savepoint)")
	}, "the savepoint that was taken is what the old spec starts from, and a new spec ends the rollback"},
}
