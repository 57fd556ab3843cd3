package sessionjob_test

import (
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
	"github.com/kn-flink/kn-flink/test/fields"
)

// The drawing of what is asked for names each question, and no other. That the questions are those that the rules need
// is held where there is a world to decide about: see mayAdd in test/scenario.
func TestEachQuestionIsDrawn(t *testing.T) {
	var questions []string
	of := reflect.TypeFor[sessionjob.Questions]()
	for i := range of.NumField() {
		questions = append(questions, of.Field(i).Name)
	}
	if err := drawing.Read(t, "ask.go", "First").Shown("First", questions...); err != nil {
		t.Error(err)
	}
}

// A job is looked for where it was started, as far as status says where that is.
func TestWhichClusterIsAsked(t *testing.T) {
	rows := map[string]struct{ recorded, want string }{
		"never deployed":        {"", "session"},
		"deployed on another":   {`{"deploymentName":"other"}`, "other"},
		"a record without one":  {`{"job":{}}`, "session"},
		"a record of no format": {`{`, "session"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.Snapshot.Resource.Status.ReconciliationStatus.LastReconciledSpec = row.recorded
			if got := session.ClusterOf(w.Snapshot.Resource); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// What has no answer cannot be asked for. All else can, at any time.
func TestWhatCanBeAskedFor(t *testing.T) {
	change := func(w *enginetest.SessionJob) {
		w.UntilSteady()
		w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		for w.Status().Intent == nil {
			w.Round()
		}
	}
	rows := map[string]struct {
		then func(w *enginetest.SessionJob)
		want string
	}{
		"its cluster is not there": {func(w *enginetest.SessionJob) {
			w.Snapshot.Cluster, w.Snapshot.JobManager = plan.Absent[*v1beta1.FlinkDeployment](),
				plan.Absent[*appsv1.Deployment]()
		}, "Others"},
		"never looked at": {func(*enginetest.SessionJob) {}, "Flink Jars Snapshots Others"},
		"starts":          {func(w *enginetest.SessionJob) { w.Round(); w.Round() }, "Flink Jars Snapshots Others"},
		"runs":            {(*enginetest.SessionJob).UntilSteady, "Flink Jars Snapshots Others"},
		"stops":           {change, "Flink Jars Stop Snapshots Others"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			row.then(w)
			if got := fields.Set(sessionjob.Open(w.Snapshot).All()); got != row.want {
				t.Errorf("asks for %q, want %q", got, row.want)
			}
		})
	}
}
