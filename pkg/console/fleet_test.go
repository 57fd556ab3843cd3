package console_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/console"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
	"github.com/kn-flink/kn-flink/test/team"
)

var noOptions = kubesim.DeleteOptions{}

// names belong to the rows of a fleet.
func names(f console.Fleet) string {
	var all []string
	for _, r := range f.Items {
		all = append(all, r.Name)
	}
	return strings.Join(all, " ")
}

// counts belong to a fleet by their names.
func counts(f console.Fleet) map[string]int {
	all := map[string]int{}
	for _, c := range f.Counts {
		all[c.Name] = c.Number
	}
	return all
}

func TestAFleetIsSelected(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string]string{
		"/jobs?need=user":                   "moving-blue sessions-daily",
		"/jobs?need=suspended":              "old-report",
		"/jobs?text=shop":                   "shop shop-blue",
		"/jobs?kind=flinksessionjobs":       "etl sessions-daily",
		"/jobs?labels=team%3Da":             "orders",
		"/jobs?namespace=default&need=time": "moving",
	} {
		var f console.Fleet
		w.json(path, &f)
		if names(f) != want {
			t.Errorf("%s: %q, want %q", path, names(f), want)
		}
	}
	var f console.Fleet
	w.json("/jobs", &f)
	if c := counts(f); c["need you"] != 2 || c["moving"] != 2 || c["suspended"] != 1 {
		t.Errorf("counts %v", c)
	}
	if page := w.page("/jobs"); !strings.Contains(page, `<h2>Needs you</h2>`) || !strings.Contains(page, `depth-1`) {
		t.Errorf("no part for what needs a user, or no tree:\n%s", page)
	}
}

func TestAFilterThatMeansNothingIsRefused(t *testing.T) {
	w := newWorld(t)
	for _, query := range []string{
		"kind=pods", "need=help", "namespace=..", "labels=a%20in%20(", "continue=x", "namespace=a%2Fb",
	} {
		if answer := w.get("/jobs?" + query); answer.Code != http.StatusBadRequest {
			t.Errorf("%s: status %d", query, answer.Code)
		}
	}
}

// Where a user may list in one namespace only, that one is shown, and the page says so.
func TestAUserOfOneNamespaceSeesIt(t *testing.T) {
	w := newWorld(t)
	w.Tap.Inject(wire.Fault{Match: func(r wire.Request) bool {
		return r.Verb == "list" && !strings.Contains(r.Path, "/namespaces/")
	}, Status: http.StatusForbidden})
	page := textOf(t, w.page("/jobs"))
	if !strings.Contains(page, "You may not list in all namespaces. This is namespace flink.") ||
		!strings.Contains(page, "sessions-daily") {
		t.Error(page)
	}
}

// With each right taken away alone, the right is named, and all else is shown.
func TestAMissingRightIsNamedAndTheRestIsShown(t *testing.T) {
	for right, row := range map[string]struct{ path, names, shows string }{
		"list pods":                {"/ns/flink/flinkdeployments/payments", "the right to list pods", "TasksNotRunning"},
		"list events":              {"/ns/flink/flinkdeployments/payments", "to list events", "Insufficient memory"},
		"list flinksessionjobs":    {"/jobs", "the right to list flinksessionjobs", "orders"},
		"list flinkdeployments":    {"/jobs", "the right to list flinkdeployments", "sessions-daily"},
		"get flinkdeployments":     {"/ns/flink/flinkdeployments/payments", "", ""},
		"list flinkstatesnapshots": {"/snapshots", "", ""},
	} {
		w := newWorld(t)
		verb, resource, _ := strings.Cut(right, " ")
		w.Tap.Inject(wire.Fault{Match: wire.On(verb, resource), Status: http.StatusForbidden})
		answer := w.get(row.path)
		if row.names == "" {
			if answer.Code != http.StatusForbidden || !strings.Contains(answer.Body.String(), "You may not see this") {
				t.Errorf("without %s: status %d", right, answer.Code)
			}
			continue
		}
		if text := textOf(t, answer.Body.String()); !strings.Contains(text, row.names) || !strings.Contains(text, row.shows) {
			t.Errorf("without %s: %s", right, text)
		}
	}
}

