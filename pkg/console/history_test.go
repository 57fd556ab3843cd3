package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/console"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// started keeps n starts of orders, each with another image and another secret.
func (w *world) started(n int) {
	w.t.Helper()
	object := w.orders()
	for number := 1; number <= n; number++ {
		spec, _, _ := unstructured.NestedMap(object.DeepCopy().Object, "spec")
		spec["image"] = fmt.Sprintf("registry/orders:1.%d", number)
		_ = unstructured.SetNestedField(spec, fmt.Sprintf("plantedInOld%d", number), "flinkConfiguration", "s3.secret-key")
		operation := fmt.Sprintf("%010d%022d", number, 0)
		made, err := history.Revision{
			Name: history.NameOf("orders", operation), Number: int64(number), Operation: operation, Spec: spec,
			Started: metav1.NewTime(w.now.Add(-time.Hour)), ChangedBy: "kubectl-edit",
			From: v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: fmt.Sprintf("s3://bucket/savepoint-%d", number)},
		}.Object(metav1.OwnerReference{
			APIVersion: v1beta1.APIVersion, Kind: "FlinkDeployment", Name: "orders", UID: object.GetUID(),
		}, "flink")
		if err != nil {
			w.t.Fatal(err)
		}
		u, err := kube.Unstructured(made)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := w.Create(kube.Revisions, u); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestStartsAreShownAndCompared(t *testing.T) {
	w := acting(t)
	w.started(3)
	text := textOf(t, w.page(ofOrders))
	if !strings.Contains(text, "Starts") || !strings.Contains(text, "image: registry/orders:1.2 -> registry/orders:1.3") {
		t.Errorf("the page of the job has no starts: %s", text)
	}
	page := w.page(ofOrders + "/history?from=1&to=3")
	inert(t, "history", page)
	if text := textOf(t, page); !strings.Contains(text, "From start 1 to start 3") ||
		!strings.Contains(text, "image: registry/orders:1.1 -> registry/orders:1.3") || strings.Contains(page, "planted") {
		t.Errorf("the difference: %s", text)
	}
	var h console.History
	w.json(ofOrders+"/history?from=2&to=2", &h)
	if len(h.Revisions) != 3 || h.Changes == nil || len(h.Changes) != 0 {
		t.Errorf("a start and itself: %v", h)
	}
	for query, want := range map[string]int{"from=9&to=1": 400, "from=1": 400, "from=x&to=1": 400} {
		if answer := w.get(ofOrders + "/history?" + query); answer.Code != want {
			t.Errorf("%s: status %d, want %d", query, answer.Code, want)
		}
	}
	w.Tap.Inject(wire.Fault{Match: wire.On("list", "controllerrevisions"), Status: http.StatusForbidden})
	if text := textOf(t, w.page(ofOrders)); !strings.Contains(text, "the right to list controllerrevisions.apps") &&
		!strings.Contains(text, "Starts") {
		t.Errorf("a missing right is not named: %s", text)
	}
}

// An earlier start is gone back to by its plan.
func TestARollbackIsPlanned(t *testing.T) {
	w := acting(t)
	w.started(2)
	if page := w.page(ofOrders + "/history"); !strings.Contains(page, ofOrders+"/rollback?to=1") {
		t.Error("the history has no way back")
	}
	const at = ofOrders + "/rollback?to=1&state=now"
	if text := textOf(t, w.page(at)); !strings.Contains(text, "to revision 1") || strings.Contains(text, "planted") ||
		!strings.Contains(text, "kn flink rollback flinkdep/orders --to 1 --state=now -n flink") {
		t.Errorf("the plan: %s", text)
	}
	form := w.plannedAt(at)
	form.Set("confirm", "orders")
	if answer := w.post(ofOrders+"/rollback", form); answer.Code != http.StatusSeeOther {
		t.Fatalf("status %d\n%s", answer.Code, textOf(t, answer.Body.String()))
	}
	if image, _, _ := unstructured.NestedString(w.orders().Object, "spec", "image"); image != "registry/orders:1.1" {
		t.Errorf("the image is %s", image)
	}
	form.Set("to", "2")
	if answer := w.post(ofOrders+"/rollback", form); answer.Code != http.StatusConflict {
		t.Errorf("to another start than was planned: status %d", answer.Code)
	}
}

// planned is a console with the way to Flink, and changes off.
func planned(t *testing.T) *world {
	w := newWorld(t)
	client, config := w.Client(), w.Config("kn-flink")
	w.handler = console.New(console.Options{
		Caller: func(*http.Request) (console.Caller, error) {
			return console.Caller{Client: client, Key: "user", Config: config, Secret: "s"}, nil
		}, Now: func() time.Time { return w.now },
	})
	return w
}

// A plan says what an edit would do, is there with changes off, and changes nothing.
func TestAPlanOfAnEditChangesNothing(t *testing.T) {
	w := planned(t)
	if page := w.page(ofOrders + "/plan"); !strings.Contains(textOf(t, page), "What an edit of orders would do") {
		t.Error(page)
	}
	before := w.orders()
	for edit, want := range map[string]string{
		"spec: {job: {parallelism: 8}}": "the spec is not accepted",
		"kind: FlinkDeployment\nmetadata: {name: orders, uid: x}\nspec: {image: 'flink:2'}": "What would come of it",
		"":                                      "paste an edit",
		"[1, 2]":                                "is neither YAML nor JSON of a mapping",
		"kind: FlinkSessionJob\nspec: {}":       "the edit is of a FlinkSessionJob",
		"metadata: {name: other}\nspec: {a: b}": "the edit is of other",
		"status: {a: b}":                        "the edit has no spec",
	} {
		answer := w.post(ofOrders+"/plan", url.Values{"edit": {edit}})
		if text := textOf(t, answer.Body.String()); answer.Code != http.StatusOK || !strings.Contains(text, want) ||
			strings.Contains(text, "planted") {
			t.Errorf("%q: status %d, %s", edit, answer.Code, text)
		}
		inert(t, edit, answer.Body.String())
	}
	if w.orders().GetResourceVersion() != before.GetResourceVersion() {
		t.Error("a plan changed the resource")
	}
	for name, headers := range map[string][]string{
		"another site": {"Sec-Fetch-Site", "cross-site"}, "no form": {"Content-Type", "text/plain"},
	} {
		if answer := w.post(ofOrders+"/plan", url.Values{"edit": {"spec: {}"}}, headers...); answer.Code < 400 {
			t.Errorf("%s: status %d", name, answer.Code)
		}
	}
}

func TestTheSpecHasStars(t *testing.T) {
	w := newWorld(t)
	page := w.page(ofOrders + "/spec")
	inert(t, "spec", page)
	if text := textOf(t, page); !strings.Contains(text, "parallelism: 4") || !strings.Contains(text, "***") ||
		strings.Contains(text, "planted") {
		t.Errorf("the spec: %s", text)
	}
}

// Only the page of the load asks Flink, through the API server, and once in 5 s.
func TestOnlyTheLoadAsksFlink(t *testing.T) {
	asksFlink := func(w *world) (n int) {
		for _, r := range w.Tap.Requests() {
			if strings.Contains(r.Path, "/proxy/") {
				n++
			}
		}
		return n
	}
	w := planned(t)
	w.Tap.Forget()
	w.page(ofOrders)
	w.page("/jobs")
	if n := asksFlink(w); n != 0 {
		t.Errorf("pages asked Flink %d times", n)
	}
	page := w.page(ofOrders + "/load")
	inert(t, "load", page)
	n := asksFlink(w)
	if n == 0 || !strings.Contains(textOf(t, page), "Load of orders") {
		t.Errorf("Flink was asked %d times: %s", n, textOf(t, page))
	}
	if w.page(ofOrders + "/load"); asksFlink(w) != n { // 3 s later
		t.Errorf("Flink was asked %d times more within 5 s", asksFlink(w)-n)
	}
}
