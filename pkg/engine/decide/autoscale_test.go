package decide_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/collect"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// autoscaledOptions are those of a job that is measured for two minutes, after one.
const autoscaledOptions = `"job.autoscaler.enabled":"true","job.autoscaler.metrics.window":"2 min",` +
	`"job.autoscaler.stabilization.interval":"1 min",` +
	`"job.autoscaler.utilization.max":"0.8","jobmanager.scheduler":"adaptive"`

// busy is what Flink says of a source and a sink behind it that are both loaded to a share of 1, at a time.
func busy(begun, now time.Time, parallelism int, load float64) collect.Observation {
	same := func(v float64) collect.Aggregate { return collect.Aggregate{Min: v, Max: v, Avg: v, Sum: v} }
	read := now.Sub(begun).Seconds() * 1000
	counters := model.Counters{RecordsIn: read, RecordsOut: read}
	v := func(id string, inputs ...model.Edge) model.Vertex {
		return model.Vertex{ID: id, Parallelism: parallelism, MaxParallelism: 128, Counters: counters, Inputs: inputs}
	}
	o := collect.Observation{
		Job: collect.Job{Running: begun, Vertices: []model.Vertex{
			v(vertexA), v(vertexB, model.Edge{Vertex: vertexA, Ship: model.ShipHash}),
		}},
		JobManager: map[string]string{"taskSlotsTotal": "8", "taskSlotsAvailable": "4"},
		TaskManagers: map[string]collect.Aggregate{
			"Status.JVM.Memory.Heap.Used": same(1e9), "Status.JVM.Memory.Heap.Max": same(2e9),
			"Status.JVM.Memory.Metaspace.Used": same(1e8), "Status.Flink.Memory.Managed.Used": same(0),
		},
		Vertices: map[string]collect.VertexAnswer{},
	}
	for id, values := range map[string]map[string]collect.Aggregate{
		vertexA: {
			"busyTimeMsPerSecond": same(load * 1000), "backPressuredTimeMsPerSecond": same(0),
			"Source__s.numRecordsInPerSecond": same(1000), "Source__s.numRecordsIn": same(read),
			"Source__s.pendingRecords": same(0),
		},
		vertexB: {"busyTimeMsPerSecond": same(load * 1000), "numRecordsInPerSecond": same(1000)},
	} {
		answer := collect.VertexAnswer{Values: values}
		for name := range values {
			answer.Names = append(answer.Names, name)
		}
		o.Vertices[id] = answer
	}
	return o
}

// measured is a job that runs with the autoscaler on, in two vertices of a parallelism, and was started a moment ago.
func measured(t *testing.T, more string) *enginetest.Deployment {
	t.Helper()
	spec := strings.Replace(
		enginetest.Stateful,
		`"flinkConfiguration":{`,
		`"flinkConfiguration":{`+autoscaledOptions+more+`,`,
		1,
	)
	w := enginetest.TakeOver(t, spec, enginetest.Deployed(enginetest.LegacyRecord(t, spec, nil, false)), 1).
		FlinkSays(v1beta1.FlinkJobRunning)
	w.Run()
	return w
}

// sample takes one, as a look does, and reports whether one was due.
func sample(w *enginetest.Deployment, o collect.Observation) bool {
	w.T.Helper()
	in, _, due := deployment.Open(w.Snapshot).Sampling()
	if !due {
		return false
	}
	in.Observed = o
	taken := autoscaler.Take(in)
	if taken.Changed {
		s, _ := w.Snapshot.Autoscaled.Get()
		s.Samples = samples.Write(taken.Kept)
		w.Snapshot.Autoscaled = plan.Present(s)
	}
	return taken.Changed
}

// until samples the job each minute until a round acts, for a number of minutes.
func until(w *enginetest.Deployment, begun time.Time, minutes int, load float64) (acted string) {
	w.T.Helper()
	for range minutes {
		w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
		sample(w, busy(begun, w.Snapshot.Now, 2, load))
		before := len(w.Log)
		w.Run()
		for _, line := range w.Log[before:] {
			if strings.Contains(line, "keep the autoscaler's") {
				return line
			}
		}
	}
	return ""
}

