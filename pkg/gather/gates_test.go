package gather

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

const gateJob = "0123456789abcdef0123456789abcdef"

// gateFlink is a JobManager whose job has a source and a sink; more are answers by path.
func gateFlink(t *testing.T, more map[string]string) *httptest.Server {
	t.Helper()
	at := "/v1/jobs/" + gateJob
	answers := map[string]string{
		at: `{"jid":"` + gateJob + `","name":"j","state":"RUNNING","start-time":1,"end-time":-1,"now":2,
			"timestamps":{},"status-counts":{},"plan":{"nodes":[]},
			"vertices":[{"id":"a","name":"Source: a"},{"id":"b","name":"Sink: b"}]}`,
		at + "/checkpoints":            `{"counts":{"completed":4},"latest":{},"history":[]}`,
		at + "/metrics":                `[{"id":"numRestarts","value":"2"}]`,
		at + "/vertices/a/names":       `[{"id":"Source__a.pendingRecords"},{"id":"numRecordsIn"}]`,
		at + "/vertices/b/names":       `[{"id":"Sink__b.numRecordsSend"},{"id":"Sink__b.numRecordsSendErrors"}]`,
		"Source__a.pendingRecords":     `[{"id":"Source__a.pendingRecords","sum":150}]`,
		"Sink__b.numRecordsSend":       `[{"id":"Sink__b.numRecordsSend","sum":1000}]`,
		"Sink__b.numRecordsSendErrors": `[{"id":"Sink__b.numRecordsSendErrors","sum":3}]`,
	}
	for path, answer := range more {
		answers[path] = answer
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if rest, is := strings.CutSuffix(path, "/subtasks/metrics"); is {
			if path = r.URL.Query().Get("get"); path == "" {
				path = rest + "/names"
			}
		}
		answer := answers[path]
		if answer == "" {
			w.WriteHeader(http.StatusNotFound)
			answer = `{"errors":["not found"]}`
		}
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	return server
}

func gatesOf(t *testing.T, g *Gatherer, q bluegreen.GateQuery, more map[string]string) bluegreen.Gates {
	t.Helper()
	connect, err := NewConnect(Way{})
	if err != nil {
		t.Fatal(err)
	}
	g.Flink = connect
	q.Endpoint, q.JobID = plan.Endpoint{URL: gateFlink(t, more).URL}, gateJob
	resource := &v1beta1.FlinkBlueGreenDeployment{}
	resource.Name, resource.Namespace, resource.UID = "demo", "flink", "u"
	return g.gates(t.Context(), resource, q)
}

func TestGatesAskFlink(t *testing.T) {
	q := bluegreen.GateQuery{Checkpoints: true, Restarts: true, Lag: true, Sent: true}
	got := gatesOf(t, &Gatherer{}, q, nil)
	want := bluegreen.Gates{
		Checkpoints: plan.Present[int64](4), Restarts: plan.Present[int64](2), Lag: plan.Present[int64](150),
		Sent: plan.Present(bluegreen.Sent{Records: 1000, Errors: 3}), Services: map[string]plan.Observed[string]{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("found %+v\nwant  %+v", got, want)
	}
	got = gatesOf(t, &Gatherer{}, q, map[string]string{
		"/v1/jobs/" + gateJob + "/vertices/a/names": `[]`, "/v1/jobs/" + gateJob + "/vertices/b/names": `[]`,
		"/v1/jobs/" + gateJob + "/metrics": `[]`,
	})
	if !got.Lag.IsAbsent() || !got.Sent.IsAbsent() || !got.Restarts.IsUnknown() {
		t.Errorf("found %+v, want no lag, nothing sent, and restarts that are not known", got)
	}
	for name, answer := range map[string]string{
		"no value":      `[]`,
		"not a number":  `[{"id":"Source__a.pendingRecords","sum":"NaN"}]`,
		"no sum":        `[{"id":"Source__a.pendingRecords","max":1}]`,
		"without bound": `[{"id":"Source__a.pendingRecords","sum":"Infinity"}]`,
		"below zero":    `[{"id":"Source__a.pendingRecords","sum":-1e300}]`,
		"another":       `[{"id":"Sink__b.numRecordsSend","sum":1}]`,
	} {
		got = gatesOf(t, &Gatherer{}, q, map[string]string{"Source__a.pendingRecords": answer})
		if !got.Lag.IsUnknown() {
			t.Errorf("%s: found %+v, want a lag that is not known", name, got.Lag)
		}
	}
	got = gatesOf(t, &Gatherer{}, q, map[string]string{"/v1/jobs/" + gateJob: `{}`})
	if !got.Lag.IsUnknown() || !got.Sent.IsUnknown() {
		t.Errorf("found %+v, want a lag and records that are not known", got)
	}
}

func TestGatesAskWhatAnAdministratorNamed(t *testing.T) {
	q := bluegreen.GateQuery{
		PrometheusURL: "http://prometheus",
		Expression:    "up",
		Services:      []flinkconf.Extension{{Name: "smoke"}, {Name: "load"}},
	}
	found := gatesOf(t, &Gatherer{}, q, nil)
	if !found.ByPass || !found.Query.IsUnknown() || !found.Services["smoke"].IsUnknown() {
		t.Errorf("a look that asks no service found %+v", found)
	}
	found = gatesOf(t, &Gatherer{
		Query: func(_ context.Context, at, expression string) ([]float64, error) {
			if at != "http://prometheus" || expression != "up" {
				t.Errorf("asked %s %s", at, expression)
			}
			return []float64{7}, nil
		},
		Ask: func(
			_ context.Context, services []flinkconf.Extension, r *admissionv1.AdmissionRequest,
		) extension.Said {
			if len(services) != 1 || r.Name != "demo" || r.Kind.Kind != v1beta1.KindFlinkBlueGreenDeployment {
				t.Errorf("asked %v about %s %s", services, r.Kind.Kind, r.Name)
			}
			if services[0].Name == "load" {
				return extension.Said{Unanswered: "HTTP status 503"}
			}
			return extension.Said{Refusal: "no"}
		},
	}, q, nil)
	want := bluegreen.Gates{
		Query: plan.Present([]float64{7}),
		Services: map[string]plan.Observed[string]{
			"smoke": plan.Present("no"), "load": plan.Unknown[string]("HTTP status 503"),
		},
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("found %+v\nwant  %+v", found, want)
	}
	q.PrometheusURL = ""
	if found = gatesOf(t, &Gatherer{}, q, nil); !strings.Contains(found.Query.Why(), "gate.prometheus.url") {
		t.Errorf("without a Prometheus: %+v", found.Query)
	}
}
