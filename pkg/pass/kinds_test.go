package pass

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/kinds"
)

func TestAPassDecidesAboutTheKindsThatRun(t *testing.T) {
	for _, k := range kinds.All {
		if deciderOf(k) == nil {
			t.Errorf("passes cannot decide about %s: give it a row in deciders", k.Name)
		}
		if _, has := deciders[k.Name]; has != k.Runs {
			t.Errorf("%s has a decider of its own: %t; it runs: %t", k.Name, has, k.Runs)
		}
	}
}
