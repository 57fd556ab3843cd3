package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// manifests are the objects of config/knative/8*.yaml by kind and name. The tests read the very files that are
// installed.
func manifests(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob("../../config/knative/8*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	out := map[string]*unstructured.Unstructured{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range strings.Split(string(text), "\n---\n") {
			u := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			out[u.GetKind()+"/"+u.GetName()] = u
		}
	}
	return out
}

// function is admit with an API server that holds the installed webhook configurations.
func function(t *testing.T) (http.Handler, *fake.FakeDynamicClient) {
	t.Helper()
	all := manifests(t)
	registration := schema.GroupVersion{Group: "admissionregistration.k8s.io", Version: "v1"}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		kube.Secrets: "SecretList",
		registration.WithResource("mutatingwebhookconfigurations"):   "MutatingWebhookConfigurationList",
		registration.WithResource("validatingwebhookconfigurations"): "ValidatingWebhookConfigurationList",
	}, all["MutatingWebhookConfiguration/flink-admit"], all["ValidatingWebhookConfiguration/flink-admit"])
	s := settings.Settings{Namespace: "flink-system"}
	return newHandler(&startup.Function{Client: kube.New(client)}, s, func() time.Time { return start }), client
}

// send posts a CloudEvent of a type to the renewal.
func send(h http.Handler, eventType string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, renewPath, strings.NewReader("{}"))
	for k, v := range map[string]string{"id": "1", "source": "/test", "specversion": "1.0", "type": eventType} {
		r.Header.Set("ce-"+k, v)
	}
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPingMakesTheCertificate(t *testing.T) {
	h, client := function(t)
	if w := send(h, "dev.knative.sources.ping"); w.Code != http.StatusOK || w.Body.Len() > 0 {
		t.Fatalf("%d %q, want 200 without a body: a Broker takes a body that is no event for a failure", w.Code, w.Body)
	}
	secret, err := client.Tracker().Get(kube.Secrets, "flink-system", tlsSecret)
	if err != nil {
		t.Fatal(err)
	}
	if got := secret.(*unstructured.Unstructured).Object["type"]; got != "kubernetes.io/tls" {
		t.Errorf("Secret of type %v, want kubernetes.io/tls: the DomainMapping takes no other", got)
	}
}

func TestOtherEventsRenewNothing(t *testing.T) {
	h, client := function(t)
	for eventType, want := range map[string]int{
		"dev.knative.apiserver.ref.add": http.StatusOK, "": http.StatusBadRequest,
	} {
		if w := send(h, eventType); w.Code != want {
			t.Errorf("type %q: %d, want %d", eventType, w.Code, want)
		}
	}
	for _, action := range client.Actions() {
		t.Errorf("%s %s, want nothing to be asked of the API server", action.GetVerb(), action.GetResource().Resource)
	}
}

func TestFailedRenewalIsSentAgain(t *testing.T) {
	h, client := function(t)
	client.PrependReactor("create", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(kube.Secrets.GroupResource(), tlsSecret, errors.New("no right"))
	})
	if w := send(h, "dev.knative.sources.ping"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d, want 503: the Job and the source try again, and the Job fails in the end where people see it", w.Code)
	}
}

