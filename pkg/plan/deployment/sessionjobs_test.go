package deployment

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
)

// R9: the session cluster stores its intent, then looks at its jobs
func TestASessionClusterWaitsForTheRequestsOfItsJobs(t *testing.T) {
	w := stable(t, session)
	calls := w.s.Now.Add(time.Minute)
	w.s.SessionJobs = plan.Present([]cluster.SessionJob{{Name: "etl", CallUntil: calls}, {Name: "other"}})
	running, _ := w.s.JobManager.Get()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.1" })
	w.run()
	now, there := w.s.JobManager.Get()
	if busy := w.condition(summary.Reconciling); busy.Reason != string(plan.ReasonSessionJobsBusy) ||
		!strings.HasSuffix(busy.Message, ": etl") || w.status().Intent == nil || !there || now.UID != running.UID {
		t.Fatalf("%+v, intent %+v, %q", busy, w.status().Intent, w.log)
	}
	w.s.SessionJobs = plan.Unknown[[]cluster.SessionJob]("time-out")
	w.s.Now = calls
	w.run()
	if now, there := w.s.JobManager.Get(); !there || now.UID != running.UID {
		t.Fatalf("nothing is taken down on a guess: %q", w.log)
	}
	w.s.SessionJobs = plan.Present([]cluster.SessionJob{{Name: "etl", CallUntil: calls}, {Name: "other"}})
	w.run()
	w.terminate()
	w.run()
	if now, there := w.s.JobManager.Get(); !there || now.UID == running.UID {
		t.Errorf("the upgrade goes on: %q", w.log)
	}
}
