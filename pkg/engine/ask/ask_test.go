package ask

import (
	"reflect"
	"testing"

	"github.com/kn-flink/kn-flink/test/drawing"
)

// The drawing of what is asked for names each question, and no other. That the questions are those that the rules need
// is held where there is a world to decide about: see mayAdd in test/scenario.
func TestEachQuestionIsDrawn(t *testing.T) {
	var questions []string
	of := reflect.TypeFor[More]()
	for i := range of.NumField() {
		questions = append(questions, of.Field(i).Name)
	}
	if err := drawing.Read(t, "ask.go", "Flink").Shown("Flink", questions...); err != nil {
		t.Error(err)
	}
}
