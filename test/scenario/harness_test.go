package scenario

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"github.com/cloudevents/sdk-go/v2/binding"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

const (
	namespace = "flink"
	system    = "flink-system"
	ticker    = "flink-clock"
)

// harness is an installation: the two functions, their Brokers and their clock over one model World. Nothing happens
// but by its methods. One goroutine drives it.
type harness struct {
	t testing.TB
	w *flinksim.World

	mu        sync.Mutex
	control   []cloudevents.Event // posted to Broker flink-control and not delivered yet
	listeners []cloudevents.Event // posted to Broker flink-events
	faults    []string            // what must never be logged and was
	refused   bool                // the API server may refuse what is right
	decoded   map[types.UID]*v1beta1.FlinkDeployment

	reconcile, observe http.Handler
	// uploads is reconcile-jars.
	uploads http.Handler
	lives   int
	tls     settings.FlinkTLS

	// installed are the settings of the functions.
	installed settings.Settings
	// ask asks validators; nil asks none.
	ask func(context.Context, []flinkconf.Extension, *admissionv1.AdmissionRequest) extension.Said
	// measured are the functions' metrics; nil measures nothing.
	measured *metrics.Metrics
	// audit is the log of changes; nil writes none.
	audit *zap.SugaredLogger
	// heard takes what the functions tell anybody; nil lets it go.
	heard *outputs

	// jars are what jarURIs lead to.
	jars jars
	// hosted are the session jobs of the story: their clusters, by name. With onSession all of its jobs are.
	hosted    map[string]string
	onSession bool
	// standalone says that the story's clusters are in standalone mode.
	standalone bool

	// foresight, unless nil, compares each edit with its preview.
	foresight *foresight

	// sends, unless nil, sends what the functions send to Flink: a test of the judge plants faults of the product so.
	sends func(r *http.Request, send func(*http.Request) (*http.Response, error)) (*http.Response, error)

	// standing are the faults of the story that a crash of a function does not end.
	standing []wire.Fault

	disorder disorder
	late     []cloudevents.Event
	parity   bool
	lastTick time.Time
	serial   int

	// Kubernetes is asked without HTTP between: a random run makes very many requests
	direct                        bool
	disturbance                   string // what breaks in this run; empty: nothing
	passes, looks, ticks, crashes int
	moments                       int
	// how often the job began depends on the order of things: the end tells only the last start
	uncounted  bool
	figures    figures
	watch      *watcher
	transcript *transcript // of what happens; nil: nobody reads it
}

// figures are counts of requests and effects.
type figures struct {
	effects, requests int // of the story
	tick, pass, look  int // requests in a quiet world
}

// newHarness makes an empty cluster with the operator installed: the clock at the pace of config/knative, the functions
// asleep.
func newHarness(t testing.TB) *harness { return install(&harness{t: t}) }

func install(h *harness) *harness {
	t := h.t
	t.Helper()
	h.w, h.decoded = flinksim.NewWorld(t), map[types.UID]*v1beta1.FlinkDeployment{}
	h.hosted = map[string]string{}
	h.installed = installation
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "sources.knative.dev/v1", "kind": "PingSource",
		"metadata": map[string]any{"namespace": system, "name": ticker},
		"spec":     map[string]any{"schedule": clock.Transition.Schedule()},
	}}
	if _, err := h.w.Kube.Create(kubesim.PingSources, u); err != nil {
		t.Fatal(err)
	}
	h.watch = newWatcher(h)
	h.restart()
	return h
}

// restart starts the functions afresh: what they remembered is gone.
func (h *harness) restart() {
	h.t.Helper()
	h.lives++
	h.reconcile, h.observe = h.newReconcile("reconcile"), h.newObserve("observe")
	h.uploads = h.passing("reconcile", true)
}

// log is a function's logger. A line of level error is a panic, a bug, or what a person must look at.
func (h *harness) log() *zap.SugaredLogger {
	if h.heard != nil {
		return h.heard.logger()
	}
	lines := zapcore.AddSync(errorLines{h})
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), lines, zap.ErrorLevel)
	if h.transcript != nil {
		core = zapcore.NewTee(core, h.transcript.log())
	}
	return zap.New(core).Sugar()
}

