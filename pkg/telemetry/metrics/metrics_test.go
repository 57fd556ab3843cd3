package metrics

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
	"github.com/kn-flink/kn-flink/pkg/telemetry/push"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/otlpsim"
)

func pod(t testing.TB, r *otlpsim.Receiver, c *kubesim.Clock) *Metrics {
	t.Helper()
	m, err := New(Setup{
		Function: "reconcile", Namespace: "flink-system", Endpoint: otlp.Endpoint{URL: r.URL, Timeout: time.Second},
		Now: c.Now, Log: zap.NewNop().Sugar(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func request(h http.Handler) {
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil))
}

func TestTwentyPodsOfOneSecondAddUp(t *testing.T) {
	r, instances := otlpsim.New(t), map[string]bool{}
	for n := range 20 {
		m := pod(t, r, kubesim.NewClock())
		work := m.Handler(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
			m.Count(q.Context(), Effects, 3, Kind("FlinkDeployment"), Action("SetReplicas"))
			m.Time(q.Context(), PassDuration, 250*time.Millisecond, Kind("FlinkDeployment"))
		}))
		for range n%3 + 1 {
			request(work)
		}
		m.Close(t.Context())
	}
	want := 0
	for n := range 20 {
		want += n%3 + 1
	}
	if got := r.Total(string(Effects), "flink.operator.action=SetReplicas"); got != float64(3*want) {
		t.Errorf("%v effects, want %d", got, 3*want)
	}
	if got := r.Count(string(PassDuration), "flink.resource.kind=FlinkDeployment"); got != uint64(want) {
		t.Errorf("%d passes, want %d", got, want)
	}
	for _, s := range r.Samples(string(Effects)) {
		instances[s.Labels["service.instance.id"]] = true
		if s.Labels["service.name"] != "reconcile" || s.Labels["service.namespace"] != "flink-system" {
			t.Errorf("of %v", s.Labels)
		}
	}
	if len(instances) != 20 {
		t.Errorf("%d pods are told from each other, want 20", len(instances))
	}
}

func TestWhatIsOfNoPodHasNoPod(t *testing.T) {
	r, c := otlpsim.New(t), kubesim.NewClock()
	for range 2 {
		m := pod(t, r, c)
		m.Set(CPU, c.Now(), 2, Kind("FlinkDeployment"), Namespace("flink"), Name("demo"))
		m.Close(t.Context())
	}
	got := r.Samples(string(CPU))
	if len(got) != 1 || got[0].Value != 2 || got[0].Labels["service.instance.id"] != "" || got[0].Unit != "{cpu}" {
		t.Errorf("got %v, want the same sample from both pods", got)
	}
}

func TestTheLastRequestPushesBeforeItsAnswer(t *testing.T) {
	r := otlpsim.New(t)
	m := pod(t, r, kubesim.NewClock())
	begun, end := make(chan bool), make(chan bool)
	work := m.Handler(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		m.Count(q.Context(), Looks, 1, Kind("FlinkDeployment"))
		begun <- true
		<-end
	}))
	m.push(t.Context()) // not long ago, and there was nothing
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { request(work) })
		<-begun
	}
	end <- true
	end <- true
	both.Wait()
	if got := r.Total(string(Looks)); got != 2 || r.Posts() != 1 {
		t.Errorf("%v looks by %d posts, want both by one: the other request was in flight", got, r.Posts())
	}
}

func TestAPodThatIsNeverWithoutRequestsPushesToo(t *testing.T) {
	r, c := otlpsim.New(t), kubesim.NewClock()
	m := pod(t, r, c)
	begun, end, ended := make(chan bool), make(chan bool), make(chan bool)
	go func() { // one that does not end
		request(m.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun <- true; <-end })))
		close(ended)
	}()
	<-begun
	defer func() { close(end); <-ended }()
	work := m.Handler(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { m.Count(q.Context(), Looks, 1) }))
	request(work)
	request(work)
	c.Advance(push.Every)
	request(work)
	if got := r.Total(string(Looks)); got != 3 || r.Posts() != 2 {
		t.Errorf("%v looks by %d posts, want 3 by 2", got, r.Posts())
	}
}

