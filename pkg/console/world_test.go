package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/console"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// world is a console over the model API server.
type world struct {
	*kubesim.Server
	t       testing.TB
	handler http.Handler
	// now is an hour after the clock of the models began, and advances by hand.
	now time.Time
	// logs answers requests for logs, by pod.
	logs map[string]string
}

// newWorld has the resources of the team that the tests of the commands have, in namespace flink.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := emptyWorld(t)
	text, err := os.ReadFile(filepath.Join("../cli/testdata", "team.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
			t.Fatal(err)
		}
		w.add(u)
	}
	return w
}

func emptyWorld(t testing.TB) *world {
	t.Helper()
	w := &world{Server: kubesim.New(t, kubesim.NewClock(), wire.New()), t: t, logs: map[string]string{}}
	w.now = w.Clock.Now().Add(time.Hour)
	config := w.Config("kn-flink")
	config.Transport = logTransport{config.Transport, w.logs}
	client, err := kube.ForConfig(config, "kn-flink")
	if err != nil {
		t.Fatal(err)
	}
	w.serve(client)
	return w
}

// serve makes the console of a client.
func (w *world) serve(client *kube.Client) {
	w.handler = console.New(console.Options{
		Caller:    func(*http.Request) (console.Caller, error) { return console.Caller{Client: client, Key: "user"}, nil },
		Namespace: "flink", Version: "v0.0.0-test", Now: func() time.Time { return w.now }, Foot: "as a test",
	})
}

// add stores an object with its status.
func (w *world) add(u *unstructured.Unstructured) {
	w.t.Helper()
	if u.GetNamespace() == "" {
		u.SetNamespace("flink")
	}
	gvr := map[string]schema.GroupVersionResource{"Pod": kube.Pods, "Event": kube.Events}[u.GetKind()]
	if k, ours := kinds.Of(u.GetKind()); ours {
		gvr = k.Resource
	}
	status, _ := u.Object["status"].(map[string]any)
	if _, err := w.Create(gvr, u.DeepCopy()); err != nil {
		w.t.Fatal(err)
	}
	if status != nil {
		if _, err := w.UpdateStatus(gvr, u.GetNamespace(), u.GetName(), status); err != nil {
			w.t.Fatal(err)
		}
	}
}

// logTransport answers requests for logs itself, which the model API server does not have.
type logTransport struct {
	next http.RoundTripper
	logs map[string]string
}

func (l logTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if pod, is := strings.CutSuffix(r.URL.Path, "/log"); is {
		answer := httptest.NewRecorder()
		fmt.Fprint(answer, l.logs[filepath.Base(pod)])
		return answer.Result(), nil
	}
	return l.next.RoundTrip(r)
}

// get asks for a page three seconds after the one before, so that no answer is shared.
func (w *world) get(path string, headers ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	w.now = w.now.Add(3 * time.Second)
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

// page is a page that has to be there.
func (w *world) page(path string) string {
	w.t.Helper()
	answer := w.get(path)
	if answer.Code != http.StatusOK {
		w.t.Fatalf("%s: status %d\n%s", path, answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// json is a page as JSON.
func (w *world) json(path string, into any) {
	w.t.Helper()
	answer := w.get(path, "Accept", "application/json")
	if answer.Code != http.StatusOK {
		w.t.Fatalf("%s: status %d\n%s", path, answer.Code, answer.Body)
	}
	if err := json.Unmarshal(answer.Body.Bytes(), into); err != nil {
		w.t.Fatalf("%s: %v", path, err)
	}
}

// textOf is what a reader sees of a page: one line, with one space between words.
func textOf(t testing.TB, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			out.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
