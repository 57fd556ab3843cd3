package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// installation is the function over a model API server with one resource that no pass has seen, and the control Broker.
type installation struct {
	kube    *kubesim.Server
	tap     *wire.Tap
	handler http.Handler

	mu     sync.Mutex
	code   int
	posted []string
}

func install(t *testing.T) *installation {
	t.Helper()
	return installWith(t, nil)
}

// installWith sets options of the operator.
func installWith(t *testing.T, options flinkconf.Config) *installation {
	t.Helper()
	i := &installation{tap: wire.New(), code: http.StatusAccepted}
	i.kube = kubesim.New(t, kubesim.NewClock(), i.tap)
	broker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.posted = append(i.posted, r.Header.Get("Ce-Type")+" "+r.Header.Get("Ce-Subject")+" "+r.Header.Get("Ce-Reason"))
		w.WriteHeader(i.code)
	}))
	t.Cleanup(broker.Close)
	s := settings.Settings{
		Namespace: "flink-system", Clock: "flink-clock", ControlBroker: broker.URL,
		Operator: flinkconf.NewOperator(options),
	}
	handler, err := newHandler(&startup.Function{Client: kube.New(i.kube.Dynamic("observe"))}, s, i.kube.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	i.handler = handler
	for _, u := range []*unstructured.Unstructured{
		{Object: map[string]any{
			"apiVersion": "sources.knative.dev/v1", "kind": "PingSource",
			"metadata": map[string]any{"namespace": "flink-system", "name": "flink-clock"},
			"spec":     map[string]any{"schedule": clock.Asleep.Schedule()},
		}},
		{Object: map[string]any{
			"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
			"metadata": map[string]any{"namespace": "flink", "name": "demo"},
			"spec":     map[string]any{"flinkVersion": "v1_20"},
		}},
	} {
		gvr := kubesim.FlinkDeployments
		if u.GetKind() == "PingSource" {
			gvr = kubesim.PingSources
		}
		if _, err := i.kube.Create(gvr, u); err != nil {
			t.Fatal(err)
		}
	}
	return i
}

// post sends an event with these attributes and this body.
func (i *installation) post(body string, attributes ...string) int {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for _, a := range append([]string{"specversion=1.0", "id=1", "source=/test"}, attributes...) {
		name, value, _ := strings.Cut(a, "=")
		r.Header.Set("Ce-"+name, value)
	}
	answer := httptest.NewRecorder()
	i.handler.ServeHTTP(answer, r)
	return answer.Code
}

var (
	tick       = []string{"type=dev.knative.sources.ping"}
	deployment = []string{
		"type=dev.knative.apiserver.ref.update", "kind=Deployment", "namespace=flink", "name=demo", "apiversion=apps/v1",
	}
	shard = []string{"type=org.apache.flink.operator.shard.v1"}
)

const requested = "org.apache.flink.operator.pass.requested.v1 flink/FlinkDeployment/demo drift"

func TestWhatAsksForAPass(t *testing.T) {
	rows := map[string]struct {
		event  []string
		body   string
		reason string
	}{
		"a tick":                {tick, "{}", "the sweep finds what nobody told of"},
		"a Deployment's change": {deployment, "{}", "its JobManager may have come or gone"},
		"a page of a sweep":     {shard, `{"kind":"FlinkDeployment","limit":200}`, "another pod left it to us"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			i := install(t)
			if code := i.post(row.body, row.event...); code != http.StatusOK {
				t.Errorf("answer %d", code)
			}
			if len(i.posted) != 1 || i.posted[0] != requested {
				t.Errorf("posted %q, want %q: %s", i.posted, requested, row.reason)
			}
			for _, r := range i.tap.Requests() {
				if r.IsWrite() && r.Resource != "pingsources" {
					t.Errorf("a reader wrote: %s", r)
				}
			}
		})
	}
}

func TestATickSetsTheClock(t *testing.T) {
	i := install(t)
	i.post("{}", tick...)
	u := i.kube.Get(kubesim.PingSources, "flink-system", "flink-clock")
	if schedule, _, _ := unstructured.NestedString(u.Object, "spec", "schedule"); clock.Of(schedule) != clock.Transition {
		t.Errorf("schedule %q, want transition: a resource waits for its first pass", schedule)
	}
}

// A user who sets 15 s gets 15 s, also while another resource is in transition.
func TestTheReconcileIntervalIsTheSteadyPace(t *testing.T) {
	i := installWith(t, flinkconf.Config{"kubernetes.operator.reconcile.interval": "15 s"})
	set := func(status map[string]any) {
		t.Helper()
		if _, err := i.kube.UpdateStatus(kubesim.FlinkDeployments, "flink", "demo", status); err != nil {
			t.Fatal(err)
		}
	}
	set(map[string]any{"situation": "Steady", "pace": "slow", "jobManagerDeploymentStatus": "READY"})
	i.post("{}", tick...)
	u := i.kube.Get(kubesim.PingSources, "flink-system", "flink-clock")
	if schedule, _, _ := unstructured.NestedString(u.Object, "spec", "schedule"); schedule != "*/15 * * * * *" {
		t.Errorf("schedule %q, want a tick each 15 s", schedule)
	}
	moving := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
		"metadata": map[string]any{"namespace": "flink", "name": "moving"}, "spec": map[string]any{"flinkVersion": "v1_20"},
	}}
	if _, err := i.kube.Create(kubesim.FlinkDeployments, moving); err != nil {
		t.Fatal(err)
	}
	fast := map[string]any{"situation": "Starting", "pace": "fast"}
	if _, err := i.kube.UpdateStatus(kubesim.FlinkDeployments, "flink", "moving", fast); err != nil {
		t.Fatal(err)
	}
	i.kube.Clock.Advance(15 * time.Second)
	i.post("{}", tick...)
	before := i.tap.Count(looksAtDemo)
	for range 30 {
		i.kube.Clock.Advance(2 * time.Second)
		i.post("{}", tick...)
	}
	if n := i.tap.Count(looksAtDemo) - before; n != 4 {
		t.Errorf("a steady resource was looked at %d times in a minute, want 4", n)
	}
}

// looksAtDemo is the first request of a look at the resource demo.
func looksAtDemo(r wire.Request) bool {
	return r.Verb == "get" && r.Resource == "deployments" && r.Name == "demo"
}

func TestAnswers(t *testing.T) {
	rows := map[string]struct {
		event  []string
		body   string
		broker int
		fault  *wire.Fault
		code   int
		reason string
	}{
		"the Broker is down": {
			tick, "{}", http.StatusInternalServerError, nil, http.StatusServiceUnavailable, "the tick comes again",
		},
		"the API server is busy": {
			tick, "{}", http.StatusAccepted, &wire.Fault{Match: wire.On("list", ""), Status: http.StatusTooManyRequests},
			http.StatusServiceUnavailable, "the same",
		},
		"no page": {
			shard, "no JSON", http.StatusAccepted, nil, http.StatusOK, "it stays wrong however often it is sent",
		},
		"a type of somebody": {
			[]string{"type=com.example.thing"}, "{}", http.StatusAccepted, nil, http.StatusOK, "the same",
		},
		"no type": {nil, "{}", http.StatusAccepted, nil, http.StatusBadRequest, "no CloudEvent"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			i := install(t)
			i.code = row.broker
			if row.fault != nil {
				i.tap.Inject(*row.fault)
			}
			if code := i.post(row.body, row.event...); code != row.code {
				t.Errorf("answer %d, want %d: %s", code, row.code, row.reason)
			}
		})
	}
}
