package chaos

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestAtRest(t *testing.T) {
	const runs = `lifecycleState: STABLE, jobStatus: {state: RUNNING}, pace: slow`
	const asks = `status: "False", reason: StateUnknown, message: find it`
	rows := map[string]struct {
		status             string
		rest, runs, unsafe bool
	}{
		"runs":           {`{observedGeneration: 2, ` + runs + `}`, true, true, false},
		"of an old spec": {`{observedGeneration: 1, ` + runs + `}`, false, false, false},
		"on its way":     {`{observedGeneration: 2, lifecycleState: DEPLOYED, pace: fast}`, false, false, false},
		"failed":         {`{observedGeneration: 2, lifecycleState: FAILED, pace: slow}`, true, false, false},
		"a person": {`{observedGeneration: 2, lifecycleState: UPGRADING, pace: slow, conditions: [
			{type: Stalled, status: "True"}, {type: StateSafe, ` + asks + `}]}`, true, false, true},
		"restarting": {
			`{observedGeneration: 2, lifecycleState: STABLE, jobStatus: {state: RESTARTING}}`, true, false, false,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"generation": int64(2)}}}
			var status map[string]any
			if err := yaml.Unmarshal([]byte(row.status), &status); err != nil {
				t.Fatal(err)
			}
			if n, ok := status["observedGeneration"].(float64); ok {
				status["observedGeneration"] = int64(n)
			}
			u.Object["status"] = status
			s := look(u)
			if s.atRest() != row.rest || s.running() != row.runs || (s.unsafe != "") != row.unsafe {
				t.Errorf("at rest %v, runs %v, unsafe %q: %s", s.atRest(), s.running(), s.unsafe, s)
			}
		})
	}
}

func TestWhatWasTold(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	f := &follower{all: []seen{{at: at(1)}, {at: at(2), unsafe: "lost"}, {at: at(5)}}}
	for second, want := range map[int]string{1: "lost", 3: "lost", 6: ""} {
		if got := f.told(at(second)); got != want {
			t.Errorf("since second %d: told %q, want %q", second, got, want)
		}
	}
}
