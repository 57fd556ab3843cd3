package cli_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"maps"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/install"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// asked answers what the model API server does not have: its version, the rights of the user, and, as the webhook
// would, a session job that is tried.
type asked struct {
	next   http.RoundTripper
	minor  string
	denied string
	silent bool
}

func (a *asked) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case r.URL.Path == "/version":
		return answer(r, http.StatusOK, map[string]any{"major": "1", "minor": a.minor})
	case strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
		var review map[string]any
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			return nil, err
		}
		resource, _, _ := unstructured.NestedString(review, "spec", "resourceAttributes", "resource")
		review["status"] = map[string]any{"allowed": resource != a.denied}
		return answer(r, http.StatusCreated, review)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/flinksessionjobs") && r.URL.Query().Has("dryRun"):
		var job unstructured.Unstructured
		if err := json.NewDecoder(r.Body).Decode(&job.Object); err != nil {
			return nil, err
		}
		if !a.silent {
			job.SetLabels(map[string]string{"target.session": "any"})
		}
		return answer(r, http.StatusCreated, job.Object)
	}
	return a.next.RoundTrip(r)
}

// installedWorld is a cluster with Knative, Kourier and an installation in which all is well.
type installedWorld struct {
	*world
	asked *asked
	// canary is what the functions do with a canary when it is read; nil is nothing.
	canary func(u *unstructured.Unstructured, now string)
	// bringsUp is whether Knative brings up what is applied before it is read.
	bringsUp bool
}

// answering has the functions answer a canary before it is read.
type answering struct{ w *installedWorld }

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	gvr := resourceOf("FlinkDeployment")
	if u := a.w.Get(gvr, "flink", "kn-flink-probe"); r.Method == http.MethodGet && u != nil && a.w.canary != nil {
		a.w.Clock.Advance(20 * time.Second)
		a.w.canary(u, a.w.Clock.Now().Format(time.RFC3339))
		status, _ := u.Object["status"].(map[string]any)
		if _, err := a.w.UpdateStatus(gvr, "flink", u.GetName(), status); err != nil {
			return nil, err
		}
		if _, err := a.w.Update(gvr, "flink", u.GetName(), func(stored *unstructured.Unstructured) {
			stored.SetAnnotations(u.GetAnnotations())
		}); err != nil {
			return nil, err
		}
	}
	read := strings.HasSuffix(r.URL.Path, "/brokers") || strings.Contains(r.URL.Path, "/customresourcedefinitions/flink")
	if a.w.bringsUp && r.Method == http.MethodGet && read {
		a.w.bringUp(a.w.t)
	}
	if r.URL.Path == "/api/v1/namespaces" { // one that is deleted goes when it is empty
		a.w.GC()
	}
	if name, is := strings.CutPrefix(r.URL.Path, "/api/v1/namespaces/"); is && !strings.Contains(name, "/") &&
		strings.HasPrefix(r.Header.Get("Content-Type"), "application/apply-patch") {
		return a.namespace(r, name)
	}
	return a.w.asked.RoundTrip(r)
}

// namespace applies a namespace, which the model leaves to the world.
func (a answering) namespace(r *http.Request, name string) (*http.Response, error) {
	var wanted unstructured.Unstructured
	if err := json.NewDecoder(r.Body).Decode(&wanted.Object); err != nil {
		return nil, err
	}
	if a.w.Peek(kubesim.Namespaces, "", name) == nil {
		a.w.AddNamespace(name)
	}
	u, err := a.w.Update(kubesim.Namespaces, "", name, func(u *unstructured.Unstructured) {
		labels := u.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		maps.Copy(labels, wanted.GetLabels())
		u.SetLabels(labels)
	})
	if err != nil {
		return nil, err
	}
	return answer(r, http.StatusOK, u.Object)
}

// answer is a response with an object.
func answer(r *http.Request, code int, value any) (*http.Response, error) {
	text, err := json.Marshal(value)
	return &http.Response{
		StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(string(text))),
	}, err
}

