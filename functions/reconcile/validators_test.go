package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// rule is a validator that refuses other images than those of the company, or is down.
type rule struct {
	asked atomic.Int32
	down  atomic.Bool
	url   string
}

func newRule(t *testing.T) *rule {
	t.Helper()
	r := &rule{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.asked.Add(1)
		if r.down.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(q.Body).Decode(&review); err != nil {
			t.Error(err)
			return
		}
		answer := &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		if !strings.Contains(string(review.Request.Object.Raw), `"image":"registry.example.org/`) {
			answer.Allowed, answer.Result = false, &metav1.Status{Message: "images come from registry.example.org"}
		}
		if err := json.NewEncoder(w).Encode(admissionv1.AdmissionReview{Response: answer}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// judgedBy has the function go on with settings that name the rule.
func (i *installation) judgedBy(t *testing.T, r *rule, more string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("FLINK_CONF_DIR", dir)
	text := "kubernetes.operator.plugins.validators.images.url: " + r.url + "\n" + more
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := settings.Load()
	if err != nil || len(s.Notes) > 0 {
		t.Fatalf("%v %q", err, s.Notes)
	}
	if i.handler, err = newHandler(i.function(nil), s, i.kube.Clock.Now); err != nil {
		t.Fatal(err)
	}
}

// pass runs one, and answers how often the rule was asked in it.
func (i *installation) pass(t *testing.T, r *rule) int32 {
	t.Helper()
	before := r.asked.Load()
	if answer := i.post(change()); answer.Code != http.StatusOK {
		t.Fatalf("answer %d: %s", answer.Code, answer.Body)
	}
	return r.asked.Load() - before
}

func (i *installation) accepted(t *testing.T) string {
	t.Helper()
	conditions, _, _ := unstructured.NestedSlice(
		i.kube.Get(kubesim.FlinkDeployments, "flink", "demo").Object, "status", "conditions",
	)
	for _, c := range conditions {
		if c := c.(map[string]any); c["type"] == "SpecAccepted" {
			return c["status"].(string) + " " + c["reason"].(string) + " " + c["message"].(string)
		}
	}
	return ""
}

func (i *installation) setImage(t *testing.T, image string) {
	t.Helper()
	if _, err := i.kube.Update(kubesim.FlinkDeployments, "flink", "demo", func(u *unstructured.Unstructured) {
		u.SetGeneration(u.GetGeneration() + 1)
		_ = unstructured.SetNestedField(u.Object, image, "spec", "image")
	}); err != nil {
		t.Fatal(err)
	}
}

func TestASpecThatAValidatorRefusesIsNotAccepted(t *testing.T) {
	i, r := install(t), newRule(t)
	i.judgedBy(t, r, "")
	if asked := i.pass(t, r); asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	const refused = "False RefusedByValidator validator images refuses it: images come from registry.example.org"
	if got := i.accepted(t); got != refused || i.kube.Get(kubesim.Deployments, "flink", "demo") != nil {
		t.Errorf("accepted %q, want %q and no Deployment", got, refused)
	}
	if asked := i.pass(t, r); asked != 0 {
		t.Errorf("the verdict is stored, and the validator was asked %d times", asked)
	}
	i.judgedBy(t, r, "kubernetes.operator.plugins.validators.images.revision: 2")
	if asked := i.pass(t, r); asked != 1 || i.accepted(t) != refused {
		t.Errorf("another revision was asked %d times: %s", asked, i.accepted(t))
	}
	i.setImage(t, "registry.example.org/flink:1.20")
	// a round that only holds the resource stores nothing, so the next one asks again
	if asked := i.pass(t, r); asked < 1 || asked > 2 || i.kube.Get(kubesim.Deployments, "flink", "demo") == nil {
		t.Errorf("asked %d times about the next spec: %s", asked, i.accepted(t))
	}
	if got := i.accepted(t); !strings.HasPrefix(got, "True Accepted") {
		t.Errorf("accepted %q", got)
	}
	r.down.Store(true)
	if asked := i.pass(t, r); asked != 0 {
		t.Errorf("the spec is accepted, and the validator was asked %d times", asked)
	}
}

func TestAValidatorThatDoesNotAnswer(t *testing.T) {
	i, r := install(t), newRule(t)
	r.down.Store(true)
	i.judgedBy(t, r, "")
	for range 2 { // nothing is stored
		if asked := i.pass(t, r); asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	}
	if got := i.accepted(t); !strings.HasPrefix(got, "False ValidatorUnavailable validator images does not answer") {
		t.Errorf("accepted %q", got)
	}
	i.judgedBy(t, r, "kubernetes.operator.plugins.validators.images.failure-policy: Ignore")
	if i.pass(t, r); i.kube.Get(kubesim.Deployments, "flink", "demo") == nil {
		t.Errorf("it need not answer: %s", i.accepted(t))
	}
}

func TestABrokenValidatorHoldsUpNoRecoveryAndNoDeletion(t *testing.T) {
	i, r := install(t), newRule(t)
	i.setImage(t, "registry.example.org/flink:1.20")
	i.judgedBy(t, r, "")
	i.pass(t, r)
	r.down.Store(true)
	i.setImage(t, "elsewhere/flink:1.20")
	if i.pass(t, r); !strings.Contains(i.accepted(t), "ValidatorUnavailable") {
		t.Fatalf("accepted %q", i.accepted(t))
	}
	if err := i.kube.Delete(kubesim.Deployments, "flink", "demo", kubesim.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for i.kube.GC() {
	}
	i.pass(t, r)
	d := i.kube.Get(kubesim.Deployments, "flink", "demo")
	if d == nil {
		t.Fatal("the lost cluster was not made again")
	}
	containers, _, _ := unstructured.NestedSlice(d.Object, "spec", "template", "spec", "containers")
	if image := containers[0].(map[string]any)["image"]; image != "registry.example.org/flink:1.20" {
		t.Errorf("it was made again with image %v, want that of the accepted spec", image)
	}
	if err := i.kube.Delete(kubesim.FlinkDeployments, "flink", "demo", kubesim.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if asked := i.pass(t, r); asked != 0 {
			t.Errorf("a deletion asked the validator %d times", asked)
		}
		for i.kube.GC() {
		}
	}
	if i.kube.Get(kubesim.FlinkDeployments, "flink", "demo") != nil {
		t.Error("the deletion does not end")
	}
}
