package certs

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

const (
	host      = "flink-admit.kourier-system.svc"
	namespace = "flink-system"
	secret    = "flink-admit-tls"
	webhooks  = "flink-admit"
)

// start is when the tests' clock begins. Certificates are checked against that clock only.
var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var (
	secretObject = kube.Object{Resource: kube.Secrets, Namespace: namespace, Name: secret}
	mutating     = kube.Object{Resource: configurationResources[0], Name: webhooks}
	validating   = kube.Object{Resource: configurationResources[1], Name: webhooks}
)

// world is an API server of the three objects (client-go's dynamic fake, plus the preconditions that it does not know),
// with a clock and a place to interfere before each write.
type world struct {
	*kube.Client
	// now is the clock's time.
	now time.Time
	// writes counts the writes that were let through.
	writes int
	// before is called before a write and may refuse it or let others write first. Nil lets all pass.
	before func(verb string, o kube.Object) error
}

func newWorld(t *testing.T, objects ...runtime.Object) *world {
	t.Helper()
	kinds := map[schema.GroupVersionResource]string{
		kube.Secrets: "SecretList", mutating.Resource: "MutatingWebhookConfigurationList",
		validating.Resource: "ValidatingWebhookConfigurationList",
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)
	version := 100
	next := func() string { version++; return strconv.Itoa(version) }
	current := func(action clienttesting.Action, name string) (*unstructured.Unstructured, error) {
		object, err := client.Tracker().Get(action.GetResource(), action.GetNamespace(), name)
		if err != nil {
			return nil, err
		}
		return object.(*unstructured.Unstructured), nil
	}
	stale := func(action clienttesting.Action, name string) error {
		return apierrors.NewConflict(action.GetResource().GroupResource(), name, errors.New("the object has been modified"))
	}
	client.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		u := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured)
		u.SetResourceVersion(next())
		u.SetUID(types.UID("uid-" + u.GetResourceVersion()))
		return false, nil, nil
	})
	client.PrependReactor("patch", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch := action.(clienttesting.PatchActionImpl)
		var body map[string]any
		if err := json.Unmarshal(patch.Patch, &body); err != nil {
			return true, nil, err
		}
		u, err := current(action, patch.Name)
		if err != nil {
			return true, nil, err
		}
		if want, found, _ := unstructured.NestedString(body, "metadata", "resourceVersion"); !found ||
			want != u.GetResourceVersion() {
			return true, nil, stale(action, patch.Name)
		}
		if immutable, _, _ := unstructured.NestedBool(u.Object, "immutable"); immutable {
			return true, nil, apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, patch.Name, nil)
		}
		body["metadata"].(map[string]any)["resourceVersion"] = next()
		if patch.Patch, err = json.Marshal(body); err != nil {
			return true, nil, err
		}
		return clienttesting.ObjectReaction(client.Tracker())(patch)
	})
	client.PrependReactor("delete", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		deletion := action.(clienttesting.DeleteActionImpl)
		u, err := current(action, deletion.Name)
		if err != nil {
			return true, nil, err
		}
		p := deletion.DeleteOptions.Preconditions
		if p == nil || p.UID == nil || *p.UID != u.GetUID() || *p.ResourceVersion != u.GetResourceVersion() {
			return true, nil, stale(action, deletion.Name)
		}
		return false, nil, nil
	})
	w := &world{Client: kube.New(client), now: start}
	for _, object := range objects {
		w.put(t, object)
	}
	return w
}

// put stores an object as somebody else would.
func (w *world) put(t *testing.T, object any) {
	t.Helper()
	u, err := kube.Unstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	o := secretObject
	switch u.GetKind() {
	case "MutatingWebhookConfiguration":
		o = mutating
	case "ValidatingWebhookConfiguration":
		o = validating
	}
	if _, err := w.Client.Create(t.Context(), o, u.DeepCopy()); err != nil {
		t.Fatal(err)
	}
}

func (w *world) write(verb string, o kube.Object) error {
	if w.before != nil {
		if err := w.before(verb, o); err != nil {
			return err
		}
	}
	w.writes++
	return nil
}

func (w *world) Create(ctx context.Context, o kube.Object, object any) (*unstructured.Unstructured, error) {
	if err := w.write("create", o); err != nil {
		return nil, err
	}
	return w.Client.Create(ctx, o, object)
}

func (w *world) MergePatch(
	ctx context.Context, o kube.Object, patch map[string]any,
) (*unstructured.Unstructured, error) {
	if err := w.write("patch", o); err != nil {
		return nil, err
	}
	return w.Client.MergePatch(ctx, o, patch)
}

