package startup

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// forgets is what the start of a session cluster does about high-availability data of an earlier time that has job X.
func forgets(t *testing.T, checkpoint, ignored bool, jobs plan.Observed[[]cluster.SessionJob]) (decision.Result, bool) {
	t.Helper()
	return forgetsOf(t, nil, checkpoint, ignored, jobs)
}

// forgetsOf is the same, where only Flink 2.0 and later would run some.
func forgetsOf(
	t *testing.T, plans []string, checkpoint, ignored bool, jobs plan.Observed[[]cluster.SessionJob],
) (decision.Result, bool) {
	t.Helper()
	v := withEarlierData(t, plans, checkpoint, ignored, jobs)
	return forgetEarlier(v, v.Look.Intent(), v.Look.Spec)
}

func withEarlierData(
	t *testing.T, plans []string, checkpoint, ignored bool, jobs plan.Observed[[]cluster.SessionJob],
) *cluster.Cluster {
	t.Helper()
	r := &v1beta1.FlinkDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "session", UID: "uid"}}
	r.Spec = v1beta1.FlinkDeploymentSpec{
		Image: "flink:1.20", FlinkVersion: v1beta1.FlinkV1_20,
		FlinkConfiguration: v1beta1.FlinkConfiguration(`{"high-availability.type":"kubernetes"}`),
	}
	if ignored {
		r.Annotations = map[string]string{v1beta1.AnnotationIgnoreState: "true"}
	}
	text, err := v1beta1.ReconciledDeployment{Spec: r.Spec}.Text()
	if err != nil {
		t.Fatal(err)
	}
	r.Status.ReconciliationStatus.LastReconciledSpec = text
	r.Status.Intent = &v1beta1.Intent{
		OperationID: "op", Purpose: v1beta1.PurposeUpgrade, Step: v1beta1.StepStarting, Spec: text, ForgetsJobs: true,
	}
	s := cluster.Snapshot{
		Seen:        world.Seen{Now: clustertest.Now, Operator: flinkconf.NewOperator(nil), Resource: r},
		SessionJobs: jobs,
	}
	s.HAData = plan.Present([]hadata.ConfigMap{
		{
			ObjectVersion: plan.ObjectVersion{Name: "session-" + clustertest.JobX + "-config-map"},
			Checkpoint:    checkpoint,
		},
		{
			ObjectVersion: plan.ObjectVersion{Name: "session-cluster-config-map"},
			Graphs:        []string{clustertest.JobX},
			Plans:         plans,
		},
	})
	return WithSteps(s)
}

func TestForgetJobsIsAsDrawn(t *testing.T) {
	running := cluster.SessionJob{Name: "etl", JobID: clustertest.JobX}
	ended := cluster.SessionJob{Name: "etl", JobID: clustertest.JobX, Ended: true}
	unknown := cluster.SessionJob{Name: "etl", JobID: clustertest.JobX, Ended: true, StateUnknown: true}
	unreadable := cluster.SessionJob{Name: "etl", Unreadable: true}
	other := cluster.SessionJob{Name: "other", JobID: "other"}
	rows := map[string]struct {
		row                 string
		job                 cluster.SessionJob
		checkpoint, ignored bool
	}{
		"lost since":                         {"G1", running, true, false},
		"lost since, without a checkpoint":   {"G1", running, false, false},
		"ended, nobody knows with what":      {"G2", unknown, true, false},
		"the same, to be ignored":            {"G4", unknown, true, true},
		"the same, without a checkpoint":     {"G4", unknown, false, false},
		"beside one that cannot be read":     {"G3", unreadable, true, false},
		"beside it, without a checkpoint":    {"G4", unreadable, false, false},
		"ended or suspended, and read":       {"G4", ended, true, false},
		"nobody's: deleted, or started anew": {"G4", other, true, false},
	}
	drawn := drawing.Read(t, "forget.go", "forgetJobs")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			r, some := forgets(t, row.checkpoint, row.ignored, plan.Present([]cluster.SessionJob{other, row.job}))
			then := "it stays"
			switch {
			case r.Stall != nil && r.Situation == plan.Unaccounted && strings.Contains(r.Stall.Message, "session job etl"):
				then = "a person decides"
			case some && len(r.Actions) == 1 && r.Actions[0].String() == "forget jobs "+clustertest.JobX+" in 2 ConfigMaps" &&
				strings.Contains(r.Tells[0].Message, clustertest.JobX):
				then = "it is forgotten"
			case some:
				t.Fatalf("%+v", r)
			}
			if err := drawn.Holds(row.row, drawing.Row{"then": then}); err != nil {
				t.Error(err)
			}
		})
	}
	if err := drawn.Shown("forgetJobs", shown...); err != nil {
		t.Error(err)
	}
}

// TestAJobOfTheOtherFlinkIsNotForgotten: a cluster that goes back finds it again.
func TestAJobOfTheOtherFlinkIsNotForgotten(t *testing.T) {
	nobodys := plan.Present([]cluster.SessionJob{{Name: "other", JobID: "other"}})
	if r, some := forgets(t, true, false, nobodys); !some || len(r.Actions) != 1 {
		t.Errorf("%+v: Flink 1.20 would run it", r)
	}
	r, some := forgetsOf(t, []string{clustertest.JobX}, true, false, nobodys)
	if some {
		t.Errorf("%+v: only Flink 2 would run it", r)
	}
}

func TestNothingIsForgottenOnAGuess(t *testing.T) {
	r, some := forgets(t, true, false, plan.Unknown[[]cluster.SessionJob]("time-out"))
	if !some || r.Situation != plan.Unobservable || len(r.Actions) > 0 {
		t.Errorf("%+v: the session jobs are not known", r)
	}
}

// What is removed cannot be brought back: it is for the start that is stored, and says that it forgets.
func TestAStartForgetsOnceItIsStored(t *testing.T) {
	rows := map[string]struct {
		intent func(v *cluster.Cluster) *v1beta1.Intent
		want   bool
	}{
		"stored": {func(v *cluster.Cluster) *v1beta1.Intent { return v.Look.Intent() }, true},
		"it forgets none": {
			func(v *cluster.Cluster) *v1beta1.Intent { v.Look.Intent().ForgetsJobs = false; return v.Look.Intent() },
			false,
		},
		"about to be stored": {func(v *cluster.Cluster) *v1beta1.Intent {
			v.Look.Intent().OperationID = "new"
			return v.Look.Intent()
		}, false},
		"not the open one": {func(v *cluster.Cluster) *v1beta1.Intent { return v.Look.Intent().DeepCopy() }, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := withEarlierData(t, nil, true, false, plan.Present([]cluster.SessionJob{}))
			v.Look.Want.Intent = v.Look.Intent().DeepCopy()
			r, some := forgetEarlier(v, row.intent(v), v.Look.Spec)
			if some != row.want || (len(r.Actions) > 0) != row.want {
				t.Errorf("%+v, want some: %t", r, row.want)
			}
		})
	}
}
