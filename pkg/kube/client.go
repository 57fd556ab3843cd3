package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// callTimeout bounds one call (a pass has 20 s). There is no limit on the rate: how many passes and looks are at work
// bounds it, and the API server's priority and fairness protects that one.
const (
	callTimeout = 10 * time.Second
	noLimit     = -1
)

// Client reads and writes Kubernetes objects. Safe for concurrent use.
type Client struct {
	dynamic dynamic.Interface
	// core is for what is no object, such as logs; nil for a client of New, which reads none.
	core rest.Interface
	// endless is the same without a limit of time, for what is followed.
	endless rest.Interface
}

// Object names one object: its resource, namespace (empty for a cluster-scoped one) and name.
type Object struct {
	// Resource is the group, version and plural.
	Resource schema.GroupVersionResource
	// Namespace is empty for cluster-scoped objects.
	Namespace string
	// Name is metadata.name.
	Name string
}

// String is "<plural> <namespace>/<name>", for error texts.
func (o Object) String() string {
	if o.Namespace == "" {
		return o.Resource.Resource + " " + o.Name
	}
	return fmt.Sprintf("%s %s/%s", o.Resource.Resource, o.Namespace, o.Name)
}

// New wraps a dynamic client.
func New(d dynamic.Interface) *Client { return &Client{dynamic: d} }

// InCluster connects with the pod's service account. The user agent names the function, so that audit logs do, too. All
// requests go through what wrap makes of their transport, unless it is nil.
func InCluster(userAgent string, wrap func(http.RoundTripper) http.RoundTripper) (*Client, error) {
	read := rest.InClusterConfig
	if dir := os.Getenv(serviceAccountDir); dir != "" {
		read = func() (*rest.Config, error) { return mounted(dir) }
	}
	config, err := read()
	if err != nil {
		return nil, fmt.Errorf("read the service account of this pod: %w", err)
	}
	if wrap != nil {
		config.Wrap(wrap)
	}
	return ForConfig(config, userAgent)
}

// serviceAccountDir names the variable that says where the service account is mounted, for pods that are processes of a
// machine and share its /var/run.
const serviceAccountDir = "SERVICE_ACCOUNT_DIR"

// mounted is rest.InClusterConfig for another directory than Kubernetes' own.
func mounted(dir string) (*rest.Config, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, rest.ErrNotInCluster
	}
	token := filepath.Join(dir, "token")
	if _, err := os.Stat(token); err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: "https://" + net.JoinHostPort(host, port), BearerTokenFile: token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(dir, "ca.crt")},
	}, nil
}

// ForConfig connects with the given configuration, with this package's limits on it: a call has ten seconds, unless the
// configuration says otherwise.
func ForConfig(config *rest.Config, userAgent string) (*Client, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Timeout, config.UserAgent = noLimit, cmp.Or(config.Timeout, callTimeout), userAgent
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{next} })
	config.DisableCompression = true // to unpack costs more than to carry: the API server is near
	way, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make a Kubernetes client for %s: %w", config.Host, err)
	}
	d, err := dynamic.NewForConfigAndClient(config, way)
	if err != nil {
		return nil, fmt.Errorf("make a Kubernetes client for %s: %w", config.Host, err)
	}
	core, err := coreFor(config, way)
	if err != nil {
		return nil, fmt.Errorf("make a Kubernetes client for %s: %w", config.Host, err)
	}
	endless, err := coreFor(config, &http.Client{Transport: way.Transport})
	if err != nil {
		return nil, fmt.Errorf("make a Kubernetes client for %s: %w", config.Host, err)
	}
	return &Client{dynamic: d, core: core, endless: endless}, nil
}

func (c *Client) resource(gvr schema.GroupVersionResource, namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return c.dynamic.Resource(gvr)
	}
	return c.dynamic.Resource(gvr).Namespace(namespace)
}

// Get reads one object; found is false when the API server says that there is none.
func (c *Client) Get(ctx context.Context, o Object) (u *unstructured.Unstructured, found bool, err error) {
	u, err = c.resource(o.Resource, o.Namespace).Get(ctx, o.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("get %s: %w", o, err)
	}
	return u, true, nil
}

// Watch follows what is selected, from how it is now on; a page makes no sense here. It ends with the context, or when
// the API server ends it, after ten seconds at the latest.
func (c *Client) Watch(ctx context.Context, q Query) (watch.Interface, error) {
	w, err := c.resource(q.Resource, q.Namespace).Watch(
		ctx, metav1.ListOptions{LabelSelector: q.Labels, FieldSelector: q.Fields},
	)
	if err != nil {
		return nil, fmt.Errorf("watch %s in namespace %q: %w", q.Resource.Resource, q.Namespace, err)
	}
	return w, nil
}

// Create makes an object; an existing one is an AlreadyExists error of the API server.
func (c *Client) Create(ctx context.Context, o Object, object any) (*unstructured.Unstructured, error) {
	u, err := Unstructured(object)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", o, err)
	}
	created, err := c.resource(o.Resource, o.Namespace).Create(ctx, u, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", o, err)
	}
	return created, nil
}

// DryRun has the API server judge the creation of an object, as it would that of a real one, and store nothing. One
// that exists under the name is an AlreadyExists error, which comes after every other refusal.
func (c *Client) DryRun(ctx context.Context, o Object, object any) error {
	_, err := c.Try(ctx, o, object)
	return err
}

// UpdateStatus writes the status subresource of an object as a whole. The resourceVersion in it is the precondition.
func (c *Client) UpdateStatus(
	ctx context.Context, o Object, u *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	updated, err := c.resource(o.Resource, o.Namespace).UpdateStatus(ctx, u, metav1.UpdateOptions{})
	if err != nil {
		return nil, fmt.Errorf("write status of %s: %w", o, err)
	}
	return updated, nil
}

