package decide_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// A job that the Java operator's autoscaler had scaled, taken over.

const (
	scaling   = `"job.autoscaler.enabled":"true"`
	scaledTo  = "cbc357ccb763df2852fee8c4fc7d55f2:8,bc764cd8ddf7a0cff126f51c16239658:3"
	overrides = "pipeline.jobvertex-parallelism-overrides"
)

// autoscaledWorld is such a job: its spec asks for the autoscaler, the record has what it had set.
func autoscaledWorld(t *testing.T) *enginetest.Deployment {
	t.Helper()
	spec := strings.Replace(enginetest.Stateful, `"flinkConfiguration":{`, `"flinkConfiguration":{`+scaling+`,`, 1)
	last := enginetest.LegacyRecord(
		t,
		strings.Replace(spec, scaling, scaling+`,"`+overrides+`":"`+scaledTo+`"`, 1),
		nil,
		false,
	)
	w := enginetest.TakeOver(t, spec, enginetest.Deployed(last), 1).FlinkSays(v1beta1.FlinkJobRunning)
	w.Snapshot.Autoscaled = plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": scaledTo}})
	return w
}

// recordedOverrides are those of the spec that was acted on last.
func recordedOverrides(w *enginetest.Deployment) string {
	w.T.Helper()
	last, err := v1beta1.ParseReconciledDeployment(w.Status().ReconciliationStatus.LastReconciledSpec)
	if err != nil {
		w.T.Fatal(err)
	}
	flat, err := flinkconf.Flatten(last.Spec.FlinkConfiguration)
	if err != nil {
		w.T.Fatal(err)
	}
	return flat[overrides]
}

func TestATakenOverAutoscaledJobGoesOn(t *testing.T) {
	for name, store := range map[string]plan.Observed[autoscaled.Store]{
		"as it was left":           plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": scaledTo}}),
		"the store is gone":        plan.Absent[autoscaled.Store](),
		"the store cannot be read": plan.Unknown[autoscaled.Store]("forbidden"),
	} {
		t.Run(name, func(t *testing.T) {
			w := autoscaledWorld(t)
			w.Snapshot.Autoscaled = store
			for range 3 {
				if p := w.Run(); enginetest.Touches(p) {
					t.Fatalf("a job that is taken over is left alone, got %s", p)
				}
			}
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
			want, told := "True AutoscalerCollecting", 0
			if store.IsUnknown() {
				want, told = "Unknown AutoscalerStoreUnreadable", 1
			}
			if c := w.Condition(summary.Autoscaling); string(c.Status)+" "+c.Reason != want ||
				w.Condition(summary.Ready).Status != "True" {
				t.Errorf("conditions %+v", w.Status().Conditions)
			}
			if n := w.Told("AutoscalerStoreUnreadable"); n != told {
				t.Errorf("it is told %d times, want %d", n, told)
			}
			enginetest.JavaReads(t, w.Snapshot.Resource)
		})
	}
}

func TestAChangeOfAnAutoscaledJob(t *testing.T) {
	reset := int64(1)
	rows := map[string]struct {
		edit   func(*v1beta1.FlinkDeploymentSpec)
		starts bool
		want   string
		reason string
	}{
		"of the image": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" }, true, scaledTo,
			"6.4: re-applied on top of any change",
		},
		"of the parallelism": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 }, true, scaledTo, "6.4: the overrides win",
		},
		"of an option of Flink": {enginetest.Option("k", "1"), true, scaledTo, "6.4"},
		"of an option of the autoscaler": {
			enginetest.Option("job.autoscaler.metrics.window", "20 min"), false, scaledTo, "no restart for it",
		},
		"to scaling.enabled false": {
			enginetest.Option(
				"job.autoscaler.scaling.enabled",
				"false",
			), false, scaledTo, "6.4: existing overrides stay applied",
		},
		"to another reset nonce": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.AutoscalerResetNonce = &reset }, true, "",
			"O7: back to the size of the spec",
		},
		"to enabled false": {func(s *v1beta1.FlinkDeploymentSpec) {
			s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(
				string(s.FlinkConfiguration), scaling, strings.Replace(scaling, "true", "false", 1), 1,
			))
		}, true, "", "6.4: back to the size of the spec"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := autoscaledWorld(t)
			w.Run()
			w.Edit(row.edit)
			p := w.Run()
			if enginetest.Touches(p) != row.starts {
				t.Fatalf("%s: got %s; %s", w.Snapshot.Resource.Spec.FlinkConfiguration, p, row.reason)
			}
			if row.starts {
				if w.Status().Intent == nil {
					t.Fatal("no operation is open")
				}
				if spec := w.IntentSpec(); strings.Contains(spec, scaledTo) != (row.want != "") {
					t.Errorf("the start is with %s: %s", spec, row.reason)
				}
				return
			}
			if got := recordedOverrides(w); got != row.want {
				t.Errorf("recorded is %q: %s", got, row.reason)
			}
		})
	}
}

// A suspension beside another nonce waits until the autoscaler's store can be read. What it is to end is not started
// again meanwhile, as it would be if the job were to go on.
func TestASuspensionThatWaitsStartsNothing(t *testing.T) {
	scales := func(spec string) string {
		return enginetest.With(spec, `"flinkConfiguration":{`, `"flinkConfiguration":{`+scaling+`,`)
	}
	runs := func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, scales(enginetest.Application)) }
	rows := map[string]struct {
		fixture func(t *testing.T) *enginetest.Deployment
		then    func(w *enginetest.Deployment)
	}{
		"lost":     {runs, (*enginetest.Deployment).Lose},
		"canceled": {runs, func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobCanceled) }},
		"unhealthy": {func(t *testing.T) *enginetest.Deployment {
			return judged(t, scales(enginetest.Checked(enginetest.Application)))
		}, func(w *enginetest.Deployment) {
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
			w.Health(100)
		}},
		"past its deadline": {func(t *testing.T) *enginetest.Deployment {
			return enginetest.Failing(t, scales(enginetest.RollingBack))
		}, func(w *enginetest.Deployment) {
			w.Snapshot.Now = w.Snapshot.Now.Add(6 * time.Minute)
		}},
	}
	for name, row := range rows {
		for state, begins := range map[v1beta1.JobState]bool{v1beta1.JobStateRunning: true, enginetest.Stopped: false} {
			t.Run(name+", to be "+string(state), func(t *testing.T) {
				w := row.fixture(t)
				w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
					nonce := int64(1)
					s.Job.AutoscalerResetNonce, s.Job.State = &nonce, state
				})
				w.Snapshot.Autoscaled = plan.Unknown[autoscaled.Store]("forbidden")
				row.then(w)
				w.Run()
				if begun := w.Status().Intent != nil; begun != begins {
					t.Errorf("something is begun: %t, want %t; rounds %q", begun, begins, w.Log)
				}
				if c := w.Condition(summary.Reconciling); !begins && c.Reason != string(plan.ReasonAutoscalerStoreUnreadable) {
					t.Errorf("it does not say what it waits for: %+v", c)
				}
			})
		}
	}
}
