package deployment

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestRanUnseenIsAsDrawn(t *testing.T) {
	otherFlink := func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion, s.Image = "v2_0", "flink:2.0" }
	none := func(w *fixture) { w.s.HAData = noHAMaps }
	led := func(w *fixture) {
		w.s.Now = w.s.Now.Add(5 * time.Second)
		w.s.HAData = plan.Present([]hadata.ConfigMap{{ObjectVersion: plan.ObjectVersion{Name: "demo-cluster-config-map"}}})
	}
	names := func(w *fixture) { w.s.HAData = haMaps(w.status().JobStatus.JobID) }
	suspends := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended }
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		spec string
		edit func(*v1beta1.FlinkDeploymentSpec)
		// silent lets the node of its pod fall silent while the cluster goes.
		silent bool
		then   func(w *fixture)
	}{
		"keeps no state":                       {"V1", application, upgradeImage, true, nil},
		"its data cannot be read":              {"V2", highlyAvailable, upgradeImage, false, unreadable},
		"its data names a checkpoint":          {"V3", highlyAvailable, upgradeImage, false, names},
		"names one, for another Flink":         {"V4", highlyAvailable, otherFlink, false, names},
		"suspended, its data names one":        {"V3", highlyAvailable, suspends, false, names},
		"held up, its container begins":        {"V5", highlyAvailable, upgradeImage, false, led},
		"held up, its node falls silent":       {"V5", highlyAvailable, upgradeImage, true, led},
		"suspended, held up, and it begins":    {"V5", highlyAvailable, suspends, false, led},
		"its data names none":                  {"V6", highlyAvailable, upgradeImage, true, none},
		"held up, and nothing begins":          {"V6", highlyAvailable, upgradeImage, false, led},
		"its node falls silent":                {"V7", stateful, upgradeImage, true, nil},
		"suspended, and its node falls silent": {"V7", stateful, suspends, true, nil},
		"its container begins":                 {"V7", stateful, upgradeImage, false, nil},
		"its node answers":                     {"V8", stateful, upgradeImage, false, nil},
	}
	drawn := drawing.Read(t, "../../engine/operation/ranunseen.go", "ranUnseen")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, row.spec)
			w.run()
			w.neverStarts()
			w.s.HAData = noHAMaps
			w.edit(row.edit)
			w.run()
			if i := w.status().Intent; i == nil || (i.Stop == v1beta1.StopNone) != (row.row != "V1") {
				t.Fatalf("%+v, rounds %q", i, w.log)
			}
			if row.silent {
				pods, _ := w.s.Pods.Get()
				pods[0].Spec.NodeName = "node-1"
				w.s.Nodes = map[string]plan.Observed[bool]{"node-1": plan.Present(false)}
				w.run()
			}
			if strings.HasSuffix(name, "begins") && !strings.HasSuffix(name, "nothing begins") {
				w.s.Pods = ranPods()
				w.run()
			}
			w.terminate()
			w.s.Pods = plan.Present([]corev1.Pod{})
			if row.then != nil {
				row.then(w)
			}
			w.run()
			told := w.condition(summary.StateSafe).Reason == string(plan.ReasonRestoreNotShown)
			suspended := w.status().ReconciliationStatus.State == v1beta1.ReconciliationDeployed && w.status().Intent == nil
			if suspended {
				w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
				w.run()
			}
			answer := w.goesOn()
			if told {
				answer = "as decided, and it is told"
			}
			if err := drawn.Holds(row.row, drawing.Row{"then": answer}); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.log, w.status().Conditions)
			}
		})
	}
	if err := drawn.Shown("ranUnseen", shown...); err != nil {
		t.Error(err)
	}
}

func unreadable(w *fixture) { w.s.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out") }

// goesOn is what came of a stop, in the words of the drawing.
func (w *fixture) goesOn() string {
	i := w.status().Intent
	switch {
	case w.condition(summary.StateSafe).Status == "False":
		return "only a person can"
	case i == nil || i.From == nil || i.Step == v1beta1.StepStopping:
		return "wait"
	case i.From.Kind == v1beta1.StartLastState:
		return "start from it"
	}
	return "as decided"
}
