package deployment

import (
	"reflect"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// The drawing of what is asked for names each question, and no other. That the questions are those that the rules need
// is held where there is a world to decide about: see mayAdd in test/scenario.
func TestEachQuestionIsDrawn(t *testing.T) {
	var questions []string
	of := reflect.TypeFor[Questions]()
	for i := range of.NumField() {
		questions = append(questions, of.Field(i).Name)
	}
	if err := drawing.Read(t, "ask.go", "AskFirst").Shown("AskFirst", questions...); err != nil {
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
		if got := AskFlink(w.s).Retention; got != want {
			t.Errorf("of a job that is %s it is asked: %t, want %t", state, got, want)
		}
	}
}