func TestAnEndpointThatIsDownLosesNothingAndKeepsNobodyWaiting(t *testing.T) {
	r, c := otlpsim.New(t), kubesim.NewClock()
	m := pod(t, r, c)
	status := http.StatusServiceUnavailable
	r.Answer(func() int { return status })
	work := m.Handler(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		m.Count(q.Context(), Looks, 1)
		m.Set(Resources, c.Now(), 7)
	}))
	request(work)
	request(work)
	if r.Posts() != 1 {
		t.Errorf("%d posts, want 1: it failed a moment ago", r.Posts())
	}
	status = http.StatusOK
	c.Advance(push.Every)
	request(work)
	if got := r.Total(string(Looks)); got != 3 {
		t.Errorf("%v looks, want 3: those of the push that failed, too", got)
	}
	if got := r.Samples(string(Resources)); len(got) != 1 || !got[0].At.Equal(c.Now().UTC()) {
		t.Errorf("got %v, want only how it is now", got)
	}
}

func TestTheEndOfAPodTriesOnceMore(t *testing.T) {
	r, c := otlpsim.New(t), kubesim.NewClock()
	m := pod(t, r, c)
	status := http.StatusServiceUnavailable
	r.Answer(func() int { return status })
	m.Count(t.Context(), Looks, 1)
	m.push(t.Context())
	status = http.StatusOK
	m.Close(t.Context())
	if got := r.Total(string(Looks)); got != 1 {
		t.Errorf("%v looks, want 1", got)
	}
}

func TestWhatIsRefusedForGoodIsNotSentAgain(t *testing.T) {
	r, c := otlpsim.New(t), kubesim.NewClock()
	core, lines := observer.New(zap.WarnLevel)
	m := pod(t, r, c)
	m.Log, m.Endpoint.URL = zap.New(core).Sugar(), "http://user:hunter2@host/v1/metrics"
	status := http.StatusBadRequest
	r.Answer(func() int { return status })
	m.Count(t.Context(), Looks, 1)
	m.push(t.Context())
	status = http.StatusOK
	m.Count(t.Context(), Looks, 5)
	m.push(t.Context())
	if got := r.Total(string(Looks)); got != 5 {
		t.Errorf("%v looks, want 5", got)
	}
	if lines.Len() != 1 || strings.Contains(lines.All()[0].ContextMap()["endpoint"].(string), "hunter2") {
		t.Errorf("told %v, want one line without the password", lines.All())
	}
}

// TestManyVerticesAreNotDropped: a page of a sweep has more values than wait at once.
func TestManyVerticesAreNotDropped(t *testing.T) {
	r, c := otlpsim.New(t), kubesim.NewClock()
	m := pod(t, r, c)
	for n := range 3 * most / 2 {
		if n%100 == 0 {
			m.Relieve(t.Context())
		}
		m.Set(Load, c.Now(), 0.5, Name(strconv.Itoa(n)))
	}
	m.Close(t.Context())
	if got := r.Sum(string(Load)); got != 3*most/4 || r.Posts() != 3 {
		t.Errorf("the loads add up to %v in %d posts, want %d in 3", got, r.Posts(), 3*most/4)
	}
}

func TestWithoutAnEndpointNothingIsMade(t *testing.T) {
	m, err := New(Setup{})
	if m != nil || err != nil {
		t.Fatalf("got %v, %v", m, err)
	}
	next := http.NewServeMux()
	if got := m.Handler(next); got != http.Handler(next) {
		t.Error("the handler is wrapped")
	}
	if got := m.Calls("kubernetes")(http.DefaultTransport); got != http.DefaultTransport {
		t.Error("the transport is wrapped")
	}
	if got := testing.AllocsPerRun(10, func() {
		m.Count(context.Background(), Looks, 1, Kind("FlinkDeployment"))
		m.Time(context.Background(), PassDuration, time.Second, Kind("FlinkDeployment"))
		m.Set(Resources, time.Time{}, 1, Namespace("flink"))
		m.Relieve(context.Background())
		m.Close(context.Background())
	}); got != 0 {
		t.Errorf("%v allocations, want none", got)
	}
}

func TestCallsAreMeasuredByPeerMethodAndAnswer(t *testing.T) {
	r := otlpsim.New(t)
	m := pod(t, r, kubesim.NewClock())
	flink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/missing" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer flink.Close()
	client := http.Client{Transport: m.Calls("flink")(http.DefaultTransport)}
	for _, path := range []string{"/jobs", "/missing", "/jobs"} {
		response, err := client.Get(flink.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	if _, err := client.Get("http://127.0.0.1:1/"); err == nil {
		t.Fatal("somebody listens there")
	}
	m.Close(t.Context())
	for labels, want := range map[string]uint64{
		"http.response.status_code=200": 2, "http.response.status_code=404": 1, "error.type=no_answer": 1,
		"peer.service=flink": 4, "http.request.method=GET": 4,
	} {
		if got := r.Count(string(CallDuration), labels); got != want {
			t.Errorf("%d calls with %s, want %d", got, labels, want)
		}
	}
}