func TestReviewsAreAnswered(t *testing.T) {
	h, _ := function(t)
	body := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",
		"operation":"CREATE","namespace":"team",
		"kind":{"group":"flink.apache.org","version":"v1beta1","kind":"FlinkDeployment"},"object":{"metadata":{"name":"A_"},"spec":{}}}}`
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/validate?timeout=10s", strings.NewReader(body)))
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(w.Body.Bytes(), &review); err != nil || review.Response == nil {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	for _, want := range []string{"metadata.name", "spec.flinkVersion", "spec.serviceAccount", "spec.jobManager"} {
		if review.Response.Allowed || !strings.Contains(review.Response.Result.Message, want) {
			t.Errorf("%q lacks %q; all problems are told at once", review.Response.Result.Message, want)
		}
	}
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil)); w.Code != http.StatusInternalServerError {
		t.Errorf("GET / answers %d, want 500 with the legal paths", w.Code)
	}
}

// TestManifestsAgree: the names that the code relies on are those that are installed.
func TestManifestsAgree(t *testing.T) {
	all := manifests(t)
	str := func(object, fields string) string {
		u, ok := all[object]
		if !ok {
			t.Fatalf("no %s in config/knative", object)
		}
		text, _, err := unstructured.NestedString(u.Object, strings.Split(fields, ".")...)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	const mapping = "DomainMapping/flink-admit.kourier-system.svc"
	gateway := all["Service/flink-admit"]
	if gateway.GetAPIVersion() != "v1" {
		t.Fatal("Service/flink-admit must be the gateway's")
	}
	host := gateway.GetName() + "." + gateway.GetNamespace() + ".svc"
	got := map[string]string{
		"certificate that is served": str(mapping, "spec.tls.secretName"),
		"host that is mapped":        all[mapping].GetName(),
		"host that is claimed":       all["ClusterDomainClaim/"+host].GetName(),
		"claimed for":                str("ClusterDomainClaim/"+host, "spec.namespace"),
		"mapped to":                  str(mapping, "spec.ref.name"),
		"daily ping to": str(
			"PingSource/flink-admit-certificate", "spec.sink.ref.name",
		) + str("PingSource/flink-admit-certificate", "spec.sink.uri"),
	}
	want := map[string]string{
		"certificate that is served": tlsSecret, "host that is mapped": host, "host that is claimed": host,
		"claimed for": "flink-system", "mapped to": "admit", "daily ping to": "admit" + renewPath,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for kind, path := range map[string]string{
		"MutatingWebhookConfiguration": "/mutate", "ValidatingWebhookConfiguration": "/validate",
	} {
		webhook := all[kind+"/"+webhooks].Object["webhooks"].([]any)[0].(map[string]any)
		client := webhook["clientConfig"].(map[string]any)
		service := map[string]any{
			"namespace": gateway.GetNamespace(), "name": gateway.GetName(), "port": float64(443), "path": path,
		}
		if diff := cmp.Diff(service, client["service"]); diff != "" {
			t.Errorf("%s calls another Service\n%s", kind, diff)
		}
		if _, ok := client["caBundle"]; ok {
			t.Errorf("%s has a caBundle; an update would take ours away", kind)
		}
		if webhook["failurePolicy"] != "Ignore" || webhook["sideEffects"] != "None" {
			t.Errorf("%s: failurePolicy %v, sideEffects %v", kind, webhook["failurePolicy"], webhook["sideEffects"])
		}
	}
	job := all["Job/flink-admit-certificate"]
	containers, _, _ := unstructured.NestedSlice(job.Object, "spec", "template", "spec", "containers")
	ping := []any{"ping", "http://admit.flink-system.svc.cluster.local" + renewPath}
	if diff := cmp.Diff(ping, containers[0].(map[string]any)["args"]); diff != "" {
		t.Errorf("the Job sends something else\n%s", diff)
	}
}

func TestPingUntilAnswered(t *testing.T) {
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tries++
		if r.Header.Get("ce-type") != "dev.knative.sources.ping" {
			t.Errorf("sent %q", r.Header.Get("ce-type"))
		}
		if tries < 3 {
			w.WriteHeader(http.StatusNotFound) // a gateway that does not know the function yet
		}
	}))
	defer server.Close()
	if err := ping(t.Context(), server.URL, 0, zap.NewNop().Sugar()); err != nil || tries != 3 {
		t.Errorf("%v after %d tries, want the third to be the last", err, tries)
	}
}

func TestPingGivesUp(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ping(ctx, server.URL, time.Hour, zap.NewNop().Sugar()); err == nil ||
		!strings.Contains(err.Error(), "gave up") {
		t.Errorf("got %v, want an error that makes the Job fail", err)
	}
}

func TestArguments(t *testing.T) {
	if err := run(t.Context(), []string{"serve"}); err == nil || !strings.Contains(err.Error(), "usage") {
		t.Errorf("got %v, want the usage", err)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if err := run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "service account") {
		t.Errorf("got %v, want a word on the missing service account", err)
	}
}
