package job

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// guest is a host that is always there and runs many jobs, as a session cluster does: a start is one request, and
// nothing is taken down but the job.
type guest struct{ Life }

func (g *guest) Present() bool            { return true }
func (g *guest) CanBeAsked() bool         { return true }
func (g *guest) AvailableAt() metav1.Time { return metav1.Time{} }
func (g *guest) ReleasedAt() time.Time    { return time.Time{} }
func (g *guest) NeverRan() bool           { return false }
func (g *guest) SilentNode() string       { return "" }
func (g *guest) HA() hadata.Data          { return hadata.Data{} }

func (g *guest) Standing() (Standing, string) { return There, "" }
func (g *guest) Incarnation() types.UID       { return "uid-of-session" }
func (g *guest) Endpoint() plan.Endpoint {
	return plan.Endpoint{URL: "http://session"}
}
func (g *guest) What() string                                              { return "the job" }
func (g *guest) Trim(*v1beta1.FlinkDeploymentStatus)                       {}
func (g *guest) BringsBack() bool                                          { return true }
func (g *guest) Finalizer() string                                         { return "guest" }
func (g *guest) Startable(*v1beta1.Intent) error                           { return nil }
func (g *guest) Occupied() (Result, bool)                                  { return Result{}, false }
func (g *guest) MayRunAnother(*v1beta1.FlinkDeploymentSpec) (Result, bool) { return Result{}, false }
func (g *guest) NotNow() (Result, bool)                                    { return Result{}, false }
func (g *guest) AwaitJobGraph() (Result, bool)                             { return Result{}, false }
func (g *guest) Rest() ([]plan.Action, bool)                               { return nil, false }
func (g *guest) WaitForEnd() Result                                        { return Result{} }
func (g *guest) Unsettled() (string, bool)                                 { return "", false }
func (g *guest) PodFailure() *plan.Cause                                   { return nil }
func (g *guest) TaskManagerFailure() (*plan.Cause, bool)                   { return nil, false }
func (g *guest) ForgetEarlier(*v1beta1.Intent, v1beta1.FlinkDeploymentSpec) (Result, bool) {
	return Result{}, false
}

func (g *guest) Prepare(*v1beta1.Intent) (plan.Action, string, error) {
	return plan.WakeClock{}, "", nil
}

// CarryStart lets the job run as soon as its intent is stored.
func (g *guest) CarryStart() Result {
	g.Intent().Step = v1beta1.StepReleased
	Record(g.Life).Released(Goal(g.Life).StartTarget())
	return Result{Situation: plan.Waiting}
}

func (g *guest) CarryRelease() (Result, bool) {
	g.Want.Intent = nil
	return Result{}, false
}

// Watch notes nothing.
func (g *guest) Watch() {}

// CarryStop ends a stop once the end of the job is recorded.
func (g *guest) CarryStop() Result {
	if g.Intent().Ended || g.Intent().Stop == v1beta1.StopNone {
		return Stopping(g.Life).End()
	}
	return Stopping(g.Life).Step()
}

func (g *guest) TakeApart() Result { return Result{Situation: plan.Stopping, Actions: g.TakeDown()} }

func (g *guest) TakeDown() []plan.Action { return nil }

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
	seen := Seen{Now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), Operator: flinkconf.NewOperator(nil), Resource: r}
	rules := []func(Life) (Result, bool){InFlight, CarryOn, First, Change, RollBack, Heal, RecoverLost, Settled}
	version := 1
	round := func() Result {
		t.Helper()
		v := New(&seen)
		g := &guest{v}
		v.Host, v.Starter, v.Stopper = g, g, g
		for i, rule := range rules {
			if i == 2 && v.Last != nil { // as a kind's face does after what is under way
				v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerReady
				ObserveJob(v)
			}
			if result, mine := rule(v); mine {
				version++
				r.Status, r.ResourceVersion = v.Want, fmt.Sprint(version)
				return result
			}
		}
		return Result{}
	}
	runs := func(state v1beta1.FlinkJobState) {
		seen.Flink.Jobs = plan.Present([]Job{{
			ID: r.Status.JobStatus.JobID, State: state, StartTime: "1700000000000", Tasks: 1, Running: 1,
		}})
	}
	rest := func(want plan.Situation) {
		t.Helper()
		var last Result
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

	inProgress := plan.Present(StopProgress{State: StopInProgress})
	seen.Flink.Stop = inProgress
	r.Spec.Job.Parallelism, r.Generation = 2, 2
	rest(plan.Stopping)
	seen.Flink.Stop = plan.Present(StopProgress{State: StopCompleted, Path: "s3://s/1"})
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
	seen.Flink.Stop = plan.Present(StopProgress{State: StopCompleted, Path: "s3://s/2"})
	runs(v1beta1.FlinkJobFinished)
	rest(plan.Suspended)
	if got := r.Status.JobStatus.UpgradeSavepointPath; got != "s3://s/2" {
		t.Errorf("the resumption would start from %q", got)
	}
}
