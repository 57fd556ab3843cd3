package deployment_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/test/drawing"
	"github.com/kn-flink/kn-flink/test/fields"
)

// The drawing of what is asked for names each question, and no other. That the questions are those that the rules need
// is held where there is a world to decide about: see mayAdd in test/scenario.
func TestEachQuestionIsDrawn(t *testing.T) {
	var questions []string
	of := reflect.TypeFor[deployment.Questions]()
	for i := range of.NumField() {
		questions = append(questions, of.Field(i).Name)
	}
	if err := drawing.Read(t, "ask.go", "First").Shown("First", questions...); err != nil {
		t.Error(err)
	}
}

// Whether Flink keeps a checkpoint is asked of a job that ended other than well, and of none that runs on.
func TestRetentionIsAskedOfAJobThatFailed(t *testing.T) {
	for state, want := range map[v1beta1.FlinkJobState]bool{
		v1beta1.FlinkJobFailed: true, v1beta1.FlinkJobCanceled: true, v1beta1.FlinkJobFinished: false,
		v1beta1.FlinkJobRunning: false,
	} {
		w := enginetest.Stable(t, enginetest.Stateful)
		w.ServeJob(state)
		if got := deployment.Open(w.Snapshot).Flink().Retention; got != want {
			t.Errorf("of a job that is %s it is asked: %t, want %t", state, got, want)
		}
	}
}

// What has no answer cannot be asked for. All else can, and most of it always.
func TestWhatCanBeAskedFor(t *testing.T) {
	always := []string{"Pods", "TaskManagers", "TaskManagerDeployment", "HAData", "Ingress", "Snapshots", "SessionJobs"}
	runs := func(*enginetest.Deployment) {}
	rows := map[string]struct {
		spec string
		then func(w *enginetest.Deployment)
		want string
	}{
		"never looked at": {enginetest.Application, func(w *enginetest.Deployment) {
			w.Snapshot = enginetest.NewDeployment(w.T, enginetest.Application).Snapshot
		}, ""},
		"prepared": {enginetest.Application, func(w *enginetest.Deployment) {
			w.Snapshot = enginetest.NewDeployment(w.T, enginetest.Application).Snapshot
			w.Round()
			w.Round()
		}, "Companions Owned"},
		"runs": {enginetest.Application, runs, "Flink Owned"},
		"stops": {
			enginetest.Stateful,
			func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage); w.Round() },
			"Flink Companions Stop Owned",
		},
		"collected": {enginetest.Application, (*enginetest.Deployment).Collects, ""},
		"lost in the middle of a stop": {
			enginetest.Application, func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage); w.Round(); w.Lose() }, "",
		},
		"keeps data in Kubernetes":            {enginetest.HighlyAvailable, runs, "Flink Owned"},
		"keeps data in ZooKeeper":             {onZooKeeper, runs, "Flink Owned HANodes"},
		"keeps data that only Flink may read": {outOfSight, runs, "Flink Owned"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			row.then(w)
			questions := strings.Fields(fields.Set(deployment.Open(w.Snapshot).All()))
			for _, question := range always {
				if !slices.Contains(questions, question) {
					t.Errorf("%s is not asked for", question)
				}
			}
			questions = slices.DeleteFunc(questions, func(question string) bool { return slices.Contains(always, question) })
			if got := strings.Join(questions, " "); got != row.want {
				t.Errorf("beside that it asks for %q, want %q", got, row.want)
			}
		})
	}
}
