package event

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

var signTime = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// mounted is a folder as the kubelet mounts the Secret, with keys made so long before signTime.
func mounted(t *testing.T, made time.Duration, keys ...string) *Keys {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"token-made": signTime.Add(-made).Format(time.RFC3339)}
	for i, name := range []string{"token", "token-before"} {
		if i < len(keys) {
			files[name] = strings.Repeat(keys[i], 64/len(keys[i]))
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &Keys{Dir: dir, Now: func() time.Time { return signTime }}
}

// asked is a request for a pass.
func asked(t *testing.T, eventType string, at time.Time) cloudevents.Event {
	t.Helper()
	e, err := Make(eventType, Head{
		ID: "1", Key: Key{Kind: "FlinkDeployment", Namespace: "a", Name: "b"}, Source: "/functions/observe", Time: at,
		Reason: "drift",
	}, Shard{Kind: "FlinkDeployment", Namespace: "a", Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestWhatOneFunctionSendsAnotherIsSigned(t *testing.T) {
	day := 24 * time.Hour
	rows := map[string]struct {
		sender, receiver *Keys
		change           func(*cloudevents.Event)
		refused          bool
		reason           string
	}{
		"no key anywhere": {nil, &Keys{Now: time.Now}, nil, false, "an installation without the certificate's Job"},
		"signed":          {mounted(t, day, "a1"), mounted(t, day, "a1"), nil, false, "the usual case"},
		"not signed":      {nil, mounted(t, day, "a1"), nil, true, "any pod can send that"},
		"another key":     {mounted(t, day, "b2"), mounted(t, day, "a1"), nil, true, "another installation"},
		"the key is new":  {nil, mounted(t, time.Minute, "a1"), nil, false, "the sender may not have it yet"},
		"rotated, late sender": {
			mounted(t, day, "a1"), mounted(t, time.Minute, "b2", "a1"), nil, false, "it has the old key",
		},
		"rotated, late receiver": {
			mounted(t, time.Minute, "b2", "a1"), mounted(t, day, "a1"), nil, false, "the sender signs with the old one",
		},
		"rotated, spread": {mounted(t, time.Hour, "b2", "a1"), mounted(t, time.Hour, "b2", "a1"), nil, false, "the new key"},
		"rotated, not signed": {
			nil, mounted(t, time.Minute, "b2", "a1"), nil, true, "every sender had a key before",
		},
		"another subject": {mounted(t, day, "a1"), mounted(t, day, "a1"), func(e *cloudevents.Event) {
			e.SetSubject("a/FlinkDeployment/c")
		}, true, "a copy for another resource"},
		"another type": {mounted(t, day, "a1"), mounted(t, day, "a1"), func(e *cloudevents.Event) {
			e.SetType(TypeUploadRequested)
		}, true, "a copy for another work"},
		"other data": {mounted(t, day, "a1"), mounted(t, day, "a1"), func(e *cloudevents.Event) {
			_ = e.SetData(cloudevents.ApplicationJSON, Shard{Kind: "FlinkDeployment"})
		}, true, "a page without a limit"},
		"another time": {mounted(t, day, "a1"), mounted(t, day, "a1"), func(e *cloudevents.Event) {
			e.SetTime(signTime.Add(time.Second))
		}, true, "a copy made young again"},
		"data printed in another way": {mounted(t, day, "a1"), mounted(t, day, "a1"), func(e *cloudevents.Event) {
			var any map[string]json.RawMessage
			if err := json.Unmarshal(e.Data(), &any); err != nil {
				t.Fatal(err)
			}
			e.DataEncoded = []byte(strings.ReplaceAll(string(e.Data()), ",", ",\n  "))
		}, false, "a Broker may store it in structured mode"},
		"no base64": {mounted(t, day, "a1"), mounted(t, day, "a1"), func(e *cloudevents.Event) {
			e.SetExtension(extSignature, "%%")
		}, true, "no signature"},
	}
	for name, row := range rows {
		for _, eventType := range []string{TypePassRequested, TypeUploadRequested, TypeShard} {
			e := row.sender.Sign(asked(t, eventType, signTime))
			if row.change != nil {
				if name == "another type" && eventType == TypeUploadRequested {
					continue
				}
				row.change(&e)
			}
			err := row.receiver.Check(e)
			if (err != nil) != row.refused {
				t.Errorf("%s, %s: %v, want refused %v: %s", name, eventType, err, row.refused, row.reason)
			}
			if err != nil && fail.KindOf(err) != fail.Invalid {
				t.Errorf("%s: kind %s, want Invalid: it stays wrong however often it is sent", name, fail.KindOf(err))
			}
		}
	}
}

func TestAnOldCopyOfASignedEventIsRefused(t *testing.T) {
	k := mounted(t, 24*time.Hour, "a1")
	for age, refused := range map[time.Duration]bool{
		0: false, 50 * time.Minute: false, 2 * time.Hour: true, -2 * time.Hour: true,
	} {
		if err := k.Check(k.Sign(asked(t, TypePassRequested, signTime.Add(-age)))); (err != nil) != refused {
			t.Errorf("an event of %s ago: %v, want refused %v", age, err, refused)
		}
	}
}

func TestEventsOfKnativesSourcesAreNotAskedForASignature(t *testing.T) {
	k := mounted(t, 24*time.Hour, "a1")
	for _, eventType := range []string{TypePing, "dev.knative.apiserver.ref.update", TypeStatus, TypeEvent} {
		e := made(t, eventType, "", nil)
		if err := k.Check(e); err != nil {
			t.Errorf("%s: %v", eventType, err)
		}
		if signed := k.Sign(e); extension(signed, extSignature) != "" {
			t.Errorf("%s is signed: a user's listener has no use for that", eventType)
		}
	}
}

// The signature survives the way over HTTP, and an unsigned event is answered 200: the Broker must not send it again.
func TestASignedEventArrives(t *testing.T) {
	keys, handled := mounted(t, 24*time.Hour, "a1"), 0
	server := httptest.NewServer(Receiver{
		Handle: func(context.Context, cloudevents.Event) error { handled++; return nil },
		Log:    zap.NewNop().Sugar(), Keys: keys,
	})
	defer server.Close()
	at := signTime.Add(123456789 * time.Nanosecond)
	for _, publisher := range []Publisher{{URL: server.URL, Keys: keys}, {URL: server.URL}} {
		if err := publisher.Publish(t.Context(), asked(t, TypeShard, at)); err != nil {
			t.Errorf("answered %v, want 200", err)
		}
	}
	if handled != 1 {
		t.Errorf("%d events were handled, want the signed one alone", handled)
	}
}

func TestAPublisherShowsTheTokenOfItsPod(t *testing.T) {
	file, got := filepath.Join(t.TempDir(), "token"), ""
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
	}))
	defer server.Close()
	p := Publisher{URL: server.URL, Token: file}
	if err := p.Publish(t.Context(), asked(t, TypeShard, signTime)); fail.KindOf(err) != fail.Transient {
		t.Errorf("without the file: %v, want Transient: the kubelet writes it", err)
	}
	for _, token := range []string{"one", "two\n"} {
		if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.Publish(t.Context(), asked(t, TypeShard, signTime)); err != nil {
			t.Fatal(err)
		}
		if want := "Bearer " + strings.TrimSpace(token); got != want {
			t.Errorf("Authorization %q, want %q", got, want)
		}
	}
}
