package operation_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What is waited for without an answer is told after a while, with what a person can do.
func TestAnEndThatFlinkDoesNotTellIsTold(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Given(enginetest.Stateful))
	w.ServeJob(v1beta1.FlinkJobFailed)
	w.Snapshot.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("Flink answered 500")
	w.Run()
	w.PersonDecides(false)
	w.Snapshot.Now = w.Snapshot.Now.Add(11 * time.Minute)
	w.Run()
	w.PersonDecides(true)
	w.Ends(
		v1beta1.FlinkJobFailed,
		enginetest.Retentions["RETAIN_ON_CANCELLATION"],
		world.Checkpoints{Path: "file:///c/1/chk-7"},
	)
	w.EndedWith("file:///c/1/chk-7")
}

func TestACancellationThatDoesNotEndIsTold(t *testing.T) {
	w := enginetest.Stable(
		t,
		enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
	)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.ServeJob(v1beta1.FlinkJobCancelling)
	w.Run()
	if w.Condition(summary.Stalled).Status == metav1.ConditionTrue {
		t.Error("it may still end")
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(5 * time.Minute) // kubernetes.operator.resource.cleanup.timeout
	w.Run()
	if w.Condition(summary.Stalled).Status == metav1.ConditionTrue {
		t.Error("its time is not over yet")
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Second)
	w.Run()
	if c := w.Condition(summary.Stalled); c.Reason != "CancelOverdue" {
		t.Errorf("stalled %+v", c)
	}
	w.Ends(
		v1beta1.FlinkJobCanceled,
		enginetest.Retentions["RETAIN_ON_CANCELLATION"],
		world.Checkpoints{Path: "file:///c/1/chk-7"},
	)
	if i := w.Status().Intent; i == nil || i.From == nil || i.From.Path != "file:///c/1/chk-7" {
		t.Errorf("intent %+v, rounds %q", i, w.Log)
	}
}

// A JobManager that has just failed over does not list the job that is being stopped until it has submitted it; a job
// that stays away is lost, and a person decides.
func TestAStoppedJobThatIsNotListed(t *testing.T) {
	for name, spec := range map[string]string{
		"with a savepoint": enginetest.Stateful,
		"cancelled":        enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, spec)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
			w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Minute) // execution.checkpointing.timeout
			w.Run()
			if s := w.Status(); s.Situation != string(plan.Stopping) || w.Condition(summary.Stalled).Status == "True" {
				t.Errorf("it may still be listed: %s, rounds %q", s.Situation, w.Log)
			}
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Second)
			w.Run()
			if c := w.Condition(summary.Stalled); c.Reason != "LastStateUnknown" {
				t.Errorf("stalled %+v, rounds %q", c, w.Log)
			}
		})
	}
}

// A change whose stop failed waits for its next attempt only while there is a job to stop: one that a late stop has
// ended is not started again as it was, only to be stopped once more.
func TestAChangeAwaitsNoEndedJob(t *testing.T) {
	rows := map[string]struct {
		edit func(*v1beta1.FlinkDeploymentSpec)
		want func(v1beta1.FlinkDeploymentStatus) bool
	}{
		"an upgrade": {enginetest.UpgradeImage, func(s v1beta1.FlinkDeploymentStatus) bool {
			return s.Intent != nil && s.Intent.Purpose == v1beta1.PurposeUpgrade
		}},
		"a suspension": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended },
			func(s v1beta1.FlinkDeploymentStatus) bool {
				return s.Situation == string(plan.Suspended) && s.JobStatus.UpgradeSavepointPath == "file:///s/late"
			},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.Edit(row.edit)
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopFailed, Cause: "time-out"})
			w.Run()
			w.Ends(v1beta1.FlinkJobFinished, enginetest.Retentions["RETAIN_ON_CANCELLATION"],
				world.Checkpoints{Path: "file:///s/late", Kind: world.KindStop})
			if !row.want(w.Status()) {
				t.Errorf("situation %s, intent %+v, rounds %q", w.Status().Situation, w.Status().Intent, w.Log)
			}
		})
	}
}
