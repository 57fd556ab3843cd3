package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// lame is a host whose JobManager does not start.
type lame struct{ *guesttest.Guest }

func (lame) PodFailure() *plan.Cause {
	return &plan.Cause{Reason: "ImagePullBackOff", Message: "no such image"}
}

// Each error says in status and in a Warning what failed, and of which kind it is.
func TestWhatAnErrorSays(t *testing.T) {
	rows := map[string]struct {
		shows  func(v *world.Look) *decision.Shown
		reason plan.Reason
		errs   []string // parts of status.error
		says   string
	}{
		"an operation that cannot go on": {
			shows:  func(v *world.Look) *decision.Shown { return Failure(v, plan.ReasonJobBegan, "it began") },
			reason: plan.ReasonJobBegan, errs: []string{"UpgradeFailureException", "it began"}, says: "it began",
		},
		"a spec that does not validate": {
			shows: func(v *world.Look) *decision.Shown {
				v.Headline = "spec.job must be set"
				return Rejection(v)
			},
			reason: plan.ReasonValidationError, errs: []string{"Validation", "spec.job must be set"},
			says: "spec.job must be set",
		},
		"a JobManager that does not start": {
			shows:  PodFailure,
			reason: "ImagePullBackOff", errs: []string{"ImagePullBackOff", "no such image"}, says: "no such image",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(*world.Seen) {})
			v.Host = lame{&guesttest.Guest{Look: v}}
			got := row.shows(v)
			for _, part := range row.errs {
				if !strings.Contains(got.Error, part) {
					t.Errorf("status.error lacks %q: %s", part, got.Error)
				}
			}
			if !got.Event.Warning || got.Event.Reason != row.reason || got.Event.Message != row.says {
				t.Errorf("event %s: %q, a Warning %t; want the Warning %s: %q",
					got.Event.Reason, got.Event.Message, got.Event.Warning, row.reason, row.says)
			}
		})
	}
}

// While the error of a spec is shown, no other takes its place.
func TestTheErrorOfASpecStays(t *testing.T) {
	rows := map[string]struct {
		then func(v *world.Look)
		want bool
	}{
		"the spec is invalid":        {then: func(v *world.Look) { v.Problem = "no" }, want: true},
		"the change is refused":      {then: func(v *world.Look) { v.Found.Refused = &plan.Cause{} }, want: true},
		"nothing is said against it": {then: func(*world.Look) {}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(*world.Seen) {})
			v.Host = lame{&guesttest.Guest{Look: v}}
			row.then(v)
			if got := Shows(v); got != row.want {
				t.Errorf("its error is shown: %t, want %t", got, row.want)
			}
			if got := PodFailure(v); (got == nil) != row.want {
				t.Errorf("the failure of the pod is shown: %+v", got)
			}
		})
	}
}

// The error of a job that failed is told from others, and has Flink's stack trace where the options ask for it.
func TestTheErrorOfAFailedJob(t *testing.T) {
	const trace = "java.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)"
	for on, want := range map[string]bool{"true": true, "false": false} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Operator = flinkconf.NewOperator(flinkconf.Config{
				"kubernetes.operator.exception.stacktrace.enabled": on,
			})
			s.Flink.FailureTrace = trace
		})
		text := JobFailed(v, "IllegalStateException: no")
		if !TellsJobFailed(text) || !strings.Contains(text, "IllegalStateException: no") {
			t.Errorf("it does not tell that the job failed, and why: %s", text)
		}
		if got := strings.Contains(text, "B.java:1"); got != want {
			t.Errorf("stack traces %s: it has one: %t: %s", on, got, text)
		}
	}
	if v := guesttest.NewLife(t, func(*world.Seen) {}); TellsJobFailed(Failure(v, "A", "b").Error) {
		t.Error("the error of an operation is that of a failed job")
	}
}

// An effect that failed stalls the situation that it was tried in, and keeps what was refused before.
func TestAnEffectThatFailed(t *testing.T) {
	v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.Situation = string(plan.Stopping) })
	got := EffectFailed(v, "Forbidden", "deployments is forbidden")
	want := decision.Result{
		Situation: plan.Stopping, KeepsRefusal: true,
		Stall: &plan.Cause{Reason: "Forbidden", Message: "deployments is forbidden"},
	}
	if diff := cmp.Diff(want, got.Result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	for _, part := range []string{"Forbidden", "deployments is forbidden"} {
		if !strings.Contains(got.Shown.Error, part) {
			t.Errorf("status.error lacks %q: %s", part, got.Shown.Error)
		}
	}
}
