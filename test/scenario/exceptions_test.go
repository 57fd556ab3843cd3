package scenario

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

func init() {
	for name, s := range exceptionScenarios {
		scenarios[name] = s
	}
}

// exceptionsOf are the Events of a resource's failures by the first line of their message.
func (h *harness) exceptionsOf(name string) map[string]*unstructured.Unstructured {
	found := map[string]*unstructured.Unstructured{}
	for _, u := range h.w.Kube.List(kubesim.Events, namespace, nil) {
		of, _, _ := unstructured.NestedString(u.Object, "involvedObject", "name")
		reason, _, _ := unstructured.NestedString(u.Object, "reason")
		message, _, _ := unstructured.NestedString(u.Object, "message")
		if first, _, _ := strings.Cut(message, "\n"); of == name && reason == "JobException" {
			found[first] = u
		}
	}
	return found
}

// untilTold waits for the event of a failure, and holds that it is one, with its time.
func (h *harness) untilTold(name, failure string) {
	h.t.Helper()
	h.until("the failure is told: "+failure, func() bool { return h.exceptionsOf(name)[failure] != nil })
	u := h.exceptionsOf(name)[failure]
	if at, err := time.Parse(time.RFC3339Nano, u.GetAnnotations()["exception-timestamp"]); err != nil ||
		at.After(h.w.Clock.Now()) {
		h.t.Errorf("annotations %v: %v", u.GetAnnotations(), err)
	}
}

// counted holds how often each failure was told; only exact when nothing was disturbed.
func (h *harness) counted(name string, failures ...string) {
	h.t.Helper()
	if !h.undisturbed() {
		return
	}
	for _, failure := range failures {
		count, _, _ := unstructured.NestedInt64(h.exceptionsOf(name)[failure].Object, "count")
		expect(h.t, "how often was told "+failure, count, 1)
	}
	expect(h.t, "failures told", len(h.exceptionsOf(name)), len(failures))
}

// asksForExceptions says how many requests for the exception history some ticks make.
func (h *harness) asksForExceptions() int {
	h.t.Helper()
	h.w.Tap.Forget()
	h.pass(5 * time.Minute)
	n := 0
	for _, r := range h.w.Tap.Requests() {
		if r.System == "flink" && r.Resource == "exceptions" {
			n++
		}
	}
	return n
}

// exceptionScenarios are about what Flink remembers of failures, run by TestScenarios.
var exceptionScenarios = map[string]scenario{
	"failures that the job survives": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.pass(3 * time.Minute) // a moment after the last change Flink's answer may be an old one
		expect(h.t, "requests that a steady job costs", h.asksForExceptions(), 0)
		h.flink("demo", func(j *job.Job) { j.Restart("java.io.IOException", "disk full", h.w.Clock.Now()) })
		h.untilTold("demo", "java.io.IOException: disk full")
		h.untilStable("demo")
		h.pass(3 * time.Minute)
		expect(h.t, "requests that it costs afterwards", h.asksForExceptions(), 0)
		h.flink("demo", func(j *job.Job) {
			j.Restart("java.lang.RuntimeException", "bad record", h.w.Clock.Now())
			j.Restart("java.io.IOException", "no route", h.w.Clock.Now())
		})
		h.untilTold("demo", "java.io.IOException: no route")
		h.untilStable("demo")
		h.pass(10 * time.Minute)
		h.counted(
			"demo", "java.io.IOException: disk full", "java.lang.RuntimeException: bad record",
			"java.io.IOException: no route",
		)
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, fail-over(checkpoint), fail-over(checkpoint), path(savepoint)")
	}, "a user reads why the job restarted, each failure once, and a steady job costs no request for it"},

	"a failure that the job does not survive": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.flink("demo", func(j *job.Job) { j.Fail("java.io.IOException", "disk full", h.w.Clock.Now()) })
		h.untilTold("demo", "java.io.IOException: disk full")
		h.until("it is FAILED", h.settled("demo", v1beta1.LifecycleFailed))
		h.pass(10 * time.Minute)
		h.counted("demo", "java.io.IOException: disk full")
		expect(h.t, "requests that an ended job costs", h.asksForExceptions(), 0)
	}, "the last failure is told, too, and not again while the JobManager stays"},
}
