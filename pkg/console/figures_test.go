package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/test/judged"
)

// An hour of a page that is open asks the API server to read, and for nothing else: it writes nothing, so that nothing
// wakes a function.
func TestAnHourOfPollingWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.Tap.Forget()
	tags := map[string]string{}
	for range int(time.Hour / (20 * time.Second)) {
		w.now = w.now.Add(14 * time.Second) // and 3 s more by each look
		for _, path := range []string{"/jobs", ofOrders} {
			tags[path] = w.get(path, "If-None-Match", tags[path]).Header().Get("ETag")
		}
	}
	writes := 0
	for _, r := range w.Tap.Requests() {
		if r.IsWrite() || r.Verb == "watch" || strings.Contains(r.Path, "/proxy/") {
			writes++
			t.Errorf("%s %s", r.Verb, r.Path)
		}
	}
	t.Logf("%d requests to the API server, %d writes, 0 requests to Flink", len(w.Tap.Requests()), writes)
}

// linksOf are the addresses in the part of a page.
func linksOf(t *testing.T, page, part string) map[string]bool {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	attribute := func(n *html.Node, key string) string {
		for _, a := range n.Attr {
			if a.Key == key {
				return a.Val
			}
		}
		return ""
	}
	links := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && attribute(n, "id") == part {
			for below := range n.Descendants() {
				if below.Type == html.ElementNode && below.Data == "a" {
					links[attribute(below, "href")] = true
				}
			}
		}
	}
	return links
}

// What is wrong with each of ten broken jobs, and what to do, is one click from the page of the fleet.
func TestWhatIsWrongIsOneClickAway(t *testing.T) {
	w := emptyWorld(t)
	broken := map[string]view.Story{}
	reasons := map[string]bool{}
	for i, one := range judged.Read(t, "../..") {
		row := view.RowOf(one.Resource)
		kind, _ := kinds.Of(one.Resource.GetKind())
		reason, _, _ := strings.Cut(row.Now, ":")
		if row.Need != view.NeedUser || !kind.Counted || reasons[reason] || len(broken) == 10 {
			continue
		}
		reasons[reason] = true
		u := one.Resource.DeepCopy()
		u.SetNamespace("flink")
		u.SetName(fmt.Sprintf("broken-%d", i))
		w.Add(u)
		at := "/ns/flink/" + kind.Resource.Resource + "/" + u.GetName()
		broken[at] = view.Why(view.Seen{Resource: w.Get(kind.Resource, "flink", u.GetName()), Now: w.now})
	}
	if len(broken) != 10 {
		t.Fatalf("%d broken jobs: they are read differently now", len(broken))
	}
	links := linksOf(t, w.page("/jobs"), "urgent")
	for at, story := range broken {
		if !links[at] {
			t.Errorf("%s is not among what needs the user", at)
		}
		text := squeezed(textOf(t, w.page(at)))
		for _, want := range []string{story.What, story.Do} {
			if !strings.Contains(text, squeezed(strings.Join(strings.Fields(want), " "))) {
				t.Errorf("%s: its page does not say %q", at, want)
			}
		}
	}
}

// first asks for a page that no answer is kept of.
func (w *world) first(b *testing.B, path string) {
	w.now = w.now.Add(time.Hour)
	r := httptest.NewRequest(http.MethodGet, path, nil)
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	if answer.Code != http.StatusOK {
		b.Fatalf("%s: status %d", path, answer.Code)
	}
	b.ReportMetric(float64(answer.Body.Len())/1000, "kB")
}

// The aim is 150 ms a page.
func BenchmarkFirstPage(b *testing.B) {
	for name, path := range map[string]string{"fleet": "/jobs", "job": ofOrders} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			for b.Loop() {
				w.first(b, path)
			}
		})
	}
}

// The aim is 400 ms: the page has 200 rows, and waits for no counts. The figure has the work of the model API server,
// which lists 10,000 resources for the counts at the same time.
func BenchmarkFirstPageOfAFleetOf10000(b *testing.B) {
	w := crowd(b, 10000)
	for b.Loop() {
		w.first(b, "/jobs")
	}
}
