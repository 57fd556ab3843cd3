package gather

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

const measuredJob = "0123456789abcdef0123456789abcdef"

// measuredFlink is Flink with a job of a source and vertices behind it, and every metric but those that are lacking.
type measuredFlink struct {
	vertices int
	finished int // how many vertices have finished, from the source on
	lacks    []string

	mu    sync.Mutex
	asked []string
}

func measuredVertex(i int) string { return fmt.Sprintf("%032x", i+1) }

func (f *measuredFlink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, get := strings.TrimPrefix(r.URL.Path, "/v1"), r.URL.Query().Get("get")
	f.mu.Lock()
	f.asked = append(f.asked, strings.TrimSuffix(path+"?"+get, "?"))
	f.mu.Unlock()
	switch {
	case path == "/jobs/"+measuredJob:
		fmt.Fprint(w, f.details())
	case strings.HasSuffix(path, "/subtasks/metrics") && get == "":
		names := []string{
			"busyTimeMsPerSecond", "backPressuredTimeMsPerSecond", "numRecordsInPerSecond", "Source__s.numRecordsIn",
			"Source__s.numRecordsInPerSecond", "Source__s.numRecordsOut", "Source__s.KafkaSourceReader.x.pendingRecords",
		}
		fmt.Fprintf(w, `[{"id":"%s"}]`, strings.Join(names, `"},{"id":"`))
	default:
		var values []string
		for name := range strings.SplitSeq(get, ",") {
			if slices.Contains(f.lacks, name) {
				values = nil // of all that were asked for
				break
			}
			if path == "/jobmanager/metrics" {
				values = append(values, fmt.Sprintf(`{"id":%q,"value":"7"}`, name))
				continue
			}
			values = append(values, fmt.Sprintf(`{"id":%q,"min":1,"max":3,"avg":2,"sum":6}`, name))
		}
		fmt.Fprintf(w, "[%s]", strings.Join(values, ","))
	}
}

func (f *measuredFlink) details() string {
	var vertices, nodes []string
	for i := range f.vertices {
		status, inputs := "RUNNING", ""
		if i < f.finished {
			status = "FINISHED"
		}
		if i > 0 {
			inputs = fmt.Sprintf(`,"inputs":[{"id":%q,"ship_strategy":"HASH"}]`, measuredVertex(i-1))
		}
		vertices = append(vertices, fmt.Sprintf(
			`{"id":%q,"parallelism":2,"maxParallelism":128,"status":%q,"metrics":{"read-records":5}}`, measuredVertex(i), status,
		))
		nodes = append(nodes, fmt.Sprintf(`{"id":%q,"parallelism":2%s}`, measuredVertex(i), inputs))
	}
	return fmt.Sprintf(`{"jid":%q,"timestamps":{"RUNNING":1700000000000},"vertices":[%s],"plan":{"nodes":[%s]}}`,
		measuredJob, strings.Join(vertices, ","), strings.Join(nodes, ","))
}

// The Java autoscaler asks for the job, twice for the names of each source, once for the values of each vertex, and
// twice for JobManager and TaskManagers; for the names of all others, too, when it sees the job for the first time.
func TestWhatASampleAsksFlinkFor(t *testing.T) {
	const gc = "Status.JVM.GarbageCollector.All.TimeMsPerSecond"
	for name, row := range map[string]struct {
		flink    *measuredFlink
		requests int
		values   int // how many vertices have values
	}{
		"one vertex":                    {&measuredFlink{vertices: 1}, 5, 1},
		"twenty":                        {&measuredFlink{vertices: 20}, 24, 20},
		"a source that has finished":    {&measuredFlink{vertices: 3, finished: 1}, 6, 2},
		"without the time of garbage":   {&measuredFlink{vertices: 1, lacks: []string{gc}}, 6, 1},
		"without the rate of records":   {&measuredFlink{vertices: 2, lacks: []string{"numRecordsInPerSecond"}}, 8, 1},
		"a source without what it sent": {&measuredFlink{vertices: 1, lacks: []string{"Source__s.numRecordsOut"}}, 5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(row.flink)
			defer server.Close()
			g := &Gatherer{Flink: func(e plan.Endpoint) (*flinkrest.Client, error) {
				return flinkrest.New(flinkrest.Options{BaseURL: e.URL, Transport: &http.Transport{}})
			}}
			o, err := g.Measure(t.Context(), plan.Endpoint{URL: server.URL}, measuredJob)
			if err != nil {
				t.Fatal(err)
			}
			with := 0
			for _, v := range o.Vertices {
				if len(v.Values) > 0 {
					with++
				}
			}
			if len(row.flink.asked) != row.requests || with != row.values {
				t.Errorf("%d requests, want %d; %d vertices with values, want %d\n%s", len(row.flink.asked), row.requests, with,
					row.values, strings.Join(row.flink.asked, "\n"))
			}
			if len(o.Job.Vertices) != row.flink.vertices || o.JobManager["taskSlotsTotal"] != "7" ||
				o.TaskManagers["Status.JVM.Memory.Heap.Max"].Max != 3 || o.Job.Running.UnixMilli() != 1700000000000 {
				t.Errorf("observed %+v", o)
			}
		})
	}
}
