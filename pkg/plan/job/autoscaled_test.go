package job

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

const (
	turnedOn  = `"job.autoscaler.enabled":"true"`
	turnedOff = `"job.autoscaler.enabled":"false"`
	resized   = `"pipeline.jobvertex-parallelism-overrides":"` + vertex + `:8"`
)

// optioned sets the options of the spec, and of what was deployed, between the braces.
func optioned(t *testing.T, s *Seen, spec, recorded string) {
	t.Helper()
	s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration("{" + recorded + "}")
	deployed(t, s)
	s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration("{" + spec + "}")
}

// What the autoscaler keeps is a read of its own: it is left out where nothing can follow from it.
func TestWhenTheStoreOfTheAutoscalerIsRead(t *testing.T) {
	rows := map[string]struct {
		then        func(s *Seen)
		read, keeps bool // keeps: it is laid over the spec, by what was recorded
	}{
		"it is on":                    {func(s *Seen) { optioned(t, s, turnedOn, turnedOn) }, true, false},
		"it is on, and set something": {func(s *Seen) { optioned(t, s, turnedOn, turnedOn+","+resized) }, true, true},
		"it had set something":        {func(s *Seen) { optioned(t, s, "", resized) }, true, true},
		"it is off, and set nothing":  {func(s *Seen) { optioned(t, s, "", "") }, false, false},
		"it is on for the first time": {func(s *Seen) { optioned(t, s, turnedOn, ""); neverDeployed(s) }, false, false},
		"nobody can read the spec": {func(s *Seen) {
			optioned(t, s, "", resized)
			s.SpecProblem = "no object"
		}, false, false},
		"nobody can read what was done": {func(s *Seen) { optioned(t, s, turnedOn, resized); unreadable(s) }, false, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := newLife(t, row.then)
			if read := Autoscaled(v); read != row.read || v.KeepsAutoscaled != row.keeps {
				t.Errorf("read %t, kept %t; want %t, %t", read, v.KeepsAutoscaled, row.read, row.keeps)
			}
		})
	}
}

// unreadable records a spec that cannot be read any more.
func unreadable(s *Seen) { s.Resource.Status.ReconciliationStatus.LastReconciledSpec += "}" }

// autoscales is a job that runs by itself with the autoscaler on, of which nothing is kept yet.
func autoscales(t *testing.T, s *Seen) {
	t.Helper()
	optioned(t, s, turnedOn, turnedOn)
	s.Autoscaled = plan.Absent[autoscaled.Store]()
	s.Flink.Jobs = plan.Present([]Job{{ID: "a", State: v1beta1.FlinkJobRunning, Tasks: 2, Running: 2}})
}

