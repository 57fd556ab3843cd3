package alerts

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

const (
	trace, source  = "0123456789abcdef0123456789abcdef", "1122334455667788"
	review, server = "fedcba9876543210fedcba9876543210", "8877665544332211"
)

// event is one that was posted to a Broker.
type event struct {
	header http.Header
	body   string
}

// newBroker takes events. first is the first of a type, and whether there is one.
func newBroker(t *testing.T) (url string, first func(ofType string) (event, bool)) {
	t.Helper()
	var mu sync.Mutex
	var events []event
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		events = append(events, event{r.Header, string(body)})
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(server.Close)
	return server.URL, func(ofType string) (event, bool) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range events {
			if strings.Contains(e.header.Get("Ce-Type"), ofType) {
				return e, true
			}
		}
		return event{}, false
	}
}

// newValidator allows everything.
func newValidator(t *testing.T) (url string) {
	t.Helper()
	validator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, uid, _ := strings.Cut(string(body), `"uid":"`)
		uid, _, _ = strings.Cut(uid, `"`)
		fmt.Fprintf(w, `{"kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, uid)
	}))
	t.Cleanup(validator.Close)
	return validator.URL
}

const deployment = `{"apiVersion":"flink.apache.org/v1beta1","kind":"FlinkDeployment",
"metadata":{"namespace":"flink","name":"demo"},
"spec":{"image":"flink:1.20","flinkVersion":"v1_20","serviceAccount":"flink",
"jobManager":{"resource":{"memory":"1024m"}},"taskManager":{"resource":{"memory":"1024m"}}}}`

// token is the last part of the path under which admit reviews.
var token = strings.Repeat("ab", 32)

// newKube has a deployment that no pass has seen, the clock, and the path of admit.
func newKube(t *testing.T) *kubesim.Server {
	t.Helper()
	kube := kubesim.New(t, kubesim.NewClock(), wire.New())
	ticker := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "sources.knative.dev/v1", "kind": "PingSource",
		"metadata": map[string]any{"namespace": "flink-system", "name": "flink-clock"},
		"spec":     map[string]any{"schedule": "*/5 * * * *"},
	}}
	demo := &unstructured.Unstructured{}
	if err := demo.UnmarshalJSON([]byte(deployment)); err != nil {
		t.Fatal(err)
	}
	path := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata": map[string]any{"namespace": "flink-system", "name": "flink-admit-tls"},
		"data": map[string]any{
			"token":      base64.StdEncoding.EncodeToString([]byte(token)),
			"token-made": base64.StdEncoding.EncodeToString([]byte("2026-11-01T12:00:00Z")),
		},
	}}
	if _, err := kube.Create(kubesim.PingSources, ticker); err != nil {
		t.Fatal(err)
	}
	if _, err := kube.Create(kubesim.Secrets, path); err != nil {
		t.Fatal(err)
	}
	if _, err := kube.Create(kubesim.FlinkDeployments, demo); err != nil {
		t.Fatal(err)
	}
	return kube
}

// ping is a tick of the clock.
func ping() http.Header {
	header := http.Header{}
	for name, value := range map[string]string{
		"specversion": "1.0", "id": "1", "type": "dev.knative.sources.ping",
		"source":      "/apis/v1/namespaces/flink-system/pingsources/flink-clock",
		"traceparent": traceparent(trace, source),
	} {
		header.Set("Ce-"+name, value)
	}
	return header
}

// The functions' own programs push to a Collector, and it to a Prometheus: a review, and a tick that asks for a pass
// which starts a job.
func TestFromTheFunctionsToPrometheus(t *testing.T) {
	p := newPrometheus(t)
	records, url := newBackend(t)
	collector, endCollector := startCollector(t, p.url, url)
	broker, posted := newBroker(t)
	f := buildFunctions(t, newKube(t), "http://"+collector, broker, newValidator(t))

	asks := http.Header{"Content-Type": {"application/json"}, "Traceparent": {traceparent(review, server)}}
	send(t, f.start("admit")+"/validators/"+token, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{
		"uid":"u","operation":"CREATE","namespace":"flink","name":"demo","resource":{"group":"flink.apache.org"},
		"kind":{"group":"flink.apache.org","version":"v1beta1","kind":"FlinkDeployment"},"object":`+deployment+`}}`, asks)
	send(t, f.start("observe"), "{}", ping())
	requested, is := posted("pass.requested")
	if !is {
		t.Fatal("the sweep asks for no pass")
	}
	send(t, f.start("reconcile"), requested.body, requested.header)
	f.end()
	endCollector()

	isOneTrace(t, records)
	isInPrometheus(t, p)
}