// A job that is too busy is given more parallelism, in place: stored first, asked of Flink in the next round.
func TestABusyJobIsScaledByItsMetrics(t *testing.T) {
	w := measured(t, "")
	begun := w.Snapshot.Now
	if c := w.Condition(summary.Autoscaling); c.Status != "True" || c.Reason != "AutoscalerCollecting" {
		t.Errorf("a job that began is %+v", c)
	}
	w.Snapshot.Flink.Requirements = plan.Present(map[string]plan.Bounds{
		vertexA: {Lower: 1, Upper: 2}, vertexB: {Lower: 1, Upper: 2},
	})
	if acted := until(w, begun, 2, 0.99); acted != "" {
		t.Fatalf("before the window was full: %s", acted)
	}
	if acted := until(w, begun, 3, 0.99); acted == "" {
		t.Fatalf("nothing was decided: %+v, rounds %q", w.Condition(summary.Autoscaling), w.Log)
	}
	stored, _ := w.Snapshot.Autoscaled.Get()
	to := stored.Parallelism()[vertexB]
	if to <= "2" {
		t.Errorf("stored parallelism %v", stored.Parallelism())
	}
	if w.Told("ScalingReport") != 1 {
		t.Errorf("told %+v", w.Events)
	}
	if len(stored.Samples) > 0 && stored.Data["collectedMetrics"] != "" {
		t.Error("the samples are stored in the keys of Java")
	}
	if p := w.Run(); p.Situation != plan.Steady {
		t.Errorf("after the rescale the job is %s", p)
	}
	if got := recordedOverrides(w); !strings.Contains(got, vertexB+":"+to) {
		t.Errorf("recorded overrides %q, want %s for %s; rounds %q", got, to, vertexB, w.Log)
	}
}

// recordedNonce is the one of the spec that was acted on last; -1: none.
func recordedNonce(w *enginetest.Deployment) int64 {
	w.T.Helper()
	last, err := v1beta1.ParseReconciledDeployment(w.Status().ReconciliationStatus.LastReconciledSpec)
	if err != nil || last.Spec.Job.AutoscalerResetNonce == nil {
		return -1
	}
	return *last.Spec.Job.AutoscalerResetNonce
}

// Without the adaptive scheduler a decision is an upgrade. A nonce that has something to take back is one, too; another
// that has not is recorded, and nothing else happens.
func TestADecisionIsAnUpgradeAndANonceTakesItBack(t *testing.T) {
	w := measured(t, "")
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(
			string(s.FlinkConfiguration), `"jobmanager.scheduler":"adaptive"`, `"x":"y"`, 1,
		))
	})
	upgraded := func(what string, keeps bool) {
		t.Helper()
		intent := w.Status().Intent
		if intent == nil || intent.Purpose != v1beta1.PurposeUpgrade {
			t.Fatalf("%s: intent %+v, want an upgrade; rounds %q", what, intent, w.Log)
		}
		if has := strings.Contains(w.IntentSpec(), overrides); has != keeps {
			t.Fatalf("%s: the start has overrides: %t, want %t", what, has, keeps)
		}
		w.Ends(v1beta1.FlinkJobFinished, enginetest.Retentions["RETAIN_ON_CANCELLATION"], world.Checkpoints{
			Path: "file:///s/" + what, Kind: world.KindStop,
		})
		w.Terminate()
		w.Run()
		w.ServeJob(v1beta1.FlinkJobRunning)
		w.Run()
		w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	}
	w.Run()
	upgraded("edit", false)
	if acted := until(w, w.Snapshot.Now, 6, 0.99); acted == "" {
		t.Fatalf("nothing was decided: rounds %q", w.Log)
	}
	upgraded("decision", true)
	for n, restarts := range []bool{true, false} {
		nonce := int64(n + 1)
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.AutoscalerResetNonce = &nonce })
		w.Run()
		if restarts {
			upgraded("nonce", false)
		} else if w.Status().Intent != nil {
			t.Errorf("a nonce with nothing to take back restarts the job: rounds %q", w.Log)
		}
		if got := recordedNonce(w); got != nonce {
			t.Errorf("recorded nonce %d, want %d", got, nonce)
		}
	}
	if s, _ := w.Snapshot.Autoscaled.Get(); len(s.Parallelism()) > 0 {
		t.Errorf("stored parallelism %v", s.Parallelism())
	}
}