// newCluster has Knative and Kourier, and no installation.
func newCluster(t testing.TB) *installedWorld {
	t.Helper()
	w := &installedWorld{world: newWorld(t, ""), asked: &asked{minor: "35+"}}
	w.around = func(next http.RoundTripper) http.RoundTripper {
		w.asked.next = next
		return answering{w}
	}
	for _, r := range install.Resources {
		if !slices.ContainsFunc(kubesim.Resources(), func(known kubesim.Resource) bool { return known.GVR == r.GVR }) {
			w.Also = append(w.Also, kubesim.Resource{
				GVR: r.GVR, Kind: r.Kind, Cluster: r.Cluster, Status: true, Generation: true,
			})
		}
	}
	for _, name := range []string{
		"knative-serving", "kourier-system", "knative-eventing", "kube-system", kubesim.NodeLeases,
	} {
		if w.Peek(kubesim.Namespaces, "", name) == nil {
			w.AddNamespace(name)
		}
	}
	for _, name := range []string{
		"services.serving.knative.dev", "domainmappings.serving.knative.dev", "brokers.eventing.knative.dev",
		"triggers.eventing.knative.dev", "apiserversources.sources.knative.dev", "pingsources.sources.knative.dev",
	} {
		w.put(t, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: "+name+
			", labels: {app.kubernetes.io/version: 1.23.0}}}")
	}
	w.put(t, "{apiVersion: v1, kind: Service, metadata: {name: kourier, namespace: kourier-system}, "+
		"spec: {selector: {app: 3scale-kourier-gateway}, ports: [{port: 443, targetPort: 8443}]}}")
	return w
}

// newInstallation has the manifests of config/ beside them, as Knative and admit have brought them up.
func newInstallation(t testing.TB) *installedWorld {
	t.Helper()
	w := newCluster(t)
	for _, folder := range []string{"crds", "knative"} {
		for _, u := range manifests(t, folder) {
			if w.Peek(gvrOf(t, u), u.GetNamespace(), u.GetName()) == nil {
				w.store(t, u)
			}
		}
	}
	w.bringUp(t)
	return w
}

// manifests are the objects of a folder of config.
func manifests(t testing.TB, folder string) []*unstructured.Unstructured {
	t.Helper()
	parsed.Lock()
	defer parsed.Unlock()
	if all := parsed.of[folder]; all != nil {
		return all
	}
	var all []*unstructured.Unstructured
	files, err := filepath.Glob(filepath.Join("../../config", folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests in %s: %v", folder, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := install.Read(string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, u := range objects {
			slim(u)
		}
		all = append(all, objects...)
	}
	parsed.of[folder] = all
	return all
}

// parsed are the manifests that were read. They are not written to.
var parsed = struct {
	sync.Mutex
	of map[string][]*unstructured.Unstructured
}{of: map[string][]*unstructured.Unstructured{}}

// slim leaves of the schema of a definition what is read: tests make many.
func slim(u *unstructured.Unstructured) {
	versions, _, _ := unstructured.NestedSlice(u.Object, "spec", "versions")
	for _, entry := range versions {
		version := entry.(map[string]any)
		path := []string{"schema", "openAPIV3Schema", "properties", "status", "properties", "pace"}
		pace, _, _ := unstructured.NestedFieldCopy(version, path...)
		version["schema"] = map[string]any{}
		_ = unstructured.SetNestedField(version, pace, path...)
	}
	if len(versions) > 0 {
		_ = unstructured.SetNestedSlice(u.Object, versions, "spec", "versions")
	}
}

func gvrOf(t testing.TB, u *unstructured.Unstructured) schema.GroupVersionResource {
	t.Helper()
	if r, err := install.ResourceOf(u); err == nil {
		return r.GVR
	}
	return resourceOf(u.GetKind())
}

// put stores an object of a manifest.
func (w *installedWorld) put(t testing.TB, text string) {
	t.Helper()
	w.store(t, kubesim.Parse(t, text))
}

func (w *installedWorld) store(t testing.TB, u *unstructured.Unstructured) {
	t.Helper()
	if _, err := w.Create(gvrOf(t, u), u); err != nil {
		t.Fatal(err)
	}
}

