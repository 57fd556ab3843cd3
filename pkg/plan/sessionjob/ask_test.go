package sessionjob

import (
	"reflect"
	"testing"

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
	if err := drawing.Read(t, "ask.go", "Ask").Shown("Ask", questions...); err != nil {
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
			w := newWorld(t, stateless)
			w.s.Resource.Status.ReconciliationStatus.LastReconciledSpec = row.recorded
			if got := ClusterOf(w.s.Resource); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
