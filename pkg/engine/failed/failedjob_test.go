package failed_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What brings a jar to Flink is tried again by itself; what else fails in an operation needs a person.
func TestWhatFailsInAnOperation(t *testing.T) {
	rows := map[string]struct {
		action plan.Action
		retry  bool
	}{
		"an upload":      {plan.UploadJar{}, true},
		"a run":          {plan.RunJar{}, true},
		"a cancellation": {plan.CancelJob{}, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.UntilSteady()
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			for w.Status().Intent == nil {
				w.Round()
			}
			w.Fails(row.action, "Forbidden", "response 403")
			stalled := w.Condition("Stalled") != ""
			if retry := w.Status().Retry != nil; retry != row.retry || stalled == row.retry ||
				!strings.Contains(w.Status().Error, "response 403") {
				t.Errorf("tried again: %t, needs a person: %t, %q", retry, stalled, w.Status().Error)
			}
		})
	}
}

// A status that does not fit into etcd is stored with less, but not without the loss that it tells of.
func TestALossOfASessionJobIsStoredInALeanStatus(t *testing.T) {
	at := metav1.NewTime(enginetest.Start)
	lost := &v1beta1.LostProgress{Before: "5", Seen: &at}
	rows := map[string]struct {
		refused any
		plans   int
	}{
		"a loss":    {&v1beta1.FlinkSessionJobStatus{Progress: v1beta1.Progress{LostProgress: lost}}, 3},
		"no loss":   {&v1beta1.FlinkSessionJobStatus{}, 2},
		"no status": {nil, 2},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.UntilSteady()
			w.Sleep(time.Minute)
			if next, is := row.refused.(*v1beta1.FlinkSessionJobStatus); is {
				next.JobStatus = w.Status().JobStatus
			}
			all := sessionjob.Failed(w.Snapshot, failed.Effect{
				Kind: fail.Invalid, Reason: fail.ReasonTooLarge, Plan: plan.Plan{Status: row.refused},
			}).Plans
			if len(all) != row.plans {
				t.Fatalf("%d plans, want %d", len(all), row.plans)
			}
			for i, p := range all {
				told := p.Status.(*v1beta1.FlinkSessionJobStatus).LostProgress != nil
				if want := row.plans == 3 && i < 2; told != want {
					t.Errorf("plan %d tells of the loss: %t, want %t", i, told, want)
				}
			}
		})
	}
}
