package mesh

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/loopback"
	"github.com/kn-flink/kn-flink/local/mesh/ko"
	"github.com/kn-flink/kn-flink/local/mesh/network"
	"github.com/kn-flink/kn-flink/local/node"
	"github.com/kn-flink/kn-flink/local/node/runtime"
	"github.com/kn-flink/kn-flink/local/testsuite"
)

// The one mesh of this package's tests, without the operator.
var (
	mesh    *Mesh
	client  kubernetes.Interface
	objects dynamic.Interface
)

func TestMain(m *testing.M) { testsuite.Main(m, start) }

// start starts what a mesh stands on, and the mesh.
func start(stage *testsuite.Stage) error {
	ctx := context.Background()
	on, err := loopback.Reserve(stage.Dir)
	if err != nil {
		return err
	}
	stage.Stop(on.Close)
	way, err := network.Listen(on)
	if err != nil {
		return err
	}
	stage.Stop(way.Close)
	images := &ko.Builder{
		Checkout: "testdata/checkout", Dir: filepath.Join(stage.Dir, "functions"),
		Env: []string{"HTTP_PROXY=" + way.Proxy()}, Next: none{},
	}
	plane, err := controlplane.Start(ctx, controlplane.Options{Dir: stage.Dir, Network: on, Egress: way.Egress()})
	if err != nil {
		return err
	}
	stage.Stop(plane.Stop)
	pods, err := node.Start(ctx, node.Options{ControlPlane: plane, Images: images})
	if err != nil {
		return err
	}
	stage.Stop(pods.Stop)
	if mesh, err = Start(ctx, Options{ControlPlane: plane, Node: pods, Network: way, Images: images}); err != nil {
		return err
	}
	stage.Stop(mesh.Stop)
	client, objects = kubernetes.NewForConfigOrDie(plane.Config()), dynamic.NewForConfigOrDie(plane.Config())
	return nil
}

// none has no images.
type none struct{}

func (none) Find(string) (runtime.Image, bool) { return runtime.Image{}, false }
func (none) Pull(_ context.Context, name string) (runtime.Image, error) {
	return runtime.Image{}, fmt.Errorf("no image %q", name)
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	testsuite.Eventually(t, time.Minute, what, func(context.Context) (bool, error) { return condition(), nil })
}

// collector is where the functions of one test hand their requests.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	seen   []received
	answer func(received) (int, http.Header)
}

// received is one request that a function got: an event, and the pod that got it.
type received struct{ id, kind, subject, pod string }

func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := received{
			r.Header.Get("Ce-Id"), r.Header.Get("Ce-Type"), r.Header.Get("Ce-Subject"), r.URL.Query().Get("pod"),
		}
		c.mu.Lock()
		c.seen = append(c.seen, got)
		answer := c.answer
		c.mu.Unlock()
		if answer == nil {
			return
		}
		code, header := answer(got)
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(code)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) say(answer func(received) (int, http.Header)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = answer
}

// of are the requests with that event type.
func (c *collector) of(kind string) []received {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []received
	for _, r := range c.seen {
		if r.kind == kind {
			out = append(out, r)
		}
	}
	return out
}

// room is a namespace of a test with a function named relay in it, and a synchronous Broker named b: a POST to it
// returns when the event is delivered.
type room struct {
	*testing.T
	namespace string
	*collector
}

// enter makes one. The annotations are the function's.
func enter(t *testing.T, annotations string) *room {
	t.Helper()
	r := &room{T: t, namespace: strings.ToLower(strings.TrimPrefix(t.Name(), "Test")), collector: collect(t)}
	if _, err := client.CoreV1().Namespaces().Create(
		t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.namespace}}, metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	word := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"word": "hello"}}
	if _, err := client.CoreV1().ConfigMaps(r.namespace).Create(t.Context(), word, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	r.apply(`
apiVersion: eventing.knative.dev/v1
kind: Broker
metadata: {name: b}
spec: {delivery: {retry: 3, backoffPolicy: exponential, backoffDelay: PT0.01S}}
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: relay}
spec:
  template:
    metadata: {annotations: {` + annotations + `}}
    spec:
      containerConcurrency: 1
      timeoutSeconds: 30
      containers:
      - image: ko://example.org/checkout/functions/relay
        env:
        - {name: COLLECTOR, value: "` + r.URL + `"}
        - {name: NAMESPACE, value: ` + r.namespace + `}
        - {name: SETTINGS, value: /etc/settings}
        volumeMounts: [{name: settings, mountPath: /etc/settings}]
      volumes: [{name: settings, configMap: {name: settings}}]
---
apiVersion: eventing.knative.dev/v1
kind: Trigger
metadata: {name: all}
spec:
  broker: b
  filters: [{prefix: {type: test.}}]
  subscriber: {ref: {apiVersion: serving.knative.dev/v1, kind: Service, name: relay}}
`)
	r.ready("services.serving.knative.dev/v1", "relay")
	r.ready("triggers.eventing.knative.dev/v1", "all")
	return r
}

// resource takes PLURAL.GROUP/VERSION.
func resource(text string) schema.GroupVersionResource {
	plural, rest, _ := strings.Cut(text, ".")
	group, version, _ := strings.Cut(rest, "/")
	return schema.GroupVersionResource{Group: group, Version: version, Resource: plural}
}

func (r *room) apply(text string) {
	r.Helper()
	for _, document := range strings.Split(text, "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &o.Object); err != nil {
			r.Fatal(err)
		}
		gv := o.GroupVersionKind().GroupVersion()
		where := gv.WithResource(strings.ToLower(o.GetKind()) + "s")
		o.SetNamespace(r.namespace)
		if _, err := objects.Resource(where).Namespace(r.namespace).Apply(
			r.Context(), o.GetName(), o, metav1.ApplyOptions{FieldManager: "test", Force: true},
		); err != nil {
			r.Fatal(err)
		}
	}
}

// condition is the Ready condition of an object: status, reason and message.
func (r *room) condition(of, name string) (status, text string) {
	o, err := objects.Resource(resource(of)).Namespace(r.namespace).Get(r.Context(), name, metav1.GetOptions{})
	if err != nil {
		return "", err.Error()
	}
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range all {
		if c := c.(map[string]any); c["type"] == "Ready" {
			return fmt.Sprint(c["status"]), fmt.Sprint(c["reason"], " ", c["message"])
		}
	}
	return "", ""
}

func (r *room) ready(of, name string) {
	r.Helper()
	eventually(r.T, of+" "+name+" is Ready", func() bool { status, _ := r.condition(of, name); return status == "True" })
}

// post sends an event to the Broker and returns the answer's status.
func (r *room) post(kind, id string) int {
	r.Helper()
	return r.send("http://broker-ingress.knative-eventing.svc.cluster.local/"+r.namespace+"/b", kind, id)
}

// call sends a request to the function itself.
func (r *room) call(path string) (int, string) {
	r.Helper()
	answer, err := http.Get("http://relay." + r.namespace + ".svc.cluster.local" + path)
	if err != nil {
		r.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func (r *room) send(url, kind, id string) int {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		r.Fatal(err)
	}
	for name, value := range map[string]string{
		"Ce-Specversion": "1.0", "Ce-Id": id, "Ce-Type": kind, "Ce-Source": "/test", "Content-Type": "application/json",
	} {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		r.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// function is what the mesh says of relay.
func (r *room) function() Function {
	for _, f := range mesh.Functions() {
		if f.Namespace == r.namespace && f.Name == "relay" {
			return f
		}
	}
	return Function{}
}
