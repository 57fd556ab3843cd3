package scenario

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// bounding is a scaling executor of a user that bounds the parallelism, and can be away.
type bounding struct {
	most  int
	away  atomic.Bool
	asked atomic.Int64
}

// ServeHTTP answers a question.
func (b *bounding) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.asked.Add(1)
	var q plugin.Question
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Kind != plugin.KindExecutor || b.away.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	allowed := map[string]int{}
	for _, v := range q.Vertices {
		allowed[v.ID] = min(v.Wanted, b.most)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"parallelism": allowed}) // a caller who is gone needs no answer
}

// bounded applies a job that has too much to do, whose scalings an executor bounds.
func bounded(t *testing.T, executor http.Handler) *harness {
	t.Helper()
	server := httptest.NewServer(executor)
	t.Cleanup(server.Close)
	h := newHarness(t)
	h.installed.Operator = flinkconf.NewOperator(flinkconf.Config{
		"kubernetes.operator.plugins.autoscaler.bound.url":   server.URL,
		"kubernetes.operator.plugins.autoscaler.bound.class": "org.example.Bound",
	})
	h.restart()
	h.loads("demo", 3500)
	h.apply("demo", application(
		stateful("savepoint"), adaptive, autoscaled,
		option("job.autoscaler.scaling.custom-executors", "mine"),
		option("job.autoscaler.scaling.custom-executor.mine.class", "org.example.Bound"),
	))
	h.untilStable("demo")
	return h
}

func TestAnExecutorOfTheUserBoundsAScaling(t *testing.T) {
	b := &bounding{most: 3}
	h := bounded(t, b)
	h.scaledTo("demo", "up", atLeast(3))
	h.windowFills("demo")
	expect(t, "the parallelism", h.parallelismOf("demo")[0], 3)
	asked := b.asked.Load()
	h.rest()
	h.rest()
	if now := b.asked.Load() - asked; now < 1 || now > 14 {
		t.Errorf("it was asked %d times in 14 ticks, want at most once in each", now)
	}
}

func TestAnExecutorOfTheUserThatIsAwayHoldsAScalingBack(t *testing.T) {
	b := &bounding{most: 100}
	b.away.Store(true)
	h := bounded(t, b)
	const away = "False AutoscalerError: scaling executor mine: HTTP status 503"
	h.until("it is told", func() bool { return strings.HasPrefix(h.condition("demo", "Autoscaling"), away) })
	h.rest()
	expect(t, "the parallelism", h.parallelismOf("demo")[0], 2)
	b.away.Store(false)
	h.scaledTo("demo", "up", atLeast(5))
}

// waking is an executor that is asleep whenever a sample is new: nobody gets an answer before they have given up once.
type waking struct {
	mu    sync.Mutex
	woken time.Time // the sample for which it is awake
}

// ServeHTTP answers the second question about a sample, and keeps whoever asks first waiting.
func (w *waking) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	var q plugin.Question
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		answer.WriteHeader(http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	asleep := !w.woken.Equal(q.Time)
	w.woken = q.Time
	w.mu.Unlock()
	if asleep {
		<-r.Context().Done()
		return
	}
	allowed := map[string]int{}
	for _, v := range q.Vertices {
		allowed[v.ID] = v.Wanted
	}
	_ = json.NewEncoder(answer).Encode(map[string]any{"parallelism": allowed}) // a caller who is gone needs no answer
}

// A look has two seconds, and then it waits until the others are done: what it had asked for is asked for again.
func TestAnExecutorThatTakesLongToWakeUpIsAskedAgain(t *testing.T) {
	h := bounded(t, &waking{})
	h.scaledTo("demo", "up", atLeast(3))
}
