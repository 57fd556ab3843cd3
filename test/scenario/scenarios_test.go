package scenario

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

func names[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }

// stable is what kubectl shows of a job that runs as asked.
const stable = "RUNNING STABLE True Steady"

// sees holds what a user sees of a resource, what runs in Flink, and how its jobs began.
func (h *harness) sees(name, columns, starts string) {
	h.t.Helper()
	expect(h.t, "kubectl get -o wide "+name, h.columns(name), columns)
	expect(h.t, "the starts of "+name, h.starts(name), starts)
}

// tells holds the reasons of the Kubernetes Events; only exact when nothing was disturbed.
func (h *harness) tells(name, reasons string) {
	h.t.Helper()
	if h.undisturbed() {
		expect(h.t, "the events of "+name, h.reasons(name), reasons)
	}
}

// hears holds that a listener was told last of this state, as far as it was told. Two passes at once, or an event that
// is late, may tell it in another order: then, that it was told.
func (h *harness) hears(name string, want v1beta1.LifecycleState) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	newest, disturbed := "nothing", !h.undisturbed()
	for _, e := range h.listeners {
		var c event.Change
		if e.Type() == event.TypeStatus && e.Subject() == namespace+"/"+kindName(h.kindOf(name))+"/"+plain(name) &&
			e.DataAs(&c) == nil {
			newest = c.LifecycleState
			if disturbed && newest == string(want) {
				break
			}
		}
	}
	expect(h.t, "the state of "+name+" that listeners heard of last", newest, string(want))
}

func (h *harness) condition(name, kind string) string {
	for _, c := range h.status(name).Conditions {
		if c.Type == kind {
			return string(c.Status) + " " + c.Reason + ": " + c.Message
		}
	}
	return "-"
}

// says holds that a condition contains a text.
func (h *harness) says(name, kind, text string) {
	h.t.Helper()
	if got := h.condition(name, kind); !strings.Contains(got, text) {
		h.t.Errorf("condition %s of %s is %q, want it to say %q", kind, name, got, text)
	}
}

// image scripts what becomes of pods with it.
func (h *harness) image(image string, s controllers.Script) { h.w.Nodes.Script(image, s) }

// loseDeployment deletes the JobManager Deployment behind our back.
func (h *harness) loseDeployment(name string) {
	h.t.Helper()
	if err := h.w.Kube.Delete(kubesim.Deployments, namespace, name, kubesim.DeleteOptions{}); err != nil {
		h.t.Fatal(err)
	}
}

// flink does something to the newest job of a resource.
func (h *harness) flink(name string, act func(j *job.Job)) {
	h.t.Helper()
	h.w.Flink.Do(namespace, h.clusterOf(name), h.job(name).ID, act)
}

