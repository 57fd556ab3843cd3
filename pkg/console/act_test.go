package console_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/console"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
	"github.com/kn-flink/kn-flink/test/team"
)

// acting is a console of one user, with changes on.
func acting(t *testing.T) *world {
	w := newWorld(t)
	w.actsAs("a-secret")
	return w
}

// actsAs makes the console of a user whose forms are bound to a secret.
func (w *world) actsAs(secret string) {
	config := w.Config("kn-flink")
	config.Transport = reviews{config.Transport, w}
	client, err := kube.ForConfig(config, "kn-flink")
	if err != nil {
		w.t.Fatal(err)
	}
	w.handler = console.New(console.Options{
		Caller: func(*http.Request) (console.Caller, error) {
			return console.Caller{Client: client, Key: secret, Config: config, Secret: secret}, nil
		},
		Namespace: "flink", Version: "v0.0.0-test", Now: func() time.Time { return w.now }, Foot: "as a test", Actions: true,
	})
}

// reviews answers questions for rights.
type reviews struct {
	next http.RoundTripper
	of   *world
}

func (v reviews) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
		return v.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	answer.Header().Set("Content-Type", "application/json")
	const kind = `"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview"`
	fmt.Fprintf(answer, `{%s,"status":{"allowed":%t}}`, kind,
		v.of.lacks == "" || !strings.Contains(string(body), `"verb":"`+v.of.lacks+`"`))
	return answer.Result(), nil
}

// hidden are the fields of the form of a plan.
var hidden = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// plannedAt is the form of a plan.
func (w *world) plannedAt(path string) url.Values {
	w.t.Helper()
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(w.page(path), -1) {
		form.Set(field[1], field[2])
	}
	return form
}

