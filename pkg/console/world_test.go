package console_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/kn-flink/kn-flink/pkg/console"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/team"
)

// world is a console over the model API server.
type world struct {
	*team.Server
	t       testing.TB
	handler http.Handler
	// lacks is the verb of a right that the user does not have; empty is none.
	lacks string
	// now is an hour after the clock of the models began, and advances by hand.
	now time.Time
}

// newWorld has what a team has, in namespace flink.
func newWorld(t testing.TB) *world { return worldOf(t, team.New(t, "../..")) }

func emptyWorld(t testing.TB) *world { return worldOf(t, team.Empty(t)) }

func worldOf(t testing.TB, s *team.Server) *world {
	w := &world{Server: s, t: t, now: s.Clock.Now().Add(time.Hour)}
	w.serve(s.Client())
	return w
}

// serve makes the console of a client.
func (w *world) serve(client *kube.Client) {
	w.handler = console.New(console.Options{
		Caller:    func(*http.Request) (console.Caller, error) { return console.Caller{Client: client, Key: "user"}, nil },
		Namespace: "flink", Version: "v0.0.0-test", Now: func() time.Time { return w.now }, Foot: "as a test",
	})
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
