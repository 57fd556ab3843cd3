package autoscaler_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
)

// shown is a result without what differs from run to run: nothing but addresses.
func shown(r autoscaler.Result) string {
	events := fmt.Sprint(r.Events)
	return string(r.End) + events + store.WriteParallelism(r.State.Overrides) + fmt.Sprint(store.Text(r.State))
}

// A cycle changes nothing of its input, and gives the same result again.
func TestACycleLeavesItsInputAlone(t *testing.T) {
	in := fullWindow(t)
	before, config := fmt.Sprint(store.Text(in.State)), maps.Clone(in.Config)
	observed, err := json.Marshal(in.Observed)
	if err != nil {
		t.Fatal(err)
	}
	first := shown(autoscaler.Run(in))
	if again := shown(autoscaler.Run(in)); again != first {
		t.Errorf("the second run differs:\n%s\n%s", first, again)
	}
	if after := fmt.Sprint(store.Text(in.State)); after != before {
		t.Error("the state was changed")
	}
	if after, _ := json.Marshal(in.Observed); string(after) != string(observed) || !maps.Equal(config, in.Config) {
		t.Error("the answers or the configuration were changed")
	}
}

// What cannot be read ends a cycle with an error and its event, and nothing is to be stored.
func TestWhatCannotBeReadFailsTheCycle(t *testing.T) {
	for name, change := range map[string]func(*autoscaler.Input){
		"the switch":       set("enabled", "3"),
		"an option":        set("metrics.window", "soon"),
		"excluded periods": set("excluded.periods", "nonsense"),
		"no answer":        func(in *autoscaler.Input) { in.ObserveErr = fmt.Errorf("connection refused") },
	} {
		in := fullWindow(t)
		change(&in)
		r := autoscaler.Run(in)
		if r.End != autoscaler.EndFailed || r.Err == nil || r.Store || len(r.Events) == 0 {
			t.Errorf("%s: ended %s, store %t, events %v", name, r.End, r.Store, r.Events)
		}
		if last := r.Events[len(r.Events)-1]; last.Reason != "AutoscalerError" || last.Message != r.Err.Error() {
			t.Errorf("%s: event %v", name, last)
		}
	}
}
