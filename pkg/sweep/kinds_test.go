package sweep

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/kinds"
)

func TestASweepLooksAtEveryKind(t *testing.T) {
	for _, k := range swept() {
		if k.looks == nil {
			t.Errorf("sweeps cannot look at %s: give it a row in sweepers", k.Name)
		}
	}
	if len(swept()) != len(kinds.All) {
		t.Errorf("%d kinds are swept, want %d", len(swept()), len(kinds.All))
	}
}
