package reachflink

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

const (
	ofAPI   = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","code":404}`
	ofFlink = `{"errors":["Job 1 not found"]}`
	jobs    = `{"jobs":[]}`
)

// onePod has one JobManager.
type onePod struct{}

func (onePod) JobManager(_ context.Context, namespace, cluster string) (Pod, error) {
	return Pod{namespace, cluster + "-1"}, nil
}

// answering is a server with one answer, and what it was asked for.
func answering(t *testing.T, code int, text string) (*httptest.Server, *[]string) {
	t.Helper()
	asked := &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Method+" "+r.URL.RequestURI())
		w.WriteHeader(code)
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	return s, asked
}

// wayTo is a Way to an API server that answers so. Forwards lead to a JobManager that has no jobs, unless refused is
// set.
func wayTo(t *testing.T, code int, text string, refused error) (w *Way, asked, forwarded *[]string) {
	t.Helper()
	api, asked := answering(t, code, text)
	flink, forwarded := answering(t, http.StatusOK, jobs)
	w, err := New(&rest.Config{Host: api.URL}, onePod{})
	if err != nil {
		t.Fatal(err)
	}
	w.forward = func(p Pod, port int) (*Tunnel, error) {
		if refused != nil {
			return nil, refused
		}
		return &Tunnel{Pod: p, close: func() {}, http: direct{flink.URL}}, nil
	}
	return w, asked, forwarded
}

// direct sends each request to one server.
type direct struct{ to string }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = strings.TrimPrefix(d.to, "http://")
	return http.DefaultTransport.RoundTrip(r)
}

func TestHowFlinkIsReached(t *testing.T) {
	for name, row := range map[string]struct {
		code      int
		text      string
		refused   error
		forwarded bool
		want      error
		says      string
	}{
		"services/proxy":               {code: 200, text: jobs},
		"Flink's own 404":              {code: 404, text: ofFlink, want: flinkrest.ErrNotFound},
		"the API server's 404":         {code: 404, text: ofAPI, forwarded: true},
		"no right to services/proxy":   {code: 403, text: ofAPI, forwarded: true},
		"no endpoint":                  {code: 503, text: ofAPI, forwarded: true},
		"a text of a proxy on the way": {code: 502, text: "Bad Gateway", forwarded: true},
		"no right at all": {
			code: 403, text: ofAPI, refused: errors.New("pods is forbidden"), want: flinkrest.ErrUnreachable,
			says: "the right to create pods/portforward in namespace flink is missing",
		},
		"neither leads to Flink": {
			code: 404, text: ofAPI, refused: errors.New("no way"), want: flinkrest.ErrUnreachable,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, asked, forwarded := wayTo(t, row.code, row.text, row.refused)
			client, err := w.Connect(plan.Endpoint{URL: "http://demo-rest.flink.svc:8081"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = client.Jobs(t.Context()); !errors.Is(err, row.want) {
				t.Errorf("error %v, want %v", err, row.want)
			}
			if row.want == flinkrest.ErrUnreachable && !flinkrest.Unknown(err) {
				t.Errorf("%v counts as Flink's word", err)
			}
			want := []string{"GET /api/v1/namespaces/flink/services/demo-rest:8081/proxy/v1/jobs/overview"}
			if !slices.Equal(*asked, want) {
				t.Errorf("asked for %v, want %v", *asked, want)
			}
			if got := len(*forwarded) > 0; got != row.forwarded {
				t.Errorf("forwarded %v", *forwarded)
			}
			if row.says != "" && !slices.Contains(w.Missing(), row.says) {
				t.Errorf("missing %v, want %q", w.Missing(), row.says)
			}
		})
	}
}

func TestAForwardIsKept(t *testing.T) {
	w, asked, forwarded := wayTo(t, 503, ofAPI, nil)
	client, err := w.Connect(plan.Endpoint{URL: "http://demo-rest.flink.svc:8081"})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := client.Jobs(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(*asked) != 1 || len(*forwarded) != 3 {
		t.Errorf("%d by services/proxy, %d forwarded", len(*asked), len(*forwarded))
	}
}

func TestAWayOnlyReads(t *testing.T) {
	w, asked, forwarded := wayTo(t, 200, jobs, nil)
	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodPatch, "http://demo-rest.flink.svc:8081/v1/jobs/1", nil),
		httptest.NewRequest(http.MethodGet, "http://demo-rest.flink.svc:8081/v1/jobs/1/yarn-cancel", nil),
		httptest.NewRequest(http.MethodGet, "http://demo-rest.flink.svc:8081/v1/jobs/1/yarn-stop", nil),
		httptest.NewRequest(http.MethodGet, "http://elsewhere/v1/jobs", nil),
	} {
		if answer, err := w.RoundTrip(r); err == nil {
			answer.Body.Close()
			t.Errorf("%s %s was sent", r.Method, r.URL)
		}
	}
	if len(*asked)+len(*forwarded) > 0 {
		t.Errorf("asked for %v, %v", *asked, *forwarded)
	}
}
