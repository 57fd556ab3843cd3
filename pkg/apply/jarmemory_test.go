package apply

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// large serves a jar of so many bytes, from memory that it has anyway.
func large(bytes int64) http.HandlerFunc {
	block := make([]byte, 64<<10)
	copy(block, "PK")
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.FormatInt(bytes, 10))
		for left := bytes; left > 0; left -= int64(len(block)) {
			if _, err := w.Write(block[:min(left, int64(len(block)))]); err != nil {
				return
			}
		}
	}
}

// stream uploads a large jar from one server to another. It returns how much arrived.
func stream(t testing.TB, bytes int64) int64 {
	t.Helper()
	var arrived int64
	jm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived, _ = io.Copy(io.Discard, r.Body) // what is missing shows in the number
		_, _ = io.WriteString(w, `{"filename":"/upload/1_op.jar","status":"success"}`)
	}))
	defer jm.Close()
	source := httptest.NewServer(large(bytes))
	defer source.Close()
	c := jarCarrier(fetching())
	err := c.act(t.Context(), plan.UploadJar{Endpoint: plan.Endpoint{URL: jm.URL}, Name: "op.jar", URI: source.URL})
	if err != nil {
		t.Fatal(err)
	}
	return arrived
}

// What is allocated on the way of a jar, in the two servers of the test as well, does not grow with it.
func TestMemoryDoesNotGrowWithTheJar(t *testing.T) {
	const jar, most = 128 << 20, 4 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	arrived := stream(t, jar)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; arrived < jar || allocated > most {
		t.Errorf("%d bytes were allocated while %d went through, want at most %d and %d", allocated, arrived, most, jar)
	}
}

// BenchmarkUpload prints what the process needs at the most while 300 MB go through it, servers of the benchmark
// included.
func BenchmarkUpload(b *testing.B) {
	const jar = 300 << 20
	b.SetBytes(jar)
	b.ReportAllocs()
	before := resident(b, "VmRSS")
	for b.Loop() {
		stream(b, jar)
	}
	b.ReportMetric(before, "MB-RSS-before")
	b.ReportMetric(resident(b, "VmHWM"), "MB-RSS-peak")
}

// resident is a figure of this process in MB, 0 where the system does not tell it.
func resident(b *testing.B, name string) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/status")
	found := regexp.MustCompile(fmt.Sprintf(`%s:\s+(\d+) kB`, name)).FindSubmatch(text)
	if err != nil || found == nil {
		return 0
	}
	kilobytes, err := strconv.Atoi(string(found[1]))
	if err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) / 1024
}
