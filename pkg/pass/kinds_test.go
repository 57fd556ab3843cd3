package pass

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/kinds"
)

func TestAPassDecidesAboutEveryKind(t *testing.T) {
	for _, k := range kinds.All {
		if deciders[k.Name] == nil {
			t.Errorf("passes cannot decide about %s: give it a row in deciders", k.Name)
		}
	}
}