func TestProblemsSayWhatToDo(t *testing.T) {
	ours := func(r wire.Request) bool { return strings.HasPrefix(r.Resource, "flink") }
	for name, row := range map[string]struct {
		path   string
		fault  *wire.Fault
		status int
		text   string
	}{
		"gone":          {"/ns/flink/flinkdeployments/nobody", nil, 404, "No FlinkDeployment is named nobody in"},
		"not installed": {"/jobs", &wire.Fault{Match: ours, Status: 404}, 404, "apply the CRDs of kn-flink"},
		"logged out":    {"/jobs", &wire.Fault{Match: ours, Status: 401}, 401, "Log in again"},
		"away":          {"/jobs", &wire.Fault{Match: ours, Err: wire.Refused}, 502, "The API server is not reached"},
		"no page":       {"/somewhere", nil, 404, "There is no such page"},
		"no reason":     {"/reasons/Nothing", nil, 404, "no reason Nothing"},
		"no log":        {"/ns/flink/flinkbluegreendeployments/shop/logs", nil, 404, "has no pods"},
	} {
		w := newWorld(t)
		if row.fault != nil {
			w.Tap.Inject(*row.fault)
		}
		answer := w.get(row.path)
		if text := textOf(t, answer.Body.String()); answer.Code != row.status || !strings.Contains(text, row.text) {
			t.Errorf("%s: status %d, %s", name, answer.Code, text)
		}
	}
}

// crowd has n resources of which one fails and one is suspended, behind a client without Tables of the server.
func crowd(t testing.TB, n int) *world {
	w := emptyWorld(t)
	one := newWorld(t).Get(team.Resource("FlinkDeployment"), "flink", "orders")
	for i := range n {
		u := &unstructured.Unstructured{Object: one.DeepCopy().Object}
		u.SetName(fmt.Sprintf("orders-%05d", i))
		status := u.Object["status"].(map[string]any)
		switch i {
		case n - 1:
			status["lifecycleState"] = "FAILED"
			status["conditions"] = []any{
				map[string]any{"type": "Ready", "status": "False", "reason": "LastStateUnknown", "message": "lost"},
				map[string]any{"type": "Stalled", "status": "True", "reason": "LastStateUnknown", "message": "lost"},
			}
		case n - 2:
			status["lifecycleState"] = "SUSPENDED"
			u.Object["spec"].(map[string]any)["job"].(map[string]any)["state"] = "suspended"
		case n - 3:
			status["pace"] = "fast"
			status["conditions"] = []any{
				map[string]any{"type": "Ready", "status": "False", "reason": "Deploying", "message": "starts"},
				map[string]any{"type": "Reconciling", "status": "True", "reason": "Deploying", "message": "starts"},
			}
		}
		w.Add(u)
	}
	w.serve(kube.New(w.Dynamic("kn-flink")))
	return w
}

// A fleet that is larger than a page is never read whole for one: a page is 200 rows, and the counts are kept 20 s.
func TestALargeFleetIsReadInPages(t *testing.T) {
	w := crowd(t, 450)
	var f console.Fleet
	w.json("/jobs?need=user", &f) // waits for the counts
	c := counts(f)
	if names(f) != "orders-00449" || c["in all"] != 450 || c["failed"] != 1 || c["suspended"] != 1 {
		t.Errorf("%q, counts %v", names(f), counts(f))
	}
	w.Tap.Forget()
	f = console.Fleet{}
	w.json("/jobs", &f)
	if len(f.Items) != 200 || f.Next == "" || counts(f)["not ready"] != 2 {
		t.Errorf("%d rows, next %q, counts %v", len(f.Items), f.Next, counts(f))
	}
	if n := len(w.Tap.Requests()); n != 3 {
		t.Errorf("%d requests for a page, want one for each kind: %v", n, w.Tap.Requests())
	}
	rows := len(f.Items)
	for f.Next != "" {
		next := f.Next
		f = console.Fleet{}
		w.json(next, &f)
		rows += len(f.Items)
	}
	if rows != 450 {
		t.Errorf("%d rows on all pages", rows)
	}
	for path, want := range map[string]string{
		"/jobs?need=suspended": "orders-00448", "/jobs?need=time": "orders-00447", "/jobs?text=00123": "orders-00123",
	} {
		f = console.Fleet{}
		if w.json(path, &f); names(f) != want {
			t.Errorf("%s: %q, want %q", path, names(f), want)
		}
	}
}