// edit changes an object.
func (w *installedWorld) edit(t testing.TB, kind, namespace, name string, change func(*unstructured.Unstructured)) {
	t.Helper()
	for _, r := range install.Resources {
		if kind == r.Kind && w.Peek(r.GVR, namespace, name) != nil {
			if _, err := w.Update(r.GVR, namespace, name, change); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("there is no %s %s/%s", kind, namespace, name)
}

// remove deletes an object.
func (w *installedWorld) remove(t testing.TB, kind, namespace, name string) {
	t.Helper()
	for _, r := range install.Resources {
		if kind == r.Kind && w.Peek(r.GVR, namespace, name) != nil {
			if err := w.Delete(r.GVR, namespace, name, kubesim.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("there is no %s %s/%s", kind, namespace, name)
}

// is gives an object the status of a condition.
func (w *installedWorld) is(t testing.TB, kind, namespace, name, condition, status, reason string) {
	t.Helper()
	for _, r := range install.Resources {
		if u := w.Peek(r.GVR, namespace, name); r.Kind == kind && u != nil {
			_, err := w.UpdateStatus(r.GVR, namespace, name, map[string]any{
				"observedGeneration": u.GetGeneration(), "storedVersions": []any{"v1beta1"},
				"conditions": []any{map[string]any{"type": condition, "status": status, "reason": reason}},
			})
			if err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("there is no %s %s/%s", kind, namespace, name)
}

// bringUp does what Knative, the API server and admit do with what was applied.
func (w *installedWorld) bringUp(t testing.TB) {
	t.Helper()
	for _, r := range install.Resources {
		for _, u := range w.List(r.GVR, "", nil) {
			switch {
			case r.Kind == "CustomResourceDefinition":
				w.is(t, r.Kind, "", u.GetName(), "Established", "True", "InitialNamesAccepted")
			case strings.HasSuffix(r.GVR.Group, "knative.dev") && !r.Cluster:
				w.is(t, r.Kind, u.GetNamespace(), u.GetName(), "Ready", "True", "")
			case r.Kind == "Job":
				w.is(t, r.Kind, u.GetNamespace(), u.GetName(), "Complete", "True", "")
			case strings.HasSuffix(r.Kind, "WebhookConfiguration") && u.GetName() == "flink-admit":
				w.trust(t, r.Kind, w.Clock.Now().Add(60*24*time.Hour))
			}
		}
	}
}

// trust gives the webhook an authority until some time, as admit does.
func (w *installedWorld) trust(t testing.TB, kind string, until time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: until.Add(-time.Hour), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, authority, authority, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	w.edit(t, kind, "", "flink-admit", func(u *unstructured.Unstructured) {
		list, _, _ := unstructured.NestedSlice(u.Object, "webhooks")
		for _, entry := range list {
			client := entry.(map[string]any)["clientConfig"].(map[string]any)
			client["caBundle"] = base64.StdEncoding.EncodeToString(bundle)
			client["service"].(map[string]any)["path"] = "/a-path"
		}
		if err := unstructured.SetNestedSlice(u.Object, list, "webhooks"); err != nil {
			t.Fatal(err)
		}
	})
}

// held by tests of rights: a request of a verb for a resource is refused.
func (w *installedWorld) forbid(verb, resource string) {
	w.Tap.Inject(wire.Fault{Match: wire.On(verb, resource), Status: http.StatusForbidden})
}

// set sets a field.
func set(value any, fields ...string) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) {
		if n, is := value.(int); is {
			value = int64(n)
		}
		_ = unstructured.SetNestedField(u.Object, value, fields...)
	}
}

// function is the Knative Service of a function.
var function = schema.GroupVersionResource{Group: "serving.knative.dev", Version: "v1", Resource: "services"}

func (w *installedWorld) removeFunction(t testing.TB, name string) {
	t.Helper()
	if err := w.Delete(function, "flink-system", name, kubesim.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (w *installedWorld) editFunction(t testing.TB, name string, change func(*unstructured.Unstructured)) {
	t.Helper()
	if _, err := w.Update(function, "flink-system", name, change); err != nil {
		t.Fatal(err)
	}
}

// isFunction gives a function a reason for which it is not Ready.
func (w *installedWorld) isFunction(t testing.TB, name, reason string) {
	t.Helper()
	if _, err := w.UpdateStatus(function, "flink-system", name, map[string]any{
		"conditions": []any{map[string]any{"type": "Ready", "status": "False", "reason": reason}},
	}); err != nil {
		t.Fatal(err)
	}
}
