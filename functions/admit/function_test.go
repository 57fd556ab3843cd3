package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
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

// renewed runs one renewal over the API server, and returns the path of a webhook configuration.
func renewed(t *testing.T, client *fake.FakeDynamicClient) (path string) {
	t.Helper()
	r := renewer(kube.New(client), "flink-system", func() time.Time { return start })
	if err := renew(t.Context(), r, 0, zap.NewNop().Sugar()); err != nil {
		t.Fatal(err)
	}
	u, err := client.Tracker().Get(
		schema.GroupVersionResource{
			Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations",
		}, "", webhooks,
	)
	if err != nil {
		t.Fatal(err)
	}
	webhook := u.(*unstructured.Unstructured).Object["webhooks"].([]any)[0].(map[string]any)
	path, _, _ = unstructured.NestedString(webhook, "clientConfig", "service", "path")
	return path
}

func TestARenewalMakesTheCertificate(t *testing.T) {
	_, client := function(t)
	renewed(t, client)
	secret, err := client.Tracker().Get(kube.Secrets, "flink-system", tlsSecret)
	if err != nil {
		t.Fatal(err)
	}
	if got := secret.(*unstructured.Unstructured).Object["type"]; got != "kubernetes.io/tls" {
		t.Errorf("Secret of type %v, want kubernetes.io/tls: the DomainMapping takes no other", got)
	}
}

func TestAFailedRenewalIsTriedAgain(t *testing.T) {
	_, client := function(t)
	tries := 0
	client.PrependReactor("create", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		tries++
		if tries > 2 {
			return false, nil, nil
		}
		return true, nil, apierrors.NewForbidden(kube.Secrets.GroupResource(), tlsSecret, errors.New("no right"))
	})
	renewed(t, client)
	if tries != 4 {
		t.Errorf("%d creations of Secrets, want two that fail, the certificate's and the key's", tries)
	}
}

func TestARenewalEndsWithTheLastFailure(t *testing.T) {
	_, client := function(t)
	client.PrependReactor("create", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(kube.Secrets.GroupResource(), tlsSecret, errors.New("no right"))
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := renewer(kube.New(client), "flink-system", func() time.Time { return start })
	if err := renew(ctx, r, time.Hour, zap.NewNop().Sugar()); err == nil || !strings.Contains(err.Error(), "no right") {
		t.Errorf("%v, want the failure, which makes the Job fail where users see it", err)
	}
}

// reading fails the test when somebody reads it.
type reading struct{ t *testing.T }

func (r reading) Read([]byte) (int, error) {
	r.t.Error("the body of a request under a closed path was read")
	return 0, io.EOF
}

// Whoever reaches the gateway reaches admit; only the API server knows the paths.
func TestClosedPathsAreNotFoundBeforeTheirBodyIsRead(t *testing.T) {
	h, client := function(t)
	open := renewed(t, client)
	token := strings.TrimPrefix(open, "/validate/")
	for _, path := range []string{
		"/", "/validate", "/mutate", "/validators", "/mutators", "/renew", "/validate/", "/validate/guess",
		"/validate/" + strings.Repeat("0", 64), "/renew/" + strings.Repeat("0", 64), "/healthz", "/" + token,
		open + "/", "/validate/" + token[1:], "/validate//" + token,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodHead} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, path+"?timeout=10s", reading{t}))
			if w.Code != http.StatusNotFound || w.Body.Len() > 0 {
				t.Errorf("%s %s: %d %q, want 404 without a word", method, path, w.Code, w.Body)
			}
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/renew/"+token, strings.NewReader("{}")))
	if w.Code != http.StatusInternalServerError {
		t.Errorf("an open path with another first part: %d, want 500 with the legal ones", w.Code)
	}
}

func TestReviewsAreAnswered(t *testing.T) {
	h, client := function(t)
	path := renewed(t, client)
	body := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",
		"operation":"CREATE","namespace":"team",
		"kind":{"group":"flink.apache.org","version":"v1beta1","kind":"FlinkDeployment"},"object":{"metadata":{"name":"A_"},"spec":{}}}}`
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path+"?timeout=10s", strings.NewReader(body)))
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(w.Body.Bytes(), &review); err != nil || review.Response == nil {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	for _, want := range []string{"metadata.name", "spec.flinkVersion", "spec.serviceAccount", "spec.jobManager"} {
		if review.Response.Allowed || !strings.Contains(review.Response.Result.Message, want) {
			t.Errorf("%q lacks %q; all problems are told at once", review.Response.Result.Message, want)
		}
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
	}
	want := map[string]string{
		"certificate that is served": tlsSecret, "host that is mapped": host, "host that is claimed": host,
		"claimed for": "flink-system", "mapped to": "admit",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		webhook := all[kind+"/"+webhooks].Object["webhooks"].([]any)[0].(map[string]any)
		if calls[webhook["name"].(string)] == "" {
			t.Errorf("%s: no path is known for the webhook %s", kind, webhook["name"])
		}
		client := webhook["clientConfig"].(map[string]any)
		service := map[string]any{"namespace": gateway.GetNamespace(), "name": gateway.GetName(), "port": float64(443)}
		if diff := cmp.Diff(service, client["service"]); diff != "" {
			t.Errorf("%s calls another Service, or a path, which an update would put in place of ours\n%s", kind, diff)
		}
		if _, ok := client["caBundle"]; ok {
			t.Errorf("%s has a caBundle; an update would take ours away", kind)
		}
		if webhook["failurePolicy"] != "Ignore" || webhook["sideEffects"] != "None" {
			t.Errorf("%s: failurePolicy %v, sideEffects %v", kind, webhook["failurePolicy"], webhook["sideEffects"])
		}
	}
	for object, spec := range map[string][]string{
		"Job/flink-admit-certificate":     {"spec", "template", "spec"},
		"CronJob/flink-admit-certificate": {"spec", "jobTemplate", "spec", "template", "spec"},
	} {
		pod, _, _ := unstructured.NestedMap(all[object].Object, spec...)
		container := pod["containers"].([]any)[0].(map[string]any)
		if diff := cmp.Diff([]any{"renew"}, container["args"]); diff != "" || pod["serviceAccountName"] != "admit" {
			t.Errorf("%s runs something else, or without the rights of admit\n%s", object, diff)
		}
	}
}

func TestArguments(t *testing.T) {
	if err := run(t.Context(), []string{"serve"}); err == nil || !strings.Contains(err.Error(), "usage") {
		t.Errorf("got %v, want the usage", err)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for _, args := range [][]string{nil, {"renew"}} {
		if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), "service account") {
			t.Errorf("%q: got %v, want a word on the missing service account", args, err)
		}
	}
}