func (w *world) Delete(
	ctx context.Context, o kube.Object, uid types.UID, options ...func(*metav1.DeleteOptions),
) error {
	if err := w.write("delete", o); err != nil {
		return err
	}
	return w.Client.Delete(ctx, o, uid, options...)
}

func (w *world) renewer() Renewer {
	return Renewer{
		API: w, Namespace: namespace, Secret: secret, Webhooks: webhooks, Now: func() time.Time { return w.now },
		Calls: map[string]string{"x.flink.apache.org": "/x"},
	}
}

// stored reads the Secret; found is false when there is none.
func (w *world) stored(t *testing.T) (s corev1.Secret, found bool) {
	t.Helper()
	u, found, err := w.Get(t.Context(), secretObject)
	if err != nil {
		t.Fatal(err)
	}
	if found {
		if err := kube.Typed(u, &s); err != nil {
			t.Fatal(err)
		}
	}
	return s, found
}

// client is the clientConfig of the first webhook of a configuration.
func (w *world) client(t *testing.T, o kube.Object) map[string]any {
	t.Helper()
	u, found, err := w.Get(t.Context(), o)
	if err != nil || !found {
		t.Fatalf("get %s: found %v, %v", o, found, err)
	}
	return u.Object["webhooks"].([]any)[0].(map[string]any)["clientConfig"].(map[string]any)
}

// called is the path that the first webhook of a configuration calls.
func (w *world) called(t *testing.T, o kube.Object) string {
	t.Helper()
	path, _ := w.client(t, o)["service"].(map[string]any)["path"].(string)
	return path
}

// open asks a pod that has just started whether it answers under the path.
func (w *world) open(t *testing.T, path string) bool {
	t.Helper()
	paths := &Paths{API: w, Namespace: namespace, Secret: secret, Now: func() time.Time { return w.now }}
	first, open, err := paths.Open(t.Context(), path)
	if err != nil || open && first != "/x" {
		t.Fatalf("open %s: %q, %v", path, first, err)
	}
	return open
}

// bundle is the caBundle of the first webhook of a configuration.
func (w *world) bundle(t *testing.T, o kube.Object) []byte {
	t.Helper()
	text, _ := w.client(t, o)["caBundle"].(string)
	out, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// served proves what the API server would find: that the stored certificate verifies for the host under both bundles,
// and that the paths that were written are open. Nothing stored is an error, too.
func (w *world) served(t *testing.T) error {
	t.Helper()
	s, found := w.stored(t)
	if !found {
		return errors.New("no Secret")
	}
	leaf, err := Pair{Cert: s.Data["tls.crt"], Key: s.Data["tls.key"]}.leaf()
	if err != nil {
		return err
	}
	for _, o := range []kube.Object{mutating, validating} {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(w.bundle(t, o))
		if _, err := leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: w.now}); err != nil {
			return fmt.Errorf("%s: %w", o, err)
		}
		if path := w.called(t, o); Token(path) != "" && !w.open(t, path) {
			return fmt.Errorf("%s calls the path %s, which is not open", o, path)
		}
	}
	return nil
}

// manifests are the two configurations as the manifests make them: without a caBundle.
func manifests() []runtime.Object {
	var out []runtime.Object
	for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		u := &unstructured.Unstructured{
			Object: map[string]any{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind},
		}
		u.SetName(webhooks)
		u.Object["webhooks"] = []any{map[string]any{
			"name": "x.flink.apache.org", "fieldOfTomorrow": "kept",
			"clientConfig": map[string]any{
				"service": map[string]any{"name": "flink-admit", "namespace": "kourier-system"},
			},
		}}
		out = append(out, u)
	}
	return out
}

// tlsSecret is a Secret with the pair, as somebody put it there.
func tlsSecret(p Pair) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: secret},
		Type:       corev1.SecretTypeTLS,
		Data:       map[string][]byte{"ca.crt": p.CA, "tls.crt": p.Cert, "tls.key": p.Key},
	}
}

// pair makes a pair that was born at the given time.
func pair(t *testing.T, born time.Time, services ...string) Pair {
	t.Helper()
	if len(services) == 0 {
		services = []string{host}
	}
	p, err := Make(services, born)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// touch lets somebody else write to an object, if it exists: only its resourceVersion changes.
func (w *world) touch(o kube.Object) error {
	u, found, err := w.Get(context.Background(), o)
	if err != nil || !found {
		return err
	}
	_, err = w.Client.MergePatch(
		context.Background(), o, map[string]any{"metadata": map[string]any{"resourceVersion": u.GetResourceVersion()}},
	)
	return err
}
