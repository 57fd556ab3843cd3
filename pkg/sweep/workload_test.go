package sweep

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func TestWhichChangesOfADeploymentTellNothing(t *testing.T) {
	deploying, ready := string(v1beta1.JobManagerDeploying), string(v1beta1.JobManagerReady)
	stopping := string(v1beta1.StepStopping)
	failing := func(kind appsv1.DeploymentConditionType, status corev1.ConditionStatus) func(*appsv1.Deployment) {
		return func(jm *appsv1.Deployment) {
			jm.Status.Conditions = []appsv1.DeploymentCondition{{Type: kind, Status: status}}
		}
	}
	available := func(jm *appsv1.Deployment) { jm.Status.AvailableReplicas = 1 }
	deleted := func(jm *appsv1.Deployment) { now := metav1.NewTime(time.Now()); jm.DeletionTimestamp = &now }
	as := func(*appsv1.Deployment) {}
	rows := map[string]struct {
		status, step string
		change       func(*appsv1.Deployment)
		nothing      bool
		reason       string
	}{
		"made":                {"", "", as, true, "a pass is at it"},
		"a replica is coming": {deploying, "", as, true, "nothing to record"},
		"available":           {deploying, "", available, false, "it can be asked"},
		"no longer available": {ready, "", as, false, "status must say so"},
		"no pod could be made": {
			deploying, "", failing(appsv1.DeploymentReplicaFailure, corev1.ConditionTrue), false, "as by a quota",
		},
		"it takes too long": {
			deploying, "", failing(appsv1.DeploymentProgressing, corev1.ConditionFalse), false, "status must say so",
		},
		"it goes on": {
			deploying, "", failing(appsv1.DeploymentProgressing, corev1.ConditionTrue), true, "nothing to record",
		},
		"deleted by us":                {ready, stopping, deleted, true, "its end is told"},
		"deleted by somebody":          {ready, "", deleted, false, "it must be started again"},
		"deleted while it was started": {deploying, "", deleted, false, "the same"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
				"jobManagerDeploymentStatus": row.status, "intent": map[string]any{"step": row.step},
			}}}
			jm := &appsv1.Deployment{}
			row.change(jm)
			if got := comingUp(u, jm) || goingDown(u, jm); got != row.nothing {
				t.Errorf("tells nothing: %t, want %t: %s", got, row.nothing, row.reason)
			}
		})
	}
}

// TestADeletionIsNotWokenByWhatItDeletes: the pass that deleted the JobManager sees for itself that it is gone, and the
// next tick does if that pass died. A hundred deleted at once are a hundred such changes.
func TestADeletionIsNotWokenByWhatItDeletes(t *testing.T) {
	for name, row := range map[string]struct {
		step            v1beta1.IntentStep
		deleted, asleep bool
	}{
		"an upgrade":               {v1beta1.StepStopping, false, false},
		"a deletion":               {v1beta1.StepStopping, true, true},
		"a deletion to be started": {"", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 1)
			_, err := f.kube.Update(kubesim.FlinkDeployments, "flink", "demo-0000", func(u *unstructured.Unstructured) {
				u.SetFinalizers([]string{v1beta1.FinalizerFlinkDeployment})
			})
			if err != nil {
				t.Fatal(err)
			}
			status := map[string]any{"intent": map[string]any{"step": string(row.step)}}
			if _, err := f.kube.UpdateStatus(kubesim.FlinkDeployments, "flink", "demo-0000", status); err != nil {
				t.Fatal(err)
			}
			if row.deleted {
				if err := f.kube.Delete(
					kubesim.FlinkDeployments, "flink", "demo-0000", kubesim.DeleteOptions{},
				); err != nil {
					t.Fatal(err)
				}
			}
			f.tap.Forget()
			if err := f.Look(t.Context(), "flink", "demo-0000", true); err != nil {
				t.Fatal(err)
			}
			if asked := f.tap.Count(func(wire.Request) bool { return true }); (asked == 1) != row.asleep {
				t.Errorf("%d requests were made, of which the first reads the resource; want no other: %t", asked, row.asleep)
			}
		})
	}
}

// TestWhatHasJustBegunIsLeftToItsPass: a tick asks nothing about a start or a deletion of the last seconds.
func TestWhatHasJustBegunIsLeftToItsPass(t *testing.T) {
	for name, row := range map[string]struct {
		step    v1beta1.IntentStep
		deleted bool
		after   time.Duration
		left    bool
	}{
		"a start":                      {v1beta1.StepStarting, false, beginning - time.Second, true},
		"a start some time ago":        {v1beta1.StepStarting, false, beginning, false},
		"a deletion":                   {v1beta1.StepStopping, true, beginning - time.Second, true},
		"a deletion some time ago":     {v1beta1.StepStopping, true, beginning, false},
		"the stop of an upgrade":       {v1beta1.StepStopping, false, time.Second, false},
		"a release, to be carried out": {v1beta1.StepReleased, false, time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			d := &v1beta1.FlinkDeployment{}
			d.Status.Intent = &v1beta1.Intent{Step: row.step, StoredAt: metav1.NewTime(now.Add(-row.after))}
			if row.deleted {
				d.DeletionTimestamp = &metav1.Time{Time: now}
			}
			if got := justBegun(d, now); got != row.left {
				t.Errorf("left to its pass: %t, want %t", got, row.left)
			}
			if justBegun(&v1beta1.FlinkDeployment{}, now) {
				t.Error("what has no intent is left to nobody")
			}
		})
	}
}
