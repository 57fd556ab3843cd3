package deployment_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// The session cluster stores its intent, then looks at its jobs
func TestASessionClusterAwaitsJobRequests(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Session)
	calls := w.Snapshot.Now.Add(time.Minute)
	w.Snapshot.SessionJobs = plan.Present([]cluster.SessionJob{{Name: "etl", CallUntil: calls}, {Name: "other"}})
	running, _ := w.Snapshot.JobManager.Get()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.1" })
	w.Run()
	now, there := w.Snapshot.JobManager.Get()
	if busy := w.Condition(summary.Reconciling); busy.Reason != string(plan.ReasonSessionJobsBusy) ||
		!strings.HasSuffix(busy.Message, ": etl") || w.Status().Intent == nil || !there || now.UID != running.UID {
		t.Fatalf("%+v, intent %+v, %q", busy, w.Status().Intent, w.Log)
	}
	w.Snapshot.SessionJobs = plan.Unknown[[]cluster.SessionJob]("time-out")
	w.Snapshot.Now = calls
	w.Run()
	if now, there := w.Snapshot.JobManager.Get(); !there || now.UID != running.UID {
		t.Fatalf("nothing is taken down on a guess: %q", w.Log)
	}
	w.Snapshot.SessionJobs = plan.Present([]cluster.SessionJob{{Name: "etl", CallUntil: calls}, {Name: "other"}})
	w.Run()
	w.Terminate()
	w.Run()
	if now, there := w.Snapshot.JobManager.Get(); !there || now.UID == running.UID {
		t.Errorf("the upgrade goes on: %q", w.Log)
	}
}

// What a stop leaves behind is stored before the JobManager that knows it is taken down.
func TestUntilWhenASessionClusterWaits(t *testing.T) {
	now := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	rows := map[string]struct {
		intent *v1beta1.Intent
		waits  bool
	}{
		"no intent":                    {nil, false},
		"a start that is not released": {&v1beta1.Intent{Step: v1beta1.StepStarting, StoredAt: now}, false},
		"a stop with a savepoint": {
			&v1beta1.Intent{Step: v1beta1.StepStopping, Stop: v1beta1.StopSavepoint, StoredAt: now}, true,
		},
		"a cancellation, after which the last checkpoint is asked for": {
			&v1beta1.Intent{Step: v1beta1.StepStopping, Stop: v1beta1.StopCancel, StoredAt: now}, true,
		},
		"a cancellation whose end is stored": {
			&v1beta1.Intent{Step: v1beta1.StepStopping, Stop: v1beta1.StopCancel, StoredAt: now, Ended: true}, false,
		},
		"a cancellation that keeps nothing": {
			&v1beta1.Intent{Step: v1beta1.StepStopping, Stop: v1beta1.StopStateless, StoredAt: now}, false,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := cluster.CallUntil(row.intent).After(now.Time); got != row.waits {
				t.Errorf("waits: %t, want %t", got, row.waits)
			}
		})
	}
}

// A stop whose end is not recorded has as long as a checkpoint may take.
func TestHowLongASessionClusterWaitsForAStop(t *testing.T) {
	now := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	situation := plan.Stopping
	one := func(how v1beta1.StopKind, ended bool, options string) cluster.SessionJob {
		j := &v1beta1.FlinkSessionJob{Spec: v1beta1.FlinkSessionJobSpec{
			Job: &v1beta1.JobSpec{}, FlinkConfiguration: v1beta1.FlinkConfiguration(options),
		}}
		j.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Stop: how, StoredAt: now, Ended: ended}
		j.Status.Situation = string(situation)
		return cluster.HostedJob(j, nil)
	}
	rows := map[string]struct {
		job  cluster.SessionJob
		want time.Duration
	}{
		"with a savepoint": {one(v1beta1.StopSavepoint, false, `{}`), 10*time.Minute + 30*time.Second},
		"with a savepoint, and less time": {
			one(v1beta1.StopSavepoint, false, `{"execution.checkpointing.timeout":"2 min"}`), 150 * time.Second,
		},
		"by a cancellation whose checkpoint is asked for": {
			one(v1beta1.StopCancel, false, `{}`), 10*time.Minute + 30*time.Second,
		},
		"whose end is recorded": {one(v1beta1.StopSavepoint, true, `{}`), 0},
		"that keeps nothing":    {one(v1beta1.StopStateless, false, `{}`), 0},
	}
	situation = plan.StateLost
	if lost := one(v1beta1.StopCancel, false, `{}`); !lost.CallUntil.Equal(now.Add(30 * time.Second)) {
		t.Errorf("what is lost already is waited for until %s", lost.CallUntil)
	}
	for name, row := range rows {
		waits := time.Duration(0)
		if !row.job.CallUntil.IsZero() {
			waits = row.job.CallUntil.Sub(now.Time)
		}
		if waits != row.want {
			t.Errorf("%s: %s, want %s", name, waits, row.want)
		}
	}
}