// scenarios are all of them, by what happens, run by TestScenarios.
var scenarios = map[string]scenario{
	"an application comes up": {func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
		h.tells("demo", "JobStatusChanged Submit")
	}, "the first thing that anybody does"},

	"a session cluster comes up": {func(h *harness) {
		h.apply("demo", sessionCluster())
		h.untilStable("demo")
		h.sees("demo", "- STABLE True Steady", "")
		h.tells("demo", "Submit")
	}, "a cluster without a job is stable when Flink answers"},

	"a stateless upgrade": {func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
		h.tells("demo", "JobStatusChanged SpecChanged Submit Suspended")
	}, "the old cluster is gone before the new one is released"},

	"two edits in one": {func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.step()
		h.uncounted = true // what is released already cannot be redirected
		h.edit("demo", parallelism(6))
		h.until("the second edit is STABLE", func() bool { return h.settled("demo", v1beta1.LifecycleStable)() })
		expect(h.t, "parallelism", h.w.Flink.Job(namespace, "demo", "").Parallelism, 6)
	}, "a newer spec redirects a start that is not released"},

	"an upgrade of a session cluster": {func(h *harness) {
		h.apply("demo", sessionCluster())
		h.untilStable("demo")
		h.edit("demo", option("taskmanager.numberOfTaskSlots", "4"))
		h.untilStable("demo")
		h.sees("demo", "- STABLE True Steady", "")
	}, "a session cluster is replaced, too"},

	"suspended and resumed": {func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		expect(h.t, "JobManagers of a suspended job", h.w.Flink.JobManagers(namespace, "demo"), 0)
		h.sees("demo", "FINISHED SUSPENDED True Suspended", "nothing")
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "a suspended job costs nothing and comes back"},

	"suspended from the beginning": {func(h *harness) {
		h.apply("demo", application(jobState("suspended")))
		h.untilSituation("demo", "NeverStarted")
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "nothing is started until the spec says so"},

	"a broken image, then a good one": {func(h *harness) {
		h.image(
			"flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: `Back-off pulling image "flink:broken"`},
		)
		h.apply("demo", application(field("image", "flink:broken")))
		h.untilSituation("demo", "Broken")
		h.says("demo", "Stalled", "True ImagePullBackOff: [flink-main-container] Back-off pulling image")
		h.tells("demo", "ImagePullBackOff Submit")
		h.edit("demo", field("image", "flink:1.20"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "the reason is shown, and an edit fixes it"},

	"a quota in the way": {func(h *harness) {
		h.image(
			"flink:1.20@jobmanager", controllers.Script{Quota: true, Message: "exceeded quota: compute, requested: cpu=1"},
		)
		h.apply("demo", application())
		h.untilSituation("demo", "Broken")
		h.says("demo", "Stalled", "True FailedCreate: ")
		h.says("demo", "Stalled", "exceeded quota: compute")
		h.image("flink:1.20@jobmanager", controllers.Script{})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "what Kubernetes fixes by itself needs no edit"},

	"a missing service account": {func(h *harness) {
		h.image(
			"flink:1.20@jobmanager",
			controllers.Script{
				Quota: true, Message: `error looking up service account flink/flink: serviceaccount "flink" not found`,
			},
		)
		h.apply("demo", application())
		h.untilSituation("demo", "Broken")
		h.says("demo", "Stalled", "make tenant NS=flink")
		h.image("flink:1.20@jobmanager", controllers.Script{})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "the message says which command makes the account"},

	"no room on any node": {func(h *harness) {
		h.image(
			"flink:1.20@jobmanager",
			controllers.Script{Unschedulable: true, Message: "0/1 nodes are available: 1 Insufficient cpu."},
		)
		h.apply("demo", application())
		h.until("it says so", func() bool { return strings.Contains(h.condition("demo", "Ready"), "Insufficient cpu") })
		expect(h.t, "columns", h.columns("demo"), "RECONCILING DEPLOYED False Waiting")
		h.image("flink:1.20@jobmanager", controllers.Script{})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "a full cluster is waited for, and named"},

	"an invalid first spec, then a valid one": {func(h *harness) {
		h.apply("demo", application(parallelism(0)))
		h.untilSituation("demo", "Invalid")
		h.says("demo", "SpecAccepted", "False ValidationFailed")
		h.tells("demo", "ValidationError")
		expect(h.t, "Deployments", len(h.w.Kube.List(kubesim.Deployments, namespace, nil)), 0)
		h.edit("demo", parallelism(2))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "nothing is made of a spec that does not validate"},

	"an invalid change of a running job": {func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.edit("demo", parallelism(0))
		h.until("it is refused", func() bool { return strings.HasPrefix(h.condition("demo", "SpecAccepted"), "False") })
		h.says("demo", "Stalled", "ValidationFailed")
		expect(h.t, "the job goes on", h.starts("demo"), "nothing")
		h.edit("demo", parallelism(2))
		h.until("it is accepted", func() bool { return strings.HasPrefix(h.condition("demo", "Ready"), "True") })
		h.sees("demo", stable, "nothing")
	}, "what runs is left alone"},

	"the JobManager Deployment is deleted": {func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.loseDeployment("demo")
		h.until("another start", func() bool { return h.starts("demo") == "nothing, nothing" })
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
		h.tells("demo", "JobStatusChanged Missing RecoverDeployment Submit")
	}, "a stateless job is started again"},

	"the JobManager Deployment of a highly available job is deleted": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.loseDeployment("demo")
		h.until("another start", func() bool { return len(h.w.Flink.Starts(namespace, "demo")) == 2 })
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "it goes on from its last checkpoint, under its ID"},

	"the JobManager Deployment of a stateful job is deleted": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.loseDeployment("demo")
		h.untilSituation("demo", "StateLost")
		h.says("demo", "StateSafe", "False")
		h.says("demo", "Stalled", "savepointRedeployNonce")
		h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-mine", Savepoint: true, Progress: 5})
		h.edit(
			"demo", jobField("initialSavepointPath", "s3://s/savepoint-mine"), jobField("savepointRedeployNonce", int64(1)),
		)
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "without high availability a person decides what state it starts from"},

	"a job fails": {func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.flink("demo", func(j *job.Job) { j.Fail("java.lang.IllegalStateException", "no such topic", h.w.Clock.Now()) })
		h.until("it is FAILED", h.settled("demo", v1beta1.LifecycleFailed))
		h.sees("demo", "FAILED FAILED False Ended", "nothing")
		if err := h.status("demo").Error; !strings.Contains(err, "no such topic") {
			h.t.Errorf("status.error %q does not name the cause", err)
		}
		h.tells("demo", "Error JobException JobStatusChanged Submit")
	}, "the cause is shown, and the cluster kept for its logs"},

	"a job finishes": {func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.flink("demo", func(j *job.Job) { j.Finish(h.w.Clock.Now()) })
		h.untilSituation("demo", "Ended")
		h.sees("demo", "FINISHED STABLE True Ended", "nothing")
	}, "a bounded job has done what was asked"},

	"found by the sweep alone": {func(h *harness) {
		h.apply("demo", application())
		h.apply("other", sessionCluster())
		h.w.Kube.Feed.Take()
		h.untilStable("demo")
		h.untilStable("other")
		h.sees("demo", stable, "nothing")
	}, "resources that were there before the operator"},

	"two resources": {func(h *harness) {
		h.apply("one", application())
		h.apply("two", application(stateful("savepoint")))
		h.untilStable("one")
		h.untilStable("two")
		h.edit("one", parallelism(4))
		h.edit("two", parallelism(4))
		h.untilStable("one")
		h.untilStable("two")
		h.sees("one", stable, "nothing, nothing")
		h.sees("two", stable, "nothing, path(savepoint)")
	}, "one does not disturb the other"},

	"the clock": {func(h *harness) {
		expect(h.t, "as installed", h.pace(), clock.Transition)
		h.apply("demo", application())
		h.untilStable("demo")
		expect(h.t, "after a transition", h.pace(), clock.Transition)
		h.until("it is steady", func() bool { return h.pace() == clock.Steady })
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		if h.disturbance != string(dropped) {
			expect(h.t, "during a transition", h.pace(), clock.Transition)
		}
		h.until("it is asleep", func() bool { return h.pace() == clock.Asleep })
		h.pass(10 * time.Minute)
	}, "it ticks as often as the fleet needs"},
}
