package event

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

func made(t *testing.T, eventType, subject string, extensions map[string]string) cloudevents.Event {
	t.Helper()
	e := cloudevents.NewEvent()
	e.SetID("1")
	e.SetType(eventType)
	e.SetSource("https://10.96.0.1:443")
	e.SetSubject(subject)
	for name, value := range extensions {
		e.SetExtension(name, value)
	}
	return e
}

func TestKeyOf(t *testing.T) {
	named := map[string]string{extKind: "FlinkDeployment", extNamespace: "default", extName: "demo"}
	rows := map[string]struct {
		event  cloudevents.Event
		want   string
		reason string
	}{
		"a change": {
			made(t, "dev.knative.apiserver.ref.update", "", named), "default/FlinkDeployment/demo",
			"ApiServerSource names it in extensions",
		},
		"a deletion": {
			made(t, "dev.knative.apiserver.ref.delete", "", named), "default/FlinkDeployment/demo",
			"the pass finds that it is gone",
		},
		"a change without a name": {
			made(t, "dev.knative.apiserver.ref.update", "", map[string]string{extKind: "FlinkDeployment"}), "",
			"nothing to look at",
		},
		"a requested pass": {
			made(t, TypePassRequested, "default/FlinkDeployment/demo", nil), "default/FlinkDeployment/demo",
			"ours name it in the subject",
		},
		"a requested upload": {
			made(t, TypeUploadRequested, "default/FlinkSessionJob/demo", nil), "default/FlinkSessionJob/demo",
			"a pass like any other, by a function with more time",
		},
		"a requested pass, broken": {made(t, TypePassRequested, "default/demo", nil), "", "a subject of two parts"},
		"somebody else's event":    {made(t, "com.example.order", "a/b/c", named), "", "only known types are believed"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			key, err := KeyOf(row.event)
			switch {
			case row.want == "" && err == nil:
				t.Errorf("got %s, want an error: %s", key, row.reason)
			case row.want != "" && (err != nil || key.String() != row.want):
				t.Errorf("got %s, %v; want %s: %s", key, err, row.want, row.reason)
			}
		})
	}
}

func TestParseKeyReadsWhatStringPrints(t *testing.T) {
	key := Key{Kind: "FlinkDeployment", Namespace: "a", Name: "b"}
	if got, err := ParseKey(key.String()); err != nil || got != key {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestReceiverAnswers(t *testing.T) {
	rows := map[string]struct {
		body, contentType, method string
		handle                    error
		want                      int
		reason                    string
	}{
		"handled": {
			structured, "application/cloudevents+json", http.MethodPost, nil, 200,
			"no body, or the Broker takes it for a failure",
		},
		"not an event": {
			"hello", "text/plain", http.MethodPost, nil, 400, "it stays malformed however often it is sent",
		},
		"half an event": {
			`{"specversion":"1.0","id":"1"}`, "application/cloudevents+json", http.MethodPost, nil, 400,
			"type and source are needed",
		},
		"too large": {
			`{"specversion":"1.0","data":"` + strings.Repeat("x", maxEvent) + `"}`, "application/cloudevents+json",
			http.MethodPost, nil, 400, "no event of ours is that large",
		},
		"a look by a browser": {"", "", http.MethodGet, nil, 405, "events are posted"},
		"invalid": {
			structured, "application/cloudevents+json", http.MethodPost, fail.Invalidf("x", "Y", "z"), 200,
			"a retry changes nothing",
		},
		"conflict": {
			structured, "application/cloudevents+json", http.MethodPost, fail.Conflictf("x", "Y", "z"), 200,
			"the write that beat us has its own event",
		},
		"transient": {
			structured, "application/cloudevents+json", http.MethodPost, fail.Transientf("x", "Y", "z"), 503,
			"the Broker sends it again",
		},
		"unclassified": {structured, "application/cloudevents+json", http.MethodPost, errors.New("?"), 500, "as a bug"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			receiver := Receiver{
				Handle: func(context.Context, cloudevents.Event) error { return row.handle }, Log: zap.NewNop().Sugar(),
				Budget: time.Second,
			}
			request := httptest.NewRequest(row.method, "/", strings.NewReader(row.body))
			request.Header.Set("Content-Type", row.contentType)
			answer := httptest.NewRecorder()
			receiver.ServeHTTP(answer, request)
			if answer.Code != row.want || answer.Body.Len() != 0 {
				t.Errorf("answer %d with %d bytes, want %d without: %s", answer.Code, answer.Body.Len(), row.want, row.reason)
			}
		})
	}
}

const structured = `{"specversion":"1.0","id":"1","type":"dev.knative.sources.ping","source":"/x"}`

func TestAPanicIsAnswered(t *testing.T) {
	receiver := Receiver{
		Handle: func(context.Context, cloudevents.Event) error { panic("broken") }, Log: zap.NewNop().Sugar(),
	}
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(structured))
	request.Header.Set("Content-Type", "application/cloudevents+json")
	answer := httptest.NewRecorder()
	receiver.ServeHTTP(answer, request)
	if answer.Code != http.StatusInternalServerError {
		t.Errorf("answer %d, want 500", answer.Code)
	}
}

func TestPublish(t *testing.T) {
	var header http.Header
	var body []byte
	code := http.StatusAccepted
	broker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(code)
	}))
	defer broker.Close()
	e, err := Make(TypeEvent, Head{
		ID: "u-1", Key: Key{Kind: "FlinkDeployment", Namespace: "default", Name: "demo"}, Source: "/functions/reconcile",
		Time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), Reason: "health",
	}, Notice{Type: "Normal", Reason: "Submit"})
	if err != nil {
		t.Fatal(err)
	}
	if err := (Publisher{URL: broker.URL}).Publish(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Ce-Type": TypeEvent, "Ce-Subject": "default/FlinkDeployment/demo", "Ce-Kind": "FlinkDeployment",
		"Ce-Namespace": "default", "Ce-Reason": "health",
	} {
		if header.Get(name) != want {
			t.Errorf("header %s is %q, want %q", name, header.Get(name), want)
		}
	}
	if !bytes.Contains(body, []byte(`"reason":"Submit"`)) {
		t.Errorf("body %s", body)
	}
	code = http.StatusServiceUnavailable
	if err := (Publisher{URL: broker.URL}).Publish(t.Context(), e); err == nil {
		t.Error("a Broker that refuses must be told of")
	}
	if err := (Publisher{}).Publish(t.Context(), e); err != nil {
		t.Errorf("without an address nothing is posted, got %v", err)
	}
}