// post sends a form as a browser does.
func (w *world) post(path string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	w.now = w.now.Add(3 * time.Second)
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

// writes are the writes that were stored since the Tap forgot.
func (w *world) writes() (all []string) {
	for _, r := range w.Tap.Requests() {
		if r.IsWrite() && r.Resource != "selfsubjectaccessreviews" {
			all = append(all, r.Verb+" "+r.Path)
		}
	}
	return all
}

func (w *world) orders() *unstructured.Unstructured {
	return w.Get(team.Resource("FlinkDeployment"), "flink", "orders")
}

// labelled sets a label of orders.
func (w *world) labelled(key, value string) {
	w.t.Helper()
	if _, err := w.Update(team.Resource("FlinkDeployment"), "flink", "orders", func(u *unstructured.Unstructured) {
		u.SetLabels(map[string]string{key: value})
	}); err != nil {
		w.t.Fatal(err)
	}
}

const ofOrders = "/ns/flink/flinkdeployments/orders"

// Each change shows its plan first and changes nothing by that; its button makes it, as the command of kn flink does.
func TestAChangeIsPlannedAndThenMade(t *testing.T) {
	for verb, row := range map[string]struct {
		query, command string
		path           []string
		want           any
	}{
		"suspend": {"", "kn flink suspend flinkdep/orders -n flink", []string{"spec", "job", "state"}, "suspended"},
		"restart": {"", "kn flink restart flinkdep/orders -n flink", []string{"spec", "restartNonce"}, int64(1)},
		"scale":   {"?to=8", "kn flink scale flinkdep/orders 8 -n flink", []string{"spec", "job", "parallelism"}, int64(8)},
		"restore": {
			"?from=s3://b/savepoint-1", "kn flink restore flinkdep/orders --from s3://b/savepoint-1 -n flink",
			[]string{"spec", "job", "initialSavepointPath"}, "s3://b/savepoint-1",
		},
	} {
		w := acting(t)
		before := w.orders()
		w.Tap.Forget()
		page := w.page(ofOrders + "/" + verb + row.query)
		inert(t, verb, page)
		if text := textOf(t, page); !strings.Contains(text, row.command) || !strings.Contains(text, "Do it") ||
			!strings.Contains(text, "What would come of it") {
			t.Errorf("%s: the plan is\n%s", verb, text)
		}
		if w.orders().GetResourceVersion() != before.GetResourceVersion() {
			t.Fatalf("%s: a plan changed it", verb)
		}
		form := w.plannedAt(ofOrders + "/" + verb + row.query)
		form.Set("confirm", "orders")
		answer := w.post(ofOrders+"/"+verb, form)
		if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != ofOrders {
			t.Errorf("%s: status %d, %v\n%s", verb, answer.Code, answer.Header(), textOf(t, answer.Body.String()))
		}
		if got, _, _ := unstructured.NestedFieldNoCopy(w.orders().Object, row.path...); got != row.want {
			t.Errorf("%s: %v is %v, want %v", verb, row.path, got, row.want)
		}
	}
}

// A savepoint is a resource, and its page follows.
func TestASavepointIsMade(t *testing.T) {
	w := acting(t)
	for _, verb := range []string{"savepoint", "checkpoint"} {
		answer := w.post(ofOrders+"/"+verb, w.plannedAt(ofOrders+"/"+verb))
		at := answer.Header().Get("Location")
		if answer.Code != http.StatusSeeOther || !strings.HasPrefix(at, "/ns/flink/flinkstatesnapshots/orders-") {
			t.Fatalf("%s: status %d, %s\n%s", verb, answer.Code, at, textOf(t, answer.Body.String()))
		}
		w.page(at)
	}
}

// Buttons are those of changes that the resource can have and the user may make.
func TestButtonsAreThoseThatTheUserMayPress(t *testing.T) {
	w := acting(t)
	text := textOf(t, w.page(ofOrders))
	for word, want := range map[string]bool{
		"Suspend": true, "Take a savepoint": true, "Resume": false, "Promote": false, "is missing": false,
	} {
		if strings.Contains(text, word) != want {
			t.Errorf("of what runs %q is there: %t\n%s", word, !want, text)
		}
	}
	w = acting(t)
	w.lacks = "patch"
	text = textOf(t, w.page(ofOrders))
	if strings.Contains(text, "Suspend") || !strings.Contains(text, "Take a savepoint") ||
		!strings.Contains(text, "the right to patch flinkdeployments in namespace flink is missing") {
		t.Errorf("without the right to patch: %s", text)
	}
	w = newWorld(t)
	w.Tap.Forget()
	if text := textOf(t, w.page(ofOrders)); strings.Contains(text, "Suspend") || !strings.Contains(text, "read only") {
		t.Errorf("with changes off: %s", text)
	}
	for _, r := range w.Tap.Requests() {
		if r.Resource == "selfsubjectaccessreviews" {
			t.Error("with changes off it asks for rights")
		}
	}
}

// What a GitOps tool owns is not changed: the page has the change to commit, and no button, and a form is refused.
func TestWhatAGitOpsToolOwnsHasNoButton(t *testing.T) {
	w := acting(t)
	form := w.plannedAt(ofOrders + "/suspend")
	w.labelled("kustomize.toolkit.fluxcd.io/name", "jobs")
	page := w.page(ofOrders + "/suspend")
	if text := textOf(t, page); strings.Contains(text, "Do it") || !strings.Contains(text, "Flux Kustomization jobs") ||
		!strings.Contains(text, "state: suspended") {
		t.Errorf("the page says: %s", text)
	}
	w.Tap.Forget()
	form.Set("version", w.orders().GetResourceVersion())
	if answer := w.post(ofOrders+"/suspend", form); answer.Code == http.StatusSeeOther || len(w.writes()) > 0 {
		t.Errorf("status %d, writes %v", answer.Code, w.writes())
	}
}

// A write that a plan no longer fits is not made.
func TestWhatWasChangedSinceItsPlanIsPlannedAgain(t *testing.T) {
	w := acting(t)
	form := w.plannedAt(ofOrders + "/suspend")
	w.labelled("team", "b")
	w.Tap.Forget()
	answer := w.post(ofOrders+"/suspend", form)
	if answer.Code != http.StatusConflict || !strings.Contains(answer.Body.String(), "Plan again") || len(w.writes()) > 0 {
		t.Errorf("status %d, writes %v\n%s", answer.Code, w.writes(), answer.Body)
	}
}

// What gives state up needs the name typed in.
func TestStateIsGivenUpByItsNameOnly(t *testing.T) {
	w := acting(t)
	const etl = "/ns/flink/flinksessionjobs/etl/restart"
	if text := textOf(t, w.page(etl)); !strings.Contains(text, "Type etl to give it up") {
		t.Fatalf("the plan asks for no name: %s", text)
	}
	w.Tap.Forget()
	form := w.plannedAt(etl)
	if answer := w.post(etl, form); answer.Code != http.StatusBadRequest || len(w.writes()) != 0 {
		t.Errorf("without the name: status %d, writes %v", answer.Code, w.writes())
	}
	form.Set("confirm", "etl")
	if answer := w.post(etl, form); answer.Code != http.StatusSeeOther {
		t.Errorf("with the name: status %d\n%s", answer.Code, answer.Body)
	}
}

// One row a way to have a browser, or another user, make a change that its user did not decide: none is made.
func TestAForgedChangeIsNotMade(t *testing.T) {
	cross := []string{"Sec-Fetch-Site", "cross-site"}
	for name, row := range map[string]struct {
		verb    string
		change  func(url.Values)
		headers []string
		status  int
	}{
		"another site":             {"suspend", nil, cross, http.StatusForbidden},
		"another site, navigating": {"suspend", nil, append(cross, "Sec-Fetch-Mode", "navigate"), http.StatusForbidden},
		"another port":             {"suspend", nil, []string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		"an old browser, another origin": {
			"suspend", nil, []string{"Sec-Fetch-Site", "", "Origin", "https://evil.example"}, http.StatusForbidden,
		},
		"no token":            {"suspend", func(f url.Values) { f.Del("token") }, nil, http.StatusConflict},
		"a guessed token":     {"suspend", func(f url.Values) { f.Set("token", "0") }, nil, http.StatusConflict},
		"of another change":   {"restart", nil, nil, http.StatusConflict},
		"with another answer": {"restore", func(f url.Values) { f.Set("from", "s3://other") }, nil, http.StatusConflict},
		"of another version":  {"suspend", func(f url.Values) { f.Set("version", "1") }, nil, http.StatusConflict},
		"no such change":      {"delete", nil, nil, http.StatusMethodNotAllowed},
		"as JSON":             {"suspend", nil, []string{"Content-Type", "application/json"}, http.StatusBadRequest},
		"as text":             {"suspend", nil, []string{"Content-Type", "text/plain"}, http.StatusBadRequest},
		"10 MB": {
			"suspend", func(f url.Values) { f.Set("x", strings.Repeat("y", 10<<20)) }, nil, http.StatusBadRequest,
		},
	} {
		w := acting(t)
		form := w.plannedAt(ofOrders + "/suspend")
		form.Set("confirm", "orders")
		if row.change != nil {
			row.change(form)
		}
		w.Tap.Forget()
		answer := w.post(ofOrders+"/"+row.verb, form, row.headers...)
		if answer.Code != row.status || len(w.writes()) > 0 {
			t.Errorf("%s: status %d, want %d, writes %v", name, answer.Code, row.status, w.writes())
		}
	}
	w := acting(t)
	form := w.plannedAt(ofOrders + "/suspend")
	w.Tap.Forget()
	w.actsAs("another-secret")
	if answer := w.post(ofOrders+"/suspend", form); answer.Code != http.StatusConflict || len(w.writes()) > 0 {
		t.Errorf("the form of another user: status %d, writes %v", answer.Code, w.writes())
	}
	if answer := w.get(ofOrders + "/suspend?token=x&version=1&confirm=orders"); answer.Code != http.StatusOK ||
		w.orders().Object["spec"].(map[string]any)["job"].(map[string]any)["state"] == "suspended" {
		t.Error("a GET made the change")
	}
}

// With changes off there is no page of a change, and a form is not read.
func TestWithoutActionsNothingIsChanged(t *testing.T) {
	on := acting(t)
	form := on.plannedAt(ofOrders + "/suspend")
	w := newWorld(t)
	w.Tap.Forget()
	if answer := w.get(ofOrders + "/suspend"); answer.Code != http.StatusNotFound {
		t.Errorf("a plan: status %d", answer.Code)
	}
	if answer := w.post(ofOrders+"/suspend", form); answer.Code != http.StatusMethodNotAllowed {
		t.Errorf("a form: status %d", answer.Code)
	}
	if len(w.Tap.Requests()) > 0 {
		t.Errorf("requests reached the API server: %v", w.Tap.Requests())
	}
}

// A refusal of the API server is told, on the plan and on the button, and without a secret.
func TestARefusalIsTold(t *testing.T) {
	w := acting(t)
	form := w.plannedAt(ofOrders + "/suspend")
	w.Tap.Inject(wire.Fault{Match: func(r wire.Request) bool {
		return r.Resource == "flinkdeployments" && r.Verb != "get" && r.Verb != "list"
	}, Status: http.StatusForbidden})
	if text := textOf(t, w.page(ofOrders+"/suspend")); strings.Contains(text, "Do it") ||
		!strings.Contains(text, "Refused") {
		t.Errorf("the plan: %s", text)
	}
	if answer := w.post(ofOrders+"/suspend", form); answer.Code != http.StatusForbidden {
		t.Errorf("the button: status %d\n%s", answer.Code, answer.Body)
	}
}

// A value that a link put into a plan is a word of the command that is shown, and no command.
func TestTheCommandIsQuoted(t *testing.T) {
	w := acting(t)
	text := textOf(t, w.page(ofOrders+"/restore?from="+url.QueryEscape("s3://b/x'; rm -rf ~")))
	if !strings.Contains(text, `--from 's3://b/x'\''; rm -rf ~' -n flink`) {
		t.Errorf("the command is not quoted: %s", text)
	}
}
