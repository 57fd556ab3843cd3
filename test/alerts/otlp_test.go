package alerts

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/storage/remote"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/util/teststorage"
)

// prometheus takes pushes by OTLP, as docs/reference/metrics.md has it started and configured.
type prometheus struct {
	*teststorage.TestStorage
	t      *testing.T
	engine *promql.Engine
	// url takes the pushes, with and without a Collector before it.
	url string
}

// documented is the block of docs/reference/metrics.md that begins with the name of that file.
func documented(t *testing.T, file string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(page), "\n# "+file+"\n")
	block, _, ended := strings.Cut(after, "\n```")
	if !found || !ended {
		t.Fatalf("docs/reference/metrics.md shows no %s", file)
	}
	return block
}

func newPrometheus(t *testing.T) *prometheus {
	t.Helper()
	c, err := config.Load(documented(t, "prometheus.yml"), promslog.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	p := &prometheus{
		t: t, engine: promqltest.NewTestEngine(t, false, 5*time.Minute, 1_000_000),
		TestStorage: teststorage.New(t, func(o *tsdb.Options) {
			o.OutOfOrderTimeWindow = c.StorageConfig.TSDBConfig.OutOfOrderTimeWindow
		}),
	}
	takes := remote.NewOTLPWriteHandler(
		promslog.NewNopLogger(), client.NewRegistry(), p, func() config.Config { return *c },
		remote.OTLPOptions{NativeDelta: true, LookbackDelta: 5 * time.Minute},
	)
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/otlp/v1/metrics", func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		takes.ServeHTTP(answer, r)
		if answer.Code != http.StatusOK {
			t.Errorf("Prometheus answers %d: %s", answer.Code, answer.Body)
		}
		w.WriteHeader(answer.Code)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.url = server.URL + "/api/v1/otlp"
	return p
}

// push pushes a message in JSON.
func (p *prometheus) push(message []byte) {
	p.t.Helper()
	answer, err := http.Post(p.url+"/v1/metrics", "application/json", bytes.NewReader(message))
	if err != nil {
		p.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
}

// query is what an expression gives at a time.
func (p *prometheus) query(expr string, at time.Time) promql.Vector {
	p.t.Helper()
	q, err := p.engine.NewInstantQuery(p.t.Context(), p, nil, expr, at)
	if err != nil {
		p.t.Fatalf("%s: %v", expr, err)
	}
	defer q.Close()
	result := q.Exec(p.t.Context())
	vector, err := result.Vector()
	if result.Err != nil || err != nil {
		p.t.Fatalf("%s: %v, %v", expr, result.Err, err)
	}
	copied := make(promql.Vector, len(vector))
	copy(copied, vector)
	return copied
}

// watched is what fires from one time to another, by rules that are evaluated once a minute.
func (p *prometheus) watched(file ruleFile, from, to time.Time) map[string]fired {
	p.t.Helper()
	groups, found := file.load(p.t, p.engine, p), map[string]fired{}
	for minute := 0; !from.Add(time.Duration(minute) * time.Minute).After(to); minute++ {
		note(p.t.Context(), p.t, groups, from.Add(time.Duration(minute)*time.Minute), minute, found)
	}
	return found
}