// decisions are what the autoscaler keeps of orders.
const decisions = `
apiVersion: v1
kind: ConfigMap
metadata: {name: autoscaler-orders-decisions}
data:
  2026-01-01T12.10.00Z: '{"time":"2026-01-01T12:10:00Z","outcome":"Scaled","vertices":[{"vertex":"abcdef0123456789",
    "current":1,
    "new":3,"rule":"TargetUtilization","seen":{"load":0.9,"capacity":200,"target":600,"lag":5000}}]}'
  2026-01-01T12.20.00Z: '{"time":"2026-01-01T12:20:00Z","outcome":"Balanced","vertices":[{"vertex":"abcdef0123456789",
    "current":3,
    "new":3,"rule":"WithinUtilizationBounds","seen":{"load":0.5,"capacity":900,"target":600,"lag":null}}]}'
`

func TestDecisionsOfTheAutoscalerAreDrawn(t *testing.T) {
	w := newWorld(t)
	path := "/ns/flink/flinkdeployments/orders"
	if strings.Contains(w.page(path), "Autoscaler") {
		t.Error("a job without the autoscaler has a part for it")
	}
	u := w.Get(team.Resource("FlinkDeployment"), "flink", "orders")
	status := u.Object["status"].(map[string]any)
	status["conditions"] = append(status["conditions"].([]any), map[string]any{
		"type": "Autoscaling", "status": "True", "reason": "AutoscalerActive", "message": "it measures",
	})
	if _, err := w.UpdateStatus(team.Resource("FlinkDeployment"), "flink", "orders", status); err != nil {
		t.Fatal(err)
	}
	if text := textOf(t, w.page(path)); !strings.Contains(text, "It has decided nothing yet.") {
		t.Error(text)
	}
	kept := kubesim.Parse(t, decisions)
	kept.SetNamespace("flink")
	if _, err := w.Create(kube.ConfigMaps, kept); err != nil {
		t.Fatal(err)
	}
	page := w.page(path)
	inert(t, path, page)
	for _, want := range []string{"1 → 3", "TargetUtilization", "Rates of the first source", `<path class="line line-0"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	w.Tap.Inject(wire.Fault{Match: wire.On("get", "configmaps"), Status: http.StatusForbidden})
	if text := textOf(t, w.page(path)); !strings.Contains(text, "the right to get configmaps") {
		t.Error("a missing right is not named")
	}
}

// The page of the installation makes the checks of kn flink doctor that only read, and names the others.
func TestTheInstallationIsChecked(t *testing.T) {
	w := newWorld(t)
	w.Tap.Forget()
	var i console.Installation
	w.json("/installation", &i)
	checks := map[string]bool{}
	for _, l := range i.Lines {
		checks[l.Check] = true
	}
	if !checks["Kubernetes"] || !checks["Serving"] || !checks["Installation"] || i.System != "flink-system" {
		t.Errorf("checks %v in %s", checks, i.System)
	}
	if !slices.Contains(i.Left, "Webhook") || !slices.Contains(i.Left, "Resources") {
		t.Errorf("left to kn flink doctor: %v", i.Left)
	}
	for _, r := range w.Tap.Requests() {
		if r.IsWrite() || strings.HasPrefix(r.Resource, "flink") {
			t.Errorf("the page made the request %s %s", r.Verb, r.Path)
		}
	}
	n := len(w.Tap.Requests())
	if page := w.page("/installation"); !strings.Contains(textOf(t, page), "checks fail") {
		t.Error(page)
	}
	if len(w.Tap.Requests()) != n {
		t.Error("the installation is read again within a minute")
	}
}