// A job that was rolled back runs another spec than the resource's, which failed: no decision begins that one again.
func TestAJobThatWasRolledBackIsNotScaled(t *testing.T) {
	w := measured(t, "")
	begun := w.Snapshot.Now
	if acted := until(w, begun, 2, 0.99); acted != "" {
		t.Fatal(acted)
	}
	r := &w.Snapshot.Resource.Status.ReconciliationStatus
	r.State, r.LastStableSpec = v1beta1.ReconciliationRolledBack, r.LastReconciledSpec
	bad := w.Snapshot.Resource.Spec.Image + "-bad"
	r.LastReconciledSpec = strings.Replace(r.LastReconciledSpec, w.Snapshot.Resource.Spec.Image, bad, 1)
	w.Snapshot.Resource.Spec.Image = bad
	if acted := until(w, begun, 4, 0.99); acted != "" || w.Status().Intent != nil {
		t.Errorf("%s, intent %+v; rounds %q", acted, w.Status().Intent, w.Log)
	}
	if _, _, due := deployment.Open(w.Snapshot).Sampling(); due {
		t.Error("it is measured")
	}
	if c := w.Condition(summary.Autoscaling); c.Status != "False" || c.Reason != "AutoscalerPaused" ||
		w.Told("AutoscalerPaused") != 1 {
		t.Errorf("the condition is %+v, told %d times", c, w.Told("AutoscalerPaused"))
	}
}

// A window that is full is decided of once nothing else is to be done first, and only of a job that runs.
func TestWhenAFullWindowIsDecidedOf(t *testing.T) {
	off := func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(
			string(s.FlinkConfiguration), scaling, `"job.autoscaler.scaling.enabled":"true"`, 1,
		))
	}
	rows := map[string]struct {
		then func(w *enginetest.Deployment)
		want bool
	}{
		"of a job that runs":       {func(*enginetest.Deployment) {}, true},
		"without the autoscaler":   {func(w *enginetest.Deployment) { w.Edit(off) }, false},
		"of one whose tasks begin": {func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobCreated) }, false},
		"of one that is not listed": {
			func(w *enginetest.Deployment) { w.Snapshot.Flink.Jobs = plan.Present([]world.Job{}) },
			false,
		},
		"where the spec is invalid": {func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = -1 })
		}, false},
		"where a change waits": {func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" })
			w.Snapshot.Resource.Status.Retry = &v1beta1.Retry{
				Generation: w.Snapshot.Resource.Generation, Reason: "SavepointError",
				After: metav1.NewTime(w.Snapshot.Now.Add(time.Hour)),
			}
		}, false},
		"where a change is refused": {func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
				nonce := int64(1)
				s.Job.SavepointRedeployNonce, s.Job.InitialSavepointPath = &nonce, "file:///c/"+enginetest.TakenOverJob+"/chk-7"
			})
			w.Snapshot.Flink.Retention = plan.Present(upgrade.Retention{Periodic: true})
		}, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := measured(t, "")
			begun := w.Snapshot.Now
			for range 5 {
				w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
				sample(w, busy(begun, w.Snapshot.Now, 2, 0.99))
			}
			row.then(w)
			p := w.Run()
			s, _ := w.Snapshot.Autoscaled.Get()
			if got := len(s.Parallelism()) > 0; got != row.want {
				t.Errorf("decided: %t, want %t; %s, rounds %q", got, row.want, p, w.Log)
			}
		})
	}
}