// MergePatch applies a JSON merge patch. A uid or resourceVersion in its metadata is a precondition.
func (c *Client) MergePatch(ctx context.Context, o Object, patch map[string]any) (*unstructured.Unstructured, error) {
	return c.Edit(ctx, o, patch, false)
}

// Edit is MergePatch, and may be dry: it is judged as a real one then, and stores nothing.
func (c *Client) Edit(
	ctx context.Context, o Object, patch map[string]any, dry bool,
) (*unstructured.Unstructured, error) {
	body, err := json.Marshal(patch)
	if err != nil {
		return nil, fmt.Errorf("patch %s: %w", o, err)
	}
	var options metav1.PatchOptions
	if dry {
		options.DryRun = []string{metav1.DryRunAll}
	}
	u, err := c.resource(o.Resource, o.Namespace).Patch(ctx, o.Name, types.MergePatchType, body, options)
	if err != nil {
		return nil, fmt.Errorf("patch %s: %w", o, err)
	}
	return u, nil
}

// PatchOperation is one operation of a JSON patch (RFC 6902).
type PatchOperation struct {
	// Op is test, add, replace or remove.
	Op string `json:"op"`
	// Path is a JSON pointer.
	Path string `json:"path"`
	// Value is what to test for or to set.
	Value any `json:"value,omitempty"`
}

// PointerToken escapes one name for a JSON pointer.
func PointerToken(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// JSONPatch applies a JSON patch. A test operation that does not hold is an Invalid error of the API server, and
// nothing is changed.
func (c *Client) JSONPatch(ctx context.Context, o Object, patch []PatchOperation) (*unstructured.Unstructured, error) {
	body, err := json.Marshal(patch)
	if err != nil {
		return nil, fmt.Errorf("patch %s: %w", o, err)
	}
	u, err := c.resource(o.Resource, o.Namespace).Patch(ctx, o.Name, types.JSONPatchType, body, metav1.PatchOptions{})
	if err != nil {
		return nil, fmt.Errorf("patch %s: %w", o, err)
	}
	return u, nil
}

// Apply sends an object by server-side apply under the given field manager, taking over fields that others own.
func (c *Client) Apply(ctx context.Context, o Object, object any, manager string) error {
	u, err := Unstructured(object)
	if err != nil {
		return fmt.Errorf("apply %s: %w", o, err)
	}
	if _, err := c.resource(o.Resource, o.Namespace).Apply(
		ctx, o.Name, u, metav1.ApplyOptions{FieldManager: manager, Force: true},
	); err != nil {
		return fmt.Errorf("apply %s: %w", o, err)
	}
	return nil
}

// TryApply has the API server judge a server-side apply, as it would a real one, and store nothing. It answers the
// object as it would be.
func (c *Client) TryApply(
	ctx context.Context, o Object, object any, manager string,
) (*unstructured.Unstructured, error) {
	u, err := Unstructured(object)
	if err != nil {
		return nil, fmt.Errorf("try to apply %s: %w", o, err)
	}
	tried, err := c.resource(o.Resource, o.Namespace).Apply(ctx, o.Name, u, metav1.ApplyOptions{
		FieldManager: manager, Force: true, DryRun: []string{metav1.DryRunAll},
	})
	if err != nil {
		return nil, fmt.Errorf("try to apply %s: %w", o, err)
	}
	return tried, nil
}

// Delete removes the object that the preconditions name. An object that is gone already is a success; another one under
// the same name is a Conflict error of the API server.
func (c *Client) Delete(ctx context.Context, o Object, uid types.UID, options ...func(*metav1.DeleteOptions)) error {
	opts := metav1.DeleteOptions{}
	if uid != "" {
		opts.Preconditions = &metav1.Preconditions{UID: &uid}
	}
	for _, option := range options {
		option(&opts)
	}
	err := c.resource(o.Resource, o.Namespace).Delete(ctx, o.Name, opts)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s: %w", o, err)
	}
	return nil
}

// Propagation sets the deletion propagation of a Delete.
func Propagation(p metav1.DeletionPropagation) func(*metav1.DeleteOptions) {
	return func(o *metav1.DeleteOptions) { o.PropagationPolicy = &p }
}

// DryRun has the API server judge a Delete without carrying it out.
func DryRun(o *metav1.DeleteOptions) { o.DryRun = []string{metav1.DryRunAll} }

// AtVersion makes the resourceVersion a precondition of a Delete.
func AtVersion(resourceVersion string) func(*metav1.DeleteOptions) {
	return func(o *metav1.DeleteOptions) {
		if o.Preconditions == nil {
			o.Preconditions = &metav1.Preconditions{}
		}
		o.Preconditions.ResourceVersion = &resourceVersion
	}
}

// Unstructured converts a typed object, or passes an unstructured one through.
func Unstructured(object any) (*unstructured.Unstructured, error) {
	if u, ok := object.(*unstructured.Unstructured); ok {
		return u, nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("convert %T: %w", object, err)
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// Typed converts an unstructured object into the typed one that out points to.
func Typed(u *unstructured.Unstructured, out any) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, out); err != nil {
		return fmt.Errorf("read %s %s/%s as %T: %w", u.GetKind(), u.GetNamespace(), u.GetName(), out, err)
	}
	return nil
}

// Grace sets the grace period of a Delete, in seconds.
func Grace(seconds int64) func(*metav1.DeleteOptions) {
	return func(o *metav1.DeleteOptions) { o.GracePeriodSeconds = &seconds }
}
