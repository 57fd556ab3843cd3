package store

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/peak"
)

// TestAStoreFitsIntoHalfOfTheMemory: jobs may write ConfigMaps of their namespace. What is too large is discarded and
// told, and the window begins again.
func TestAStoreFitsIntoHalfOfTheMemory(t *testing.T) {
	const goMemLimit, half = 110 * peak.MiB, 128 * peak.MiB // config/knative/310-observe.yaml
	bombs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'k'; i++ {
		bombs += fmt.Sprintf("%c: &%c [%s*%c]\n", i, i, strings.Repeat(fmt.Sprintf("*%c,", i-1), 8), i-1)
	}
	for name, text := range map[string]string{
		"many zeros":     packed(strings.Repeat("\x00", 64<<20)),
		"many lines":     packed("---\n" + strings.Repeat("a: 1\n", 3_000_000)),
		"2 MiB of lines": packed("---\n" + strings.Repeat("a: 1\n", 400_000)),
		"a flow list":    packed("---\n{a: [" + strings.Repeat("1,", 900_000) + "1]}\n"),
		"flow maps":      packed("---\n{a: [" + strings.Repeat("{},", 600_000) + "1]}\n"),
		"nested":         packed("---\n" + strings.Repeat("[", 1_000_000)),
		"aliases":        bombs,
		"question marks": packed("---\n" + strings.Repeat("? ", 900_000)),
		"dashes":         packed("---\n" + strings.Repeat("- ", 900_000)),
		"as plain text":  "---\na: [" + strings.Repeat("1,", 400_000) + "1]\n",
		"as may be":      packed("---\na: [" + strings.Repeat("1,", 49_000) + "1]\n"),
	} {
		t.Run(name, func(t *testing.T) {
			var discarded []Discarded
			highest := peak.Of(t, goMemLimit, func() {
				_, discarded, _ = Read(map[string]string{SamplesKey: text, HistoryKey: text, RestartsKey: text, DelayedKey: text})
			})
			t.Logf("%d bytes, peak %d MiB", len(text), highest/peak.MiB)
			if highest > half {
				t.Errorf("%d MiB, want at most %d", highest/peak.MiB, half/peak.MiB)
			}
			if len(discarded) < 3 {
				t.Errorf("discarded: %v", discarded)
			}
		})
	}
}

// packed is compressed() for a long text.
func packed(text string) string {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(out.Bytes())
}
