package scenario

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

// asksNow sets the annotation by which a user asks for an attempt.
func (h *harness) asksNow(name, value string) {
	h.t.Helper()
	_, err := h.w.Kube.Update(h.kindOf(name), namespace, plain(name), func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{v1beta1.AnnotationReconcileRequested: value})
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// failsOften lets the stop of a change fail until the pause before the next attempt is longer than two minutes.
func (h *harness) failsOften() {
	h.t.Helper()
	h.w.Flink.ScriptJob(demo, job.Script{SnapshotFails: "the store is full"})
	h.apply(demo, application(stateful("savepoint")))
	h.untilStable(demo)
	h.edit(demo, parallelism(4))
	h.untilPause(2 * time.Minute)
}

// untilPause waits until the next attempt is further away than some time, and status.wait says so.
func (h *harness) untilPause(longer time.Duration) {
	h.t.Helper()
	h.until("the pause is long", func() bool {
		w := h.status(demo).Wait
		return w != nil && w.Then == "it is tried again" && w.Until.Sub(h.w.Clock.Now()) > longer
	})
}

// A user who has mended the cause does not wait for the pause: a new value of the annotation ends it, once.
func TestAUserEndsThePause(t *testing.T) {
	for host, onSession := range map[string]bool{"an application": false, "a session job": true} {
		t.Run(host, func(t *testing.T) {
			h := newHarness(t)
			h.onSession = onSession
			h.failsOften()
			attempts := h.status(demo).Retry.Attempts

			h.asksNow(demo, "1")
			h.until("it is tried, and fails", func() bool { return h.status(demo).Retry.Attempts > attempts })
			expect(t, "the value that was acted on", h.status(demo).ReconcileRequested, "1")
			h.untilPause(time.Minute)
			attempts = h.status(demo).Retry.Attempts
			h.pass(time.Minute)
			if now := h.status(demo).Retry.Attempts; now != attempts {
				t.Errorf("%d attempts, want %d: a value counts once", now, attempts)
			}

			h.w.Flink.ScriptJob(demo, job.Script{})
			h.asksNow(demo, "2")
			if took := h.took("it is stable", func() bool { return h.status(demo).Situation == "Steady" }); took > time.Minute {
				t.Errorf("it took %s", took)
			}
			h.sees(demo, stable, "nothing, path(savepoint)")
			if w := h.status(demo).Wait; w != nil {
				t.Errorf("it waits: %+v", w)
			}
		})
	}
}

// What Kubernetes refuses is tried at once, too.
func TestAUserEndsThePauseOfARefusal(t *testing.T) {
	h := newHarness(t)
	h.apply(demo, application(stateful("savepoint")))
	h.untilStable(demo)
	h.w.Kube.Policy = func(w kubesim.Write) error {
		if w.Dry && w.Resource == kubesim.Pods {
			return kubesim.WebhookAway()
		}
		return nil
	}
	h.edit(demo, parallelism(4))
	h.untilPause(2 * time.Minute)
	h.w.Kube.Policy = nil
	h.asksNow(demo, "now")
	if took := h.took("it is stable", func() bool {
		return h.status(demo).Situation == "Steady"
	}); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	h.sees(demo, stable, "nothing, path(savepoint)")
}

// The pause of a job that failed again and again ends, too, and its count begins anew.
func TestAUserEndsThePauseOfARestart(t *testing.T) {
	h := newHarness(t)
	h.apply(demo, application(stateful("last-state"), highlyAvailable))
	h.untilStable(demo)
	h.until("it waits for its restart", func() bool {
		if h.w.Kube.Get(kubesim.Deployments, namespace, demo) != nil {
			h.loseDeployment(demo)
		}
		w := h.status(demo).Wait
		return w != nil && w.For == "RestartPending" && w.Then == "the job is started again" &&
			w.Until.Sub(h.w.Clock.Now()) > 2*time.Minute
	})
	h.asksNow(demo, "now")
	if took := h.took("it is stable", func() bool { return h.status(demo).Situation == "Steady" }); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	if r := h.status(demo).Restarts; r == nil || r.InARow != 1 {
		t.Errorf("restarts %+v, want one", r)
	}
}

// The time of a rollback is in status from the start on, and comes.
func TestStatusSaysWhenItIsRolledBack(t *testing.T) {
	h := newHarness(t)
	h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
	rolledBack := option("kubernetes.operator.deployment.rollback.enabled", "true")
	h.apply(demo, application(stateful("savepoint"), highlyAvailable, rolledBack))
	h.untilStable(demo)
	h.checkpoints(demo)
	h.edit(demo, field("image", "flink:broken"), option("kubernetes.operator.deployment.readiness.timeout", "3 min"))
	h.until("status says when", func() bool {
		w := h.status(demo).Wait
		return w != nil && strings.Contains(w.Then, "rolled back")
	})
	until := h.status(demo).Wait.Until
	h.until("it is rolled back", func() bool {
		w := h.status(demo).Wait
		if w != nil && strings.Contains(w.Then, "rolled back") && !w.Until.Equal(&until) {
			t.Errorf("the time moved from %s to %s", until, w.Until)
		}
		return h.status(demo).ReconciliationStatus.State != v1beta1.ReconciliationDeployed
	})
	if early := until.Sub(h.w.Clock.Now()); early > 0 || early < -2*time.Minute {
		t.Errorf("it was rolled back %s before that time", early)
	}
}
