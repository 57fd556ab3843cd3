package flinkconf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// All unknown keys are named; the nearest option is looked for of few, because it costs a comparison with all options:
// a resource may have five thousand keys, and each look at it judges them.
func TestTheNearestOptionIsLookedForOfFewKeys(t *testing.T) {
	c := flinkconf.Config{}
	for i := range 4_500 {
		c[fmt.Sprintf("kubernetes.operator.job.restart.faile.%04d", i)] = "true"
		if i < 100 {
			c[fmt.Sprintf("kubernetes.operator.job.restart.faile%02d", i)] = "true"
		}
	}
	told := flinkconf.WithoutEffectInResource(c)
	nearest := 0
	for _, text := range told {
		if strings.Contains(text, "the nearest is kubernetes.operator.job.restart.failed") {
			nearest++
		}
	}
	if len(told) != len(c) || nearest == 0 || nearest > 20 {
		t.Errorf("%d of %d keys are told, %d with the nearest", len(told), len(c), nearest)
	}
}