// errorLines takes the lines of a log.
type errorLines struct{ h *harness }

// Write keeps a line, unless it tells of somebody who denies what is right: a person is to look at that.
func (l errorLines) Write(line []byte) (int, error) {
	if !l.h.refused || !strings.Contains(string(line), `"error_kind":"Denied"`) {
		l.h.mu.Lock()
		defer l.h.mu.Unlock()
		l.h.faults = append(l.h.faults, string(line))
	}
	return len(line), nil
}

// broker takes events as a Broker's ingress does, in memory.
type broker struct {
	h    *harness
	into *[]cloudevents.Event
}

// RoundTrip stores the event.
func (b broker) RoundTrip(r *http.Request) (*http.Response, error) {
	e, err := cehttp.NewEventFromHTTPRequest(r)
	if err != nil {
		return nil, err
	}
	if b.h.heard != nil {
		b.h.heard.hear("CloudEvents", e.String())
	}
	b.h.mu.Lock()
	defer b.h.mu.Unlock()
	*b.into = append(*b.into, *e)
	return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody, Request: r}, nil
}

func (h *harness) publisher(into *[]cloudevents.Event) event.Publisher {
	return event.Publisher{URL: "http://broker.invalid/", Client: &http.Client{Transport: broker{h, into}}}
}

// post delivers one event to a function and returns its answer. A function that died on the way did not answer.
func (h *harness) post(to http.Handler, e cloudevents.Event) int {
	h.t.Helper()
	code := h.postTo(to, e)
	h.afterPass()
	return code
}

// postTo posts and does nothing else: another pod's pass may run in the middle of one of ours.
func (h *harness) postTo(to http.Handler, e cloudevents.Event) int {
	r := httptest.NewRequestWithContext(h.t.Context(), http.MethodPost, "/", nil)
	if err := cehttp.WriteRequest(h.t.Context(), binding.ToMessage(&e), r); err != nil {
		h.t.Errorf("write event %s: %v", e.ID(), err)
		return 0
	}
	answer := httptest.NewRecorder()
	to.ServeHTTP(answer, r)
	return answer.Code
}

// afterPass brings dead functions back, and looks at what was left. What was under way to them is lost with them: from
// the cluster alone they must find their way.
func (h *harness) afterPass() {
	if h.w.Tap.Dead("reconcile") || h.w.Tap.Dead("observe") {
		h.crashes++
		h.w.Tap.Revive()
		for _, f := range h.standing {
			h.w.Tap.Inject(f)
		}
		h.watch.arm()
		h.restart()
		h.w.Kube.Feed.Take()
		h.takeControl()
		h.late = nil
	}
	h.watch.look()
	if h.transcript != nil {
		h.transcript.tellEvents()
	}
}

func (h *harness) takeControl() []cloudevents.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	events := h.control
	h.control = nil
	return events
}

// fromFeed is the event that the installed ApiServerSource makes of a change.
func (h *harness) fromFeed(e kubesim.Event) cloudevents.Event {
	h.serial++
	c := cloudevents.NewEvent()
	c.SetID(fmt.Sprintf("feed-%d", h.serial))
	c.SetType(e.CloudEventType())
	c.SetSource("https://10.0.0.1:443")
	c.SetSubject(e.Subject())
	for name, value := range map[string]string{
		"apiversion": e.APIVersion, "kind": e.Kind, "namespace": e.Namespace, "name": e.Name,
	} {
		c.SetExtension(name, value)
	}
	return c
}

// ping is a tick of the clock.
func (h *harness) ping() cloudevents.Event {
	h.serial++
	c := cloudevents.NewEvent()
	c.SetID(fmt.Sprintf("ping-%d", h.serial))
	c.SetType(event.TypePing)
	c.SetSource("/apis/v1/namespaces/flink-system/pingsources/flink-clock")
	return c
}