// isOneTrace holds that each span is below one that is there, from the tick to the requests of the pass, and that log
// lines are of their trace.
func isOneTrace(t *testing.T, b *backend) {
	t.Helper()
	peers := map[string]bool{}
	for _, s := range b.spans {
		above, known := b.spans[s.above]
		first := s.trace == trace && s.above == source || s.trace == review && s.above == server
		settings := s.above == "" && s.trace != trace && s.trace != review && s.attributes["peer.service"] == "kubernetes"
		if !first && !settings && (!known || above.trace != s.trace) {
			t.Errorf("%s: span %s of trace %s is below %q, which is not there", s.function, s.name, s.trace, s.above)
		}
		if s.instance == "" {
			t.Errorf("%s: span %s does not say of which pod it is", s.function, s.name)
		}
		if peer, is := s.attributes["peer.service"]; is {
			peers[fmt.Sprint(s.function, " ", peer)] = true
		}
	}
	sweep, pass := b.span("observe", "process dev.knative.sources.ping"), b.span("reconcile", "pass")
	asked := b.spans[b.spans[pass.above].above]
	if sweep.above != source || asked.function != "flink-system/observe" || pass.trace != trace ||
		pass.attributes["key"] != "flink/FlinkDeployment/demo" {
		t.Errorf("the pass is %v, asked for by %v, in the sweep %v", pass, asked, sweep)
	}
	if judged := b.span("admit", "review validators"); judged.above != server || judged.trace != review {
		t.Errorf("the review is %v", judged)
	}
	for _, want := range []string{
		"observe kubernetes", "observe broker", "reconcile kubernetes", "reconcile broker", "reconcile extension",
		"admit extension",
	} {
		if !peers["flink-system/"+want] {
			t.Errorf("there is no span of a request %s; there are %v", want, peers)
		}
	}
	rounds := 0
	for _, l := range b.lines {
		if l.name == "round" && l.trace == trace && l.function == "flink-system/reconcile" && l.instance != "" {
			rounds++
		}
	}
	if rounds == 0 {
		t.Errorf("of %d log lines none is of a round in the trace", len(b.lines))
	}
}

// isInPrometheus holds that what is told has the names of docs/reference/metrics.md, and what the rules make of it.
func isInPrometheus(t *testing.T, p *prometheus) {
	t.Helper()
	now := time.UnixMilli(p.Head().MaxTime())
	p.watched(readRules(t), now, now)
	page, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.query(`count by (__name__) ({__name__=~"flink_operator_[a-z_]+|http_.+"})`, now) {
		name := s.Metric.Get("__name__")
		bare := name
		for _, part := range []string{"_bucket", "_count", "_sum"} {
			bare = strings.TrimSuffix(bare, part)
		}
		if !strings.Contains(string(page), "| `"+bare+"` |") {
			t.Errorf("docs/reference/metrics.md has no %s", name)
		}
	}
	const observe, reconcile = `job="flink-system/observe"`, `job="flink-system/reconcile"`
	const admit = `job="flink-system/admit"`
	kind := `flink_resource_kind="FlinkDeployment"`
	for expr, want := range map[string]float64{
		`flink_operator_resources{` + observe + `,instance="",k8s_namespace_name="flink",` + kind + `}`:         1,
		`flink_operator_sweep_complete{` + observe + `}`:                                                        1,
		`time() - flink_operator_sweep_time_seconds{` + observe + `} < bool 600`:                                1,
		`sum(flink_operator_looks_total{` + observe + `,instance!=""})`:                                         1,
		`flink_operator_pass_duration_seconds_count{` + reconcile + `,instance!="",` + kind + `,error_type=""}`: 1,
		`flink_operator_effects_total{` + reconcile + `,flink_operator_action="Release",` + kind + `}`:          1,
		`flink_operator_review_duration_seconds_count{` + admit + `,flink_operator_review_outcome="allowed"}`:   1,
		`sum(http_client_request_duration_seconds_count{` + admit + `,peer_service="extension"})`:               1,
		`sum(http_client_request_duration_seconds_count{` + reconcile + `,peer_service="extension"}) > bool 0`:  1,
		`sum(http_client_request_duration_seconds_count{` + reconcile + `,peer_service="kubernetes"}) > bool 3`: 1,
		`flink_k8soperator_namespace_Count{` + observe + `,resourcens="flink",resourcetype="FlinkDeployment"}`:  1,
		`sum(flink_operator_lifecycle_transitions_total{` + reconcile + `,flink_state="DEPLOYED"})`:             1,
	} {
		if got := p.query(expr, now); len(got) != 1 || got[0].F != want {
			t.Errorf("%s is %v, want %v", expr, got, want)
		}
	}
}
