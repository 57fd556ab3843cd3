package deployment

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What is waited for without an answer is told after a while, with what a person can do.
func TestAnEndThatFlinkDoesNotTellIsTold(t *testing.T) {
	w := stable(t, given(stateful))
	w.serveJob(v1beta1.FlinkJobFailed)
	w.s.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("Flink answered 500")
	w.run()
	w.personDecides(false)
	w.s.Now = w.s.Now.Add(11 * time.Minute)
	w.run()
	w.personDecides(true)
	w.ends(v1beta1.FlinkJobFailed, retentions["RETAIN_ON_CANCELLATION"], world.Checkpoints{Path: "file:///c/1/chk-7"})
	w.endedWith("file:///c/1/chk-7")
}

func TestACancellationThatDoesNotEndIsTold(t *testing.T) {
	w := stable(t, with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`))
	w.edit(upgradeImage)
	w.run()
	w.serveJob(v1beta1.FlinkJobCancelling)
	w.run()
	if w.condition(summary.Stalled).Status == metav1.ConditionTrue {
		t.Error("it may still end")
	}
	w.s.Now = w.s.Now.Add(5 * time.Minute) // kubernetes.operator.resource.cleanup.timeout
	w.run()
	if w.condition(summary.Stalled).Status == metav1.ConditionTrue {
		t.Error("its time is not over yet")
	}
	w.s.Now = w.s.Now.Add(time.Second)
	w.run()
	if c := w.condition(summary.Stalled); c.Reason != "CancelOverdue" {
		t.Errorf("stalled %+v", c)
	}
	w.ends(v1beta1.FlinkJobCanceled, retentions["RETAIN_ON_CANCELLATION"], world.Checkpoints{Path: "file:///c/1/chk-7"})
	if i := w.status().Intent; i == nil || i.From == nil || i.From.Path != "file:///c/1/chk-7" {
		t.Errorf("intent %+v, rounds %q", i, w.log)
	}
}

// A JobManager that has just failed over does not list the job that is being stopped until it has submitted it; a job
// that stays away is lost, and a person decides.
func TestAStoppedJobThatIsNotListed(t *testing.T) {
	for name, spec := range map[string]string{
		"with a savepoint": stateful,
		"cancelled":        with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
	} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, spec)
			w.edit(upgradeImage)
			w.run()
			w.s.Flink.Jobs = plan.Present([]world.Job{})
			w.s.Now = w.s.Now.Add(10 * time.Minute) // execution.checkpointing.timeout
			w.run()
			if s := w.status(); s.Situation != string(plan.Stopping) || w.condition(summary.Stalled).Status == "True" {
				t.Errorf("it may still be listed: %s, rounds %q", s.Situation, w.log)
			}
			w.s.Now = w.s.Now.Add(time.Second)
			w.run()
			if c := w.condition(summary.Stalled); c.Reason != "LastStateUnknown" {
				t.Errorf("stalled %+v, rounds %q", c, w.log)
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
		"an upgrade": {upgradeImage, func(s v1beta1.FlinkDeploymentStatus) bool {
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
			w := stable(t, stateful)
			w.edit(row.edit)
			w.run()
			w.stopWith(world.StopProgress{State: world.StopFailed, Cause: "time-out"})
			w.run()
			w.ends(v1beta1.FlinkJobFinished, retentions["RETAIN_ON_CANCELLATION"],
				world.Checkpoints{Path: "file:///s/late", Kind: world.KindStop})
			if !row.want(w.status()) {
				t.Errorf("situation %s, intent %+v, rounds %q", w.status().Situation, w.status().Intent, w.log)
			}
		})
	}
}