// subscriber is who the Triggers of config/knative lead an event to; nil for nobody.
func (h *harness) subscriber(e cloudevents.Event) http.Handler {
	api, _ := e.Extensions()["apiversion"].(string)
	switch {
	case event.IsAPIServer(e) && strings.HasPrefix(api, "flink.apache.org/"), e.Type() == event.TypePassRequested:
		h.passes++
		return h.reconcile
	case e.Type() == event.TypeUploadRequested:
		h.passes++
		return h.uploads
	case event.IsAPIServer(e) && strings.HasPrefix(api, "apps/"), e.Type() == event.TypeShard:
		h.looks++
		return h.observe
	case e.Type() == event.TypePing:
		h.ticks++
		return h.observe
	}
	return nil
}

// deliver delivers one event, and again after an answer that asks for it.
func (h *harness) deliver(e cloudevents.Event) {
	h.t.Helper()
	const retries = 3
	for range 1 + retries {
		to := h.subscriber(e)
		if to == nil {
			h.t.Fatalf("event %s of type %s is nobody's", e.ID(), e.Type())
		}
		crashes := h.crashes
		if h.transcript != nil {
			h.transcript.delivered(e)
		}
		if code := h.post(to, e); code < 500 || crashes != h.crashes {
			return
		}
	}
}

// mostDeliveries is far more than what one moment brings: more means that the functions keep each other busy.
const mostDeliveries = 300

// flush delivers what there is to deliver until nothing is left.
func (h *harness) flush() {
	h.t.Helper()
	delivered := 0
	for {
		var batch []cloudevents.Event
		for _, e := range h.w.Kube.Feed.Take() {
			batch = append(batch, h.fromFeed(e))
		}
		batch = h.disorder.arrange(h, append(batch, h.takeControl()...))
		if len(batch) == 0 {
			return
		}
		for _, e := range batch {
			crashes := h.crashes
			h.deliver(e)
			if delivered++; delivered > mostDeliveries {
				h.t.Fatalf(
					"more than %d events in one moment: the functions keep each other busy\n%s", mostDeliveries, h.describe(),
				)
			}
			if h.crashes != crashes {
				break
			}
		}
	}
}

// pace is that of the clock.
func (h *harness) pace() clock.Pace {
	u := h.w.Kube.Peek(kubesim.PingSources, system, ticker)
	schedule, _, _ := unstructured.NestedString(u.Object, "spec", "schedule")
	return clock.Of(schedule)
}

var periods = map[clock.Pace]time.Duration{
	clock.Transition: 2 * time.Second, clock.Steady: time.Minute, clock.Asleep: 5 * time.Minute,
}

// step lets a little time pass: the world moves, events come, and a tick if one is due.
func (h *harness) step() {
	h.t.Helper()
	pace := 2 * time.Second
	if h.pace() != clock.Transition {
		pace = 20 * time.Second
	}
	h.w.Tick(pace)
	h.moments++
	h.watch.look()
	late := h.late
	h.late = nil
	for _, e := range late {
		h.deliver(e)
	}
	h.flush()
	now, period := h.w.Clock.Now(), periods[h.pace()]
	if period == 0 {
		h.t.Fatal("the clock has a schedule that is none of ours")
	}
	if !now.Truncate(period).Equal(h.lastTick.Truncate(period)) {
		h.tick()
	}
}

// tick is one tick of the clock and what follows from it.
func (h *harness) tick() {
	h.t.Helper()
	h.lastTick = h.w.Clock.Now()
	h.deliver(h.ping())
	h.flush()
}

// pass lets simulated time pass.
func (h *harness) pass(d time.Duration) {
	h.t.Helper()
	for end := h.w.Clock.Now().Add(d); h.w.Clock.Now().Before(end); {
		h.step()
	}
}

// settleTimeout is how much simulated time anything may take, with every hint lost on the way.
const settleTimeout = 40 * time.Minute

// until lets time pass until what is waited for holds.
func (h *harness) until(what string, holds func() bool) {
	h.t.Helper()
	for end := h.w.Clock.Now().Add(settleTimeout); !holds(); h.step() {
		if h.w.Clock.Now().After(end) {
			h.t.Fatalf("%s: not within %s\n%s", what, settleTimeout, h.describe())
		}
	}
}
