package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/test/judged"
	"github.com/kn-flink/kn-flink/test/team"
)

// inert reports what of a page could run or restyle something without our script and stylesheet.
func inert(t *testing.T, where, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "style" || n.Data == "script" && n.FirstChild != nil || n.Data == "iframe" || n.Data == "base" {
			t.Errorf("%s: it has an element %s", where, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" ||
				regexp.MustCompile(`(?i)^\s*(javascript|data|//|https?):`).MatchString(a.Val) && a.Key != "title" {
				t.Errorf("%s: it has %s=%q", where, a.Key, a.Val)
			}
		}
	}
}

// Each recorded status has a page with what kn flink why says, and JSON with what kn flink describe says.
func TestEveryRecordedStatusHasItsPage(t *testing.T) {
	w := emptyWorld(t)
	all := judged.Read(t, "../..")
	if len(all) < 100 {
		t.Fatalf("%d statuses: they are read differently now", len(all))
	}
	for i, one := range all {
		u := one.Resource.DeepCopy()
		u.SetNamespace("flink")
		u.SetName(fmt.Sprintf("%s-%d", u.GetName(), i))
		w.Add(u)
		kind, _ := kinds.Of(u.GetKind())
		path := "/ns/flink/" + kind.Resource.Resource + "/" + u.GetName()
		page := w.page(path)
		inert(t, one.Shows, page)
		stored := w.Get(kind.Resource, "flink", u.GetName())
		seen := view.Seen{Resource: stored, Now: w.now}
		story, text := view.Why(seen), textOf(t, page)
		for _, want := range append([]string{story.What, story.Do, story.Means, story.Run, story.Look}, story.Because...) {
			if want = strings.Join(strings.Fields(want), " "); !strings.Contains(squeezed(text), squeezed(want)) {
				t.Errorf("%s: the page does not say %q", one.Shows, want)
			}
		}
		var got, want map[string]any
		w.json(path, &got)
		delete(got, "why")
		delete(got, "timeline")
		content, err := json.Marshal(view.JobOf(view.Seen{Resource: stored, Now: w.now}))
		if err != nil || json.Unmarshal(content, &want) != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: JSON\n%v\nwant\n%v", one.Shows, got, want)
		}
		if err := w.Delete(kind.Resource, "flink", u.GetName(), noOptions); err != nil {
			t.Fatal(err)
		}
	}
}

// squeezed is a text without spaces: elements stand between the words of a page.
func squeezed(text string) string { return strings.ReplaceAll(text, " ", "") }

// pagesOf are the addresses of all pages of the team.
var pagesOf = []string{
	"/jobs", "/jobs?need=user", "/jobs?need=time", "/jobs?need=suspended", "/jobs?text=orders", "/jobs?namespace=default",
	"/jobs?kind=flinksessionjobs", "/jobs?labels=team%3Da", "/snapshots", "/installation", "/reasons/LastStateUnknown",
	"/ns/flink/flinkdeployments/orders", "/ns/flink/flinkdeployments/payments", "/ns/flink/flinkdeployments/session",
	"/ns/flink/flinksessionjobs/sessions-daily", "/ns/flink/flinksessionjobs/etl", "/ns/flink/flinkdeployments/by-java",
	"/ns/flink/flinkbluegreendeployments/shop", "/ns/default/flinkbluegreendeployments/moving",
	"/ns/flink/flinkstatesnapshots/nightly", "/ns/flink/flinkdeployments/payments/logs",
	"/ns/flink/flinkdeployments/payments/logs?pod=payments-taskmanager-1-3&previous=1",
	"/ns/flink/flinkdeployments/orders/logs",
}

func TestNoPageHasASecretOrWrites(t *testing.T) {
	w := newWorld(t)
	w.Logs["payments-5f6c7d8b9-abcde"] = "2026-01-01T12:59:00Z secret is plantedInSpec\n2026-01-01T12:59:01Z next\n"
	snapshots := team.Resource("FlinkStateSnapshot")
	status := w.Get(snapshots, "flink", "nightly").Object["status"].(map[string]any)
	status["path"] = "s3://user:plantedInPath@bucket/savepoint-nightly"
	if _, err := w.UpdateStatus(snapshots, "flink", "nightly", status); err != nil {
		t.Fatal(err)
	}
	for _, path := range pagesOf {
		page := w.page(path)
		inert(t, path, page)
		answer := w.get(path, "Accept", "application/json").Body.String()
		if at := strings.Index(page+answer, "planted"); at >= 0 {
			t.Errorf("%s: …%s", path, (page + answer)[max(0, at-60):at+20])
		}
	}
	for _, r := range w.Tap.Requests() {
		if r.IsWrite() || r.Resource == "secrets" {
			t.Errorf("a page made the request %s %s", r.Verb, r.Path)
		}
	}
	if log := textOf(t, w.page("/ns/flink/flinkdeployments/payments/logs")); !strings.Contains(log, "secret is ***") {
		t.Errorf("the log is not shown: %s", log)
	}
}

// A poll that finds the same is answered with 304, for a page and for its JSON.
func TestAPageThatDidNotChangeIsNotSentAgain(t *testing.T) {
	w := newWorld(t)
	for _, path := range pagesOf {
		for _, accept := range []string{"text/html", "application/json"} {
			first := w.get(path, "Accept", accept)
			again := w.get(path, "Accept", accept, "If-None-Match", first.Header().Get("ETag"))
			if strings.Contains(path, "/payments") && !strings.Contains(path, "logs") {
				continue // it says in how many seconds the next attempt is
			}
			if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
				t.Errorf("%s as %s: status %d, %d bytes", path, accept, again.Code, again.Body.Len())
			}
		}
	}
}

// A page is asked for each 3 s while something on it moves, else each 20 s.
func TestThePaceFollowsWhatMoves(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string]string{
		"/jobs": `data-poll="3"`, "/jobs?need=suspended": `data-poll="20"`,
		"/ns/flink/flinkdeployments/orders":   `data-poll="20"`,
		"/ns/flink/flinkdeployments/payments": `data-poll="3"`, "/reasons/LastStateUnknown": `data-poll="20"`,
	} {
		if page := w.page(path); !strings.Contains(page, want) {
			t.Errorf("%s has not %s", path, want)
		}
	}
}

// A poll of a job asks for it, its snapshots, pods and events. Its history is asked for once a minute, and when it has
// another start.
func TestAPollOfAJobIsFourRequests(t *testing.T) {
	w := newWorld(t)
	w.page("/ns/flink/flinkdeployments/orders")
	w.Tap.Forget()
	w.page("/ns/flink/flinkdeployments/orders")
	w.now = w.now.Add(-3e9)
	w.page("/ns/flink/flinkdeployments/orders") // of the same moment: the answer is shared
	if requests := w.Tap.Requests(); len(requests) != 4 {
		t.Errorf("%d requests, want 4: %v", len(requests), requests)
	}
}
