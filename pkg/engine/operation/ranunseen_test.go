package operation_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestRanUnseenIsAsDrawn(t *testing.T) {
	otherFlink := func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion, s.Image = "v2_0", "flink:2.0" }
	none := func(w *enginetest.Deployment) { w.Snapshot.HAData = enginetest.NoHAMaps }
	led := func(w *enginetest.Deployment) {
		w.Snapshot.Now = w.Snapshot.Now.Add(5 * time.Second)
		w.Snapshot.HAData = plan.Present(
			[]hadata.ConfigMap{{ObjectVersion: plan.ObjectVersion{Name: "demo-cluster-config-map"}}},
		)
	}
	names := func(w *enginetest.Deployment) { w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID) }
	suspends := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended }
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		spec string
		edit func(*v1beta1.FlinkDeploymentSpec)
		// silent lets the node of its pod fall silent while the cluster goes.
		silent bool
		then   func(w *enginetest.Deployment)
	}{
		"keeps no state": {"V1", enginetest.Application, enginetest.UpgradeImage, true, nil},
		"its data cannot be read": {
			"V2",
			enginetest.HighlyAvailable,
			enginetest.UpgradeImage,
			false,
			unreadable,
		},
		"its data names a checkpoint":          {"V3", enginetest.HighlyAvailable, enginetest.UpgradeImage, false, names},
		"names one, for another Flink":         {"V4", enginetest.HighlyAvailable, otherFlink, false, names},
		"suspended, its data names one":        {"V3", enginetest.HighlyAvailable, suspends, false, names},
		"held up, its container begins":        {"V5", enginetest.HighlyAvailable, enginetest.UpgradeImage, false, led},
		"held up, its node falls silent":       {"V5", enginetest.HighlyAvailable, enginetest.UpgradeImage, true, led},
		"suspended, held up, and it begins":    {"V5", enginetest.HighlyAvailable, suspends, false, led},
		"its data names none":                  {"V6", enginetest.HighlyAvailable, enginetest.UpgradeImage, true, none},
		"held up, and nothing begins":          {"V6", enginetest.HighlyAvailable, enginetest.UpgradeImage, false, led},
		"its node falls silent":                {"V7", enginetest.Stateful, enginetest.UpgradeImage, true, nil},
		"suspended, and its node falls silent": {"V7", enginetest.Stateful, suspends, true, nil},
		"its container begins":                 {"V7", enginetest.Stateful, enginetest.UpgradeImage, false, nil},
		"its node answers":                     {"V8", enginetest.Stateful, enginetest.UpgradeImage, false, nil},
	}
	drawn := drawing.Read(t, "ranunseen.go", "ranUnseen")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, row.spec)
			w.Run()
			w.NeverStarts()
			w.Snapshot.HAData = enginetest.NoHAMaps
			w.Edit(row.edit)
			w.Run()
			if i := w.Status().Intent; i == nil || (i.Stop == v1beta1.StopNone) != (row.row != "V1") {
				t.Fatalf("%+v, rounds %q", i, w.Log)
			}
			if row.silent {
				pods, _ := w.Snapshot.Pods.Get()
				pods[0].Spec.NodeName = "node-1"
				w.Snapshot.Nodes = map[string]plan.Observed[bool]{"node-1": plan.Present(false)}
				w.Run()
			}
			if strings.HasSuffix(name, "begins") && !strings.HasSuffix(name, "nothing begins") {
				w.Snapshot.Pods = enginetest.RanPods()
				w.Run()
			}
			w.Terminate()
			w.Snapshot.Pods = plan.Present([]corev1.Pod{})
			if row.then != nil {
				row.then(w)
			}
			w.Run()
			told := w.Condition(summary.StateSafe).Reason == string(plan.ReasonRestoreNotShown)
			suspended := w.Status().ReconciliationStatus.State == v1beta1.ReconciliationDeployed && w.Status().Intent == nil
			if suspended {
				w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
				w.Run()
			}
			answer := goesOn(w)
			if told {
				answer = "as decided, and it is told"
			}
			if err := drawn.Holds(row.row, drawing.Row{"then": answer}); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.Log, w.Status().Conditions)
			}
		})
	}
	if err := drawn.Shown("ranUnseen", shown...); err != nil {
		t.Error(err)
	}
}

func unreadable(w *enginetest.Deployment) {
	w.Snapshot.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out")
}

// goesOn is what came of a stop, in the words of the drawing.
func goesOn(w *enginetest.Deployment) string {
	i := w.Status().Intent
	switch {
	case w.Condition(summary.StateSafe).Status == "False":
		return "only a person can"
	case i == nil || i.From == nil || i.Step == v1beta1.StepStopping:
		return "wait"
	case i.From.Kind == v1beta1.StartLastState:
		return "start from it"
	}
	return "as decided"
}
