package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
)

func TestPrewarm(t *testing.T) {
	requests := 0
	next := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.ContentLength > 0 || r.Method != http.MethodHead {
			t.Errorf("%s with %d bytes, want nothing that could be taken for an event", r.Method, r.ContentLength)
		}
		w.WriteHeader(http.StatusMethodNotAllowed)
	}))
	defer next.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	rows := map[string]struct {
		url             string
		requests, lines int
	}{
		"it is there":        {next.URL, 1, 0},
		"nobody is named":    {"", 0, 0},
		"it cannot be woken": {gone.URL, 0, 1},
		"no URL":             {"http://a b", 0, 1},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			requests = 0
			core, lines := observer.New(zap.DebugLevel)
			prewarm(t.Context(), row.url, zap.New(core).Sugar())
			if requests != row.requests || lines.Len() != row.lines {
				t.Errorf("%d requests, lines %v; want %d and %d", requests, lines.All(), row.requests, row.lines)
			}
		})
	}
}

// The function that uploads jars is asked for once for all session jobs of a moment; nothing else is asked meanwhile.
func TestASessionJobPrewarmsTheUpload(t *testing.T) {
	asked := make(chan string, 10)
	jars := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Method }))
	defer jars.Close()
	now := start
	s := settings.Settings{Namespace: "flink-system", JarsFunction: jars.URL}
	_, client := function(t)
	path := renewed(t, client)
	h := newHandler(&startup.Function{Client: kube.New(client)}, s, func() time.Time { return now })
	review := func(kind, more string) {
		body := fmt.Sprintf(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",
			"operation":"CREATE","namespace":"team","kind":{"group":"flink.apache.org","version":"v1beta1","kind":%q},
			"object":{"metadata":{"name":"a"},"spec":{}}%s}}`, kind, more)
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	}
	review("FlinkDeployment", "")
	review("FlinkSessionJob", `,"dryRun":true`)
	review("FlinkSessionJob", `,"dryRun":false`)
	review("FlinkSessionJob", "")
	now = now.Add(warmFor)
	review("FlinkSessionJob", "")
	for range 2 {
		if method := <-asked; method != http.MethodHead {
			t.Errorf("%s, want HEAD", method)
		}
	}
	if len(asked) > 0 {
		t.Errorf("%d requests more than one for each %v", len(asked), warmFor)
	}
}
