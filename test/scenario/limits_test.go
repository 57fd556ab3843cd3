package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/peak"
)

// longKeys are 300 options below one key of 20 KB: 6 MB of flat keys.
func longKeys(spec map[string]any) {
	below := map[string]any{}
	for i := range 300 {
		below[fmt.Sprint("o", i)] = "1"
	}
	spec["flinkConfiguration"].(map[string]any)[strings.Repeat("k", 20_000)] = below
}

// TestASpecThatIsTooLargeCostsNothing: no function flattens or copies it, what runs goes on, and its status says why.
func TestASpecThatIsTooLargeCostsNothing(t *testing.T) {
	const goMemLimit, half = 110 * peak.MiB, 128 * peak.MiB
	for name, row := range map[string]struct {
		edit change
		says string
	}{
		"keys": {longKeys, "flinkConfiguration is too large: more than 262144 bytes of flat keys"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.apply(demo, application(stateful("savepoint")))
			h.untilStable(demo)
			says := func(of string) func() bool {
				return func() bool {
					return strings.Contains(h.condition(of, "SpecAccepted"), row.says)
				}
			}
			highest := peak.Of(t, goMemLimit, func() {
				h.edit(demo, row.edit)
				h.until("it says so", says(demo))
				h.apply("other", application(row.edit))
				h.until("a new one says so", says("other"))
			})
			t.Logf("peak %d MiB", highest/peak.MiB) // with the model API server, which has the resource, too
			if highest > half {
				t.Errorf("%d MiB, want at most %d", highest/peak.MiB, half/peak.MiB)
			}
			expect(t, "the starts of demo", h.starts(demo), "nothing")
			h.edit(demo, func(spec map[string]any) {
				for key := range spec["flinkConfiguration"].(map[string]any) {
					if strings.HasPrefix(key, "kkk") {
						delete(spec["flinkConfiguration"].(map[string]any), key)
					}
				}
			})
			h.until("it is accepted again", func() bool {
				return strings.HasPrefix(h.condition(demo, "SpecAccepted"), "True")
			})
			h.deletes(kubesim.FlinkDeployments, "other")
			h.untilEnded(kubesim.FlinkDeployments, "other")
		})
	}
}
