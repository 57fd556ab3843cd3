package decide

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/observe"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// lodger is a guest that starts and ends.
type lodger struct {
	*guesttest.Guest
	guesttest.Steps
}

// CarryStart lets the job run as soon as its intent is stored.
func (g lodger) CarryStart() decision.Result {
	g.Look.Intent().Step = v1beta1.StepReleased
	record.Released(g.Look, facts.StartTarget(g.Look))
	return decision.Result{Situation: plan.Waiting}
}

func (g lodger) CarryRelease() (decision.Result, bool) {
	g.Look.Want.Intent = nil
	return decision.Result{}, false
}

// CarryStop ends a stop once the end of the job is recorded.
func (g lodger) CarryStop() decision.Result {
	if g.Look.Intent().Ended || g.Look.Intent().Stop == v1beta1.StopNone {
		return operation.EndStop(g.Look)
	}
	return operation.StopStep(g.Look)
}

// A job that is the guest of a session cluster lives by the same rules: it is started, upgraded with a savepoint and
// suspended, and no Deployment is known to any of them.
func TestALifeWithoutADeployment(t *testing.T) {
	r := &v1beta1.FlinkDeployment{}
	r.Namespace, r.Name, r.UID, r.Generation, r.ResourceVersion = "default", "guest", "uid-of-guest", 1, "1"
	r.Finalizers = []string{"guest"}
	spec := `{"flinkVersion":"v1_20","flinkConfiguration":{"execution.checkpointing.savepoint-dir":"s3://s"},
		"job":{"jarURI":"local:///opt/job.jar","parallelism":1,"upgradeMode":"savepoint"}}`
	if err := json.Unmarshal([]byte(spec), &r.Spec); err != nil {
		t.Fatal(err)
	}
	seen := world.Seen{
		Now:      time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		Operator: flinkconf.NewOperator(nil),
		Resource: r,
	}
	step := func(carry func(*world.Look) (decision.Result, bool)) func(*world.Look) decision.Decision {
		return func(v *world.Look) decision.Decision { return decision.Of(carry(v)) }
	}
	rules := []func(*world.Look) decision.Decision{
		step(observe.InFlight), step(operation.CarryOn), First, Change, RollBack, Heal, RecoverLost, Settled,
	}
	version := 1
	round := func() decision.Result {
		t.Helper()
		v := world.New(&seen)
		g := lodger{Guest: &guesttest.Guest{Look: v}}
		v.Host, v.Starter, v.Stopper = g, g, g
		for i, rule := range rules {
			if i == 2 && v.Last != nil { // as a kind's face does after what is under way
				v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerReady
				observe.Job(v)
			}
			d := rule(v)
			if result := operation.Decided(v, d); !d.Passes {
				version++
				r.Status, r.ResourceVersion = v.Want, fmt.Sprint(version)
				return result
			}
		}
		return decision.Result{}
	}
	runs := func(state v1beta1.FlinkJobState) {
		seen.Flink.Jobs = plan.Present([]world.Job{{
			ID: r.Status.JobStatus.JobID, State: state, StartTime: "1700000000000", Tasks: 1, Running: 1,
		}})
	}
	rest := func(want plan.Situation) {
		t.Helper()
		var last decision.Result
		for range 6 {
			last = round()
		}
		if last.Situation != want {
			t.Fatalf("it rests as %s, want %s; %+v", last.Situation, want, r.Status)
		}
	}

	rest(plan.Waiting)
	first := r.Status.JobStatus.JobID
	runs(v1beta1.FlinkJobRunning)
	rest(plan.Steady)

	inProgress := plan.Present(world.StopProgress{State: world.StopInProgress})
	seen.Flink.Stop = inProgress
	r.Spec.Job.Parallelism, r.Generation = 2, 2
	rest(plan.Stopping)
	seen.Flink.Stop = plan.Present(world.StopProgress{State: world.StopCompleted, Path: "s3://s/1"})
	runs(v1beta1.FlinkJobFinished)
	rest(plan.Waiting)
	status := r.Status.JobStatus
	if from := status.StartedFrom; status.JobID == first || from == nil || from.Path != "s3://s/1" {
		t.Errorf("the upgrade started job %s (was %s) from %+v", status.JobID, first, from)
	}

	seen.Flink.Stop = inProgress
	runs(v1beta1.FlinkJobRunning)
	rest(plan.Steady)
	r.Spec.Job.State, r.Generation = v1beta1.JobStateSuspended, 3
	rest(plan.Stopping)
	seen.Flink.Stop = plan.Present(world.StopProgress{State: world.StopCompleted, Path: "s3://s/2"})
	runs(v1beta1.FlinkJobFinished)
	rest(plan.Suspended)
	if got := r.Status.JobStatus.UpgradeSavepointPath; got != "s3://s/2" {
		t.Errorf("the resumption would start from %q", got)
	}
}
