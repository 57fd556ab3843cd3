package samples_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/test/peak"
)

// TestSamplesFitIntoHalfOfTheMemory: jobs may write ConfigMaps of their namespace.
func TestSamplesFitIntoHalfOfTheMemory(t *testing.T) {
	const goMemLimit, half = 110 * peak.MiB, 128 * peak.MiB // config/knative/310-observe.yaml
	vertices := func(n int) string { return strings.TrimSuffix(strings.Repeat(`{"i":"v"},`, n), ",") }
	times := &strings.Builder{}
	for i := range 10_000 {
		_, _ = fmt.Fprintf(times, "%d,", i+1)
	}
	for name, content := range map[string][]byte{
		"many zeros":            make([]byte, 64<<20),
		"many vertices":         headed(`{"vertices":[`+vertices(150_000)+`]}`, nil),
		"many answers":          headed(`{"answers":[`+strings.TrimSuffix(strings.Repeat(`{},`, 600_000), ",")+`]}`, nil),
		"vertices in all times": headed(`{"vertices":[`+vertices(10_000)+`],"times":[`+times.String()+`10001]}`, nil),
		"values without an end": headed(
			`{"vertices":[`+vertices(15)+`],"times":[`+times.String()+`10001]}`, make([]byte, 1<<20),
		),
		"a head that is not all": {0xff, 0xff, 0xff, 0x7f, '{'},
	} {
		t.Run(name, func(t *testing.T) {
			var packed bytes.Buffer
			_ = packed.WriteByte(1) // the version
			w := gzip.NewWriter(&packed)
			_, _ = w.Write(content)
			_ = w.Close()
			var err error
			highest := peak.Of(t, goMemLimit, func() { _, err = samples.Read(packed.Bytes()) })
			t.Logf("%d bytes, peak %d MiB", packed.Len(), highest/peak.MiB)
			if highest > half {
				t.Errorf("%d MiB, want at most %d", highest/peak.MiB, half/peak.MiB)
			}
			if err == nil {
				t.Error("it was read")
			}
		})
	}
}

// headed is a head with its length before it, and what follows.
func headed(head string, columns []byte) []byte {
	return append(append(binary.AppendUvarint(nil, uint64(len(head))), head...), columns...)
}