// A job is measured while it is what was deployed, and does all of its work.
func TestWhichJobIsMeasured(t *testing.T) {
	rows := map[string]struct {
		then func(s *Seen)
		want bool
	}{
		"one that runs":            {func(*Seen) {}, true},
		"one without autoscaler":   {func(s *Seen) { optioned(t, s, turnedOff, turnedOn) }, false},
		"one that is not listed":   {func(s *Seen) { s.Flink.Jobs = plan.Present([]Job{}) }, false},
		"one whose tasks begin":    {func(s *Seen) { tasks(s, 1) }, false},
		"one that was rolled back": {func(s *Seen) { recordedState(s, v1beta1.ReconciliationRolledBack) }, false},
		"one that is being upgraded": {func(s *Seen) {
			s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping}
		}, false},
		"one that was suspended": {func(s *Seen) {
			s.Resource.Spec.Job.State = v1beta1.JobStateSuspended
			optioned(t, s, turnedOn, turnedOn)
		}, false},
		"one whose spec nobody can read": {func(s *Seen) { s.SpecProblem = "no object" }, false},
		"one whose store nobody can read": {func(s *Seen) {
			s.Autoscaled = plan.Unknown[autoscaled.Store]("forbidden")
		}, false},
		"one whose store is broken": {func(s *Seen) {
			s.Autoscaled = plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": "x"}})
		}, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if _, got := Sampling(newLife(t, func(s *Seen) { autoscales(t, s); row.then(s) })); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// tasks has so many of the two tasks run.
func tasks(s *Seen, running int) {
	s.Flink.Jobs = plan.Present([]Job{{ID: "a", State: v1beta1.FlinkJobRunning, Tasks: 2, Running: running}})
}

func recordedState(s *Seen, state v1beta1.ReconciliationState) {
	s.Resource.Status.ReconciliationStatus.State = state
}

// The condition says how far the autoscaler is, of a job that runs by a spec that counts; what keeps it from scaling is
// told once.
func TestWhatIsToldOfTheAutoscaler(t *testing.T) {
	broken := plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": "x"}})
	says := func(message string) func(s *Seen) {
		return func(s *Seen) {
			s.Autoscaled = broken
			s.Resource.Status.Conditions = []metav1.Condition{{
				Type: summary.Autoscaling, Reason: string(plan.ReasonAutoscalerError), Message: message,
			}}
		}
	}
	first := newLife(t, func(s *Seen) { autoscales(t, s); s.Autoscaled = broken })
	said, _ := Conclusion(first).autoscaling()
	rows := map[string]struct {
		then    func(s *Seen)
		problem string
		want    plan.Reason
		told    int
	}{
		"it collects":         {func(*Seen) {}, "", plan.ReasonAutoscalerCollecting, 0},
		"its store is broken": {func(s *Seen) { s.Autoscaled = broken }, "", plan.ReasonAutoscalerError, 1},
		"its samples fail": {func(s *Seen) {
			s.Autoscaled = plan.Present(autoscaled.Store{Samples: samples.Write(samples.Kept{Job: "a", Problem: "404"})})
		}, "", plan.ReasonAutoscalerError, 1},
		"that was told":         {says(said.Message), "", plan.ReasonAutoscalerError, 0},
		"something else was":    {says("it is full"), "", plan.ReasonAutoscalerError, 1},
		"the spec is invalid":   {func(*Seen) {}, "it is invalid", "", 0},
		"the resource goes":     {func(s *Seen) { s.Resource.DeletionTimestamp = &metav1.Time{Time: noon} }, "", "", 0},
		"it is not asked for":   {func(s *Seen) { optioned(t, s, turnedOff, turnedOff) }, "", "", 0},
		"it was never deployed": {neverDeployed, "", "", 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := newLife(t, func(s *Seen) { autoscales(t, s); row.then(s) })
			v.Problem = row.problem
			c, _ := Conclusion(v).autoscaling()
			if c.Reason != string(row.want) || len(v.Events) != row.told {
				t.Errorf("%s %s, told %d; want %s, %d", c.Reason, c.Message, len(v.Events), row.want, row.told)
			}
		})
	}
}

// An error of the autoscaler is in the condition, and no event; what else it says is told as it is.
func TestWhichEventsOfTheAutoscalerAreTold(t *testing.T) {
	v := autoscaling(newLife(t, func(*Seen) {}))
	decided := autoscaler.Result{Time: noon, Events: []model.Event{
		{Type: model.EventWarning, Reason: model.ReasonError, Key: "e"},
		{Type: model.EventWarning, Reason: model.ReasonIneffective, Key: "i"},
		{Type: model.EventNormal, Reason: model.ReasonScalingReport, Key: "r"},
	}}
	for scaled, keys := range map[bool][]string{
		false: {"i " + noon.Format(time.RFC3339), "r " + noon.Format(time.RFC3339)}, true: {"i", "r"},
	} {
		if decided.Decision = (execute.Decision{}); scaled {
			decided.Decision.Outcome = execute.OutcomeScaled
		}
		events := v.events(decided)
		if len(events) != 2 || events[0].Key != keys[0] || events[1].Key != keys[1] || !events[0].Warning ||
			events[1].Warning || events[0].Once == scaled {
			t.Errorf("scaled %t: told %+v, want %q", scaled, events, keys)
		}
	}
}
