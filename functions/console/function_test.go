package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
	"github.com/kn-flink/kn-flink/test/team"
)

// asked records the headers of the requests that reach the API server.
type asked struct {
	mu  sync.Mutex
	all []http.Header
}

// apiServer is the model API server on a socket. It takes the tokens of Alice and Bob.
func apiServer(t *testing.T, s *team.Server) (*rest.Config, *asked) {
	t.Helper()
	behind, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	seen, next := &asked{}, httputil.NewSingleHostReverseProxy(behind)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.mu.Lock()
		seen.all = append(seen.all, r.Header.Clone())
		seen.mu.Unlock()
		if token := r.Header.Get("Authorization"); token != "Bearer alice" && token != "Bearer bob" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401}`)
			return
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(api.Close)
	return &rest.Config{Host: api.URL, BearerToken: "of-the-pod"}, seen
}

// served is the function over the model API server.
func served(t *testing.T) (http.Handler, *asked) {
	t.Helper()
	s := team.New(t, "../..")
	config, seen := apiServer(t, s)
	return newHandler(config, setup{
		system: "flink-system", now: func() time.Time { return s.Clock.Now().Add(time.Hour) },
	}), seen
}

func get(h http.Handler, path string, authorization ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for _, value := range authorization {
		r.Header.Add("Authorization", value)
	}
	r.Header.Set("Impersonate-User", "system:admin")
	r.Header.Set("Cookie", "session=x")
	r.Header.Set("X-Remote-User", "admin")
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	return answer
}

// The API server is asked with the token of the request and with no other credential, whatever headers came with it.
func TestATokenIsPassedOnAndNothingElse(t *testing.T) {
	h, seen := served(t)
	if answer := get(h, "/ns/flink/flinkdeployments/orders", "Bearer alice"); answer.Code != http.StatusOK ||
		!strings.Contains(answer.Body.String(), "orders") {
		t.Fatalf("status %d\n%s", answer.Code, answer.Body)
	}
	if len(seen.all) == 0 {
		t.Fatal("the API server was not asked")
	}
	for _, h := range seen.all {
		if !slices.Equal(h.Values("Authorization"), []string{"Bearer alice"}) {
			t.Errorf("Authorization %q", h.Values("Authorization"))
		}
		for name := range h {
			if strings.HasPrefix(name, "Impersonate-") || name == "Cookie" || strings.HasPrefix(name, "X-Remote-") {
				t.Errorf("header %s reached the API server", name)
			}
		}
	}
}

func TestWithoutATokenNothingIsAsked(t *testing.T) {
	h, seen := served(t)
	for name, authorization := range map[string][]string{
		"none": nil, "Basic": {"Basic YTpi"}, "empty": {"Bearer "}, "no token": {"Bearer a b"}, "markup": {"Bearer <script>"},
		"two": {"Bearer alice", "Bearer bob"},
	} {
		if answer := get(h, "/jobs", authorization...); answer.Code != http.StatusUnauthorized ||
			!strings.Contains(answer.Body.String(), "has no rights of its own") {
			t.Errorf("%s: status %d\n%s", name, answer.Code, answer.Body)
		}
	}
	if len(seen.all) > 0 {
		t.Errorf("%d requests reached the API server", len(seen.all))
	}
	if answer := get(h, "/healthz"); answer.Code != http.StatusOK {
		t.Errorf("/healthz: status %d", answer.Code)
	}
}

// An answer is shared between requests of one token only, and what the API server refuses is refused.
func TestNoCallerSeesTheAnswerOfAnother(t *testing.T) {
	h, seen := served(t)
	if answer := get(h, "/jobs", "Bearer alice"); answer.Code != http.StatusOK {
		t.Fatalf("status %d", answer.Code)
	}
	before := len(seen.all)
	if get(h, "/jobs", "bearer alice"); len(seen.all) != before {
		t.Error("the answer to the same token is not shared")
	}
	if get(h, "/jobs", "Bearer bob"); len(seen.all) == before {
		t.Error("the answer to another token is shared")
	}
	answer := get(h, "/jobs", "Bearer of-mallory")
	if answer.Code != http.StatusUnauthorized || strings.Contains(answer.Body.String(), "orders") ||
		strings.Contains(answer.Body.String(), "mallory") {
		t.Errorf("status %d\n%s", answer.Code, answer.Body)
	}
}

// Who may list in no namespace but one sees how to name it.
func TestAUserOfOneNamespaceIsShownHowToNameIt(t *testing.T) {
	s := team.New(t, "../..")
	s.Tap.Inject(wire.Fault{Match: func(r wire.Request) bool {
		return r.Verb == "list" && !strings.Contains(r.Path, "/namespaces/")
	}, Status: http.StatusForbidden})
	config, _ := apiServer(t, s)
	h := newHandler(config, setup{system: "flink-system", now: s.Clock.Now})
	if answer := get(h, "/jobs", "Bearer alice"); answer.Code != http.StatusForbidden ||
		!strings.Contains(answer.Body.String(), "/jobs?namespace=NAME") {
		t.Errorf("status %d\n%s", answer.Code, answer.Body)
	}
	if answer := get(h, "/jobs?namespace=flink", "Bearer alice"); answer.Code != http.StatusOK {
		t.Errorf("the namespace is named: status %d\n%s", answer.Code, answer.Body)
	}
}
