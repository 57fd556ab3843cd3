package deployment

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/drawing"
	"github.com/kn-flink/kn-flink/test/fields"
)

// The drawing of what is asked for names each question, and no other. That the questions are those that the rules need
// is held where there is a world to decide about: see mayAdd in test/scenario.
func TestEachQuestionIsDrawn(t *testing.T) {
	var questions []string
	of := reflect.TypeFor[Questions]()
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
		w := stable(t, stateful)
		w.serveJob(state)
		if got := Open(w.s).Flink().Retention; got != want {
			t.Errorf("of a job that is %s it is asked: %t, want %t", state, got, want)
		}
	}
}

// What has no answer cannot be asked for. All else can, and most of it always.
func TestWhatCanBeAskedFor(t *testing.T) {
	always := []string{"Pods", "TaskManagers", "TaskManagerDeployment", "HAData", "Ingress", "Snapshots", "SessionJobs"}
	runs := func(*fixture) {}
	rows := map[string]struct {
		spec string
		then func(w *fixture)
		want string
	}{
		"never looked at": {application, func(w *fixture) { w.s = newWorld(w.t, application).s }, ""},
		"prepared": {application, func(w *fixture) {
			w.s = newWorld(w.t, application).s
			w.round()
			w.round()
		}, "Companions Owned"},
		"runs":      {application, runs, "Flink Owned"},
		"stops":     {stateful, func(w *fixture) { w.edit(upgradeImage); w.round() }, "Flink Companions Stop Owned"},
		"collected": {application, (*fixture).collects, ""},
		"lost in the middle of a stop": {
			application, func(w *fixture) { w.edit(upgradeImage); w.round(); w.lose() }, "",
		},
		"keeps data in Kubernetes":            {highlyAvailable, runs, "Flink Owned"},
		"keeps data in ZooKeeper":             {onZooKeeper, runs, "Flink Owned HANodes"},
		"keeps data that only Flink may read": {outOfSight, runs, "Flink Owned"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			row.then(w)
			questions := strings.Fields(fields.Set(Open(w.s).All()))
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
