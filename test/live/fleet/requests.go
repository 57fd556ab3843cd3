package fleet

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"

	"k8s.io/apiserver/pkg/endpoints/responsewriter"
)

// requests counts what the functions ask of the API server, and refuses some of it. Safe for concurrent use.
type requests struct {
	mu      sync.Mutex
	counted Requests
	refuse  float64
	paths   map[string]int
}

// Requests are those of the functions.
type Requests struct {
	// All are counted with those that were refused; Writes are those that change something.
	All, Writes, Refused int
	// Bytes are those of the answers' bodies as they are on the wire.
	Bytes int64
}

// ours is what the user agents of the functions begin with.
const ours = "kn-flink-"

// set refuses that share of the requests from now on, with 429.
func (q *requests) set(refuse float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refuse = refuse
}

// take is what was counted since the last time, and how often each resource was asked for.
func (q *requests) take() (Requests, map[string]int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	out, paths := q.counted, q.paths
	q.counted, q.paths = Requests{}, map[string]int{}
	return out, paths
}

// filter is around all that the API server serves.
func (q *requests) filter(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.UserAgent(), ours) {
			inner.ServeHTTP(w, r)
			return
		}
		if q.count(r) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "the fleet's fault", http.StatusTooManyRequests)
			return
		}
		inner.ServeHTTP(responsewriter.WrapForHTTP1Or2(&counting{ResponseWriter: w, q: q}), r)
	})
}

// count counts a request in, and says whether it is refused.
func (q *requests) count(r *http.Request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.counted.All++
	if q.paths == nil {
		q.paths = map[string]int{}
	}
	q.paths[kindOfRequest(r)]++
	if r.Method != http.MethodGet {
		q.counted.Writes++
	}
	refused := rand.Float64() < q.refuse
	if refused {
		q.counted.Refused++
	}
	return refused
}

// kindOfRequest is the agent, the method and the resource.
func kindOfRequest(r *http.Request) string {
	agent, _, _ := strings.Cut(strings.TrimPrefix(r.UserAgent(), ours), " ")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) > 0 && parts[0] == "api" {
		parts = parts[1:]
	} else if len(parts) > 1 {
		parts = parts[2:]
	}
	if len(parts) > 2 && parts[1] == "namespaces" {
		parts = append(parts[:1:1], parts[3:]...)
	}
	what, verb := "", "LIST"
	if len(parts) > 1 {
		what = parts[1]
	}
	if len(parts) > 2 {
		verb = "GET"
	}
	if r.Method != http.MethodGet {
		verb = r.Method
	}
	return agent + " " + verb + " " + what
}

// counting counts the bytes of an answer.
type counting struct {
	http.ResponseWriter
	q *requests
}

var _ responsewriter.UserProvidedDecorator = (*counting)(nil)

// Unwrap is the writer that it is around.
func (c *counting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Write writes and counts.
func (c *counting) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.q.mu.Lock()
	c.q.counted.Bytes += int64(n)
	c.q.mu.Unlock()
	return n, err
}
