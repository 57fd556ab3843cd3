package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// pageSize is how many objects one request brings.
const pageSize = 500

// cluster is the API server as the user sees it.
type cluster struct {
	*kube.Client

	namespace string

	verbose bool

	mu         sync.Mutex
	unreadable []string
}

// connect makes a client. It asks nothing yet.
func (p *program) connect() (*cluster, error) {
	read := p.Config
	if read == nil {
		read = p.configured
	}
	config, namespace, err := read()
	if err != nil {
		return nil, failed("no way to the API server: %w", err)
	}
	if p.overrides.Context.Namespace != "" {
		namespace = p.overrides.Context.Namespace
	}
	config = rest.CopyConfig(config)
	config.WarningHandler = rest.NewWarningWriter(p.Err, rest.WarningWriterOptions{Deduplicate: true})
	client, err := kube.ForConfig(config, "kn-flink/"+p.Version)
	if err != nil {
		return nil, &Exit{CodeError, err}
	}
	return &cluster{Client: client, namespace: namespace, verbose: p.verbose}, nil
}

// configured is what the flags and the kubeconfig say.
func (p *program) configured() (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = p.kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &p.overrides)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, "", err
	}
	namespace, _, err := loader.Namespace()
	return config, namespace, err
}

// cannot notes what could not be read, with the right that is missing.
func (c *cluster) cannot(q kube.Query, err error) {
	text := fmt.Sprintf("%s: %v", q.Resource.Resource, err)
	if apierrors.IsForbidden(err) {
		text = c.missing("list", q)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.unreadable, text) {
		c.unreadable = append(c.unreadable, text)
	}
}

// missing names a right that is missing, and the role that would give it.
func (c *cluster) missing(verb string, q kube.Query) string {
	resource, where, in := q.Resource.GroupResource().String(), "in all namespaces", "clusterrole look"
	if q.Namespace != "" {
		where, in = "in namespace "+q.Namespace, "role look -n "+q.Namespace
	}
	text := fmt.Sprintf("the right to %s %s %s is missing", verb, resource, where)
	if c.verbose {
		text += fmt.Sprintf(" (kubectl create %s --verb=%s --resource=%s)", in, verb, resource)
	}
	return text
}

// each reads all pages of a list.
func (c *cluster) each(ctx context.Context, q kube.Query, see func(content map[string]any) error) error {
	for q.Limit = pageSize; ; {
		page, err := c.ListEach(ctx, q, see)
		if err != nil {
			return err
		}
		if q.Continue = page.Continue; q.Continue == "" {
			return nil
		}
	}
}

// optional reads all objects of a list that are wanted. What cannot be read is noted.
func (c *cluster) optional(
	ctx context.Context, q kube.Query, wanted func(*unstructured.Unstructured) bool,
) (found []*unstructured.Unstructured) {
	err := c.each(ctx, q, func(content map[string]any) error {
		if u := (&unstructured.Unstructured{Object: content}); wanted(u) {
			found = append(found, u)
		}
		return nil
	})
	if err != nil && !apierrors.IsNotFound(err) { // a kind that an older installation does not have
		c.cannot(q, err)
	}
	return found
}

// named connects and reads the resource that an argument names, of some kinds.
func (p *program) named(ctx context.Context, arg string, of []string) (*cluster, *unstructured.Unstructured, error) {
	c, err := p.connect()
	if err != nil {
		return nil, nil, err
	}
	object, err := c.find(ctx, arg, of)
	return c, object, err
}

// find reads the resource that an argument names: KIND/NAME, or NAME of the first two kinds, or else of the others.
func (c *cluster) find(ctx context.Context, arg string, of []string) (*unstructured.Unstructured, error) {
	kind, name, err := view.Named(arg)
	if err != nil {
		return nil, &Exit{CodeError, err}
	}
	if kind != "" {
		if !slices.Contains(of, kind) {
			return nil, failed("%s: a %s is none of the kinds of this command: %s", arg, kind,
				strings.Join(of, ", "))
		}
		return c.one(ctx, kind, name)
	}
	var found []*unstructured.Unstructured
	var forbidden error
	for _, kind := range slices.Concat(runKinds, namesOf(func(k kinds.Kind) bool { return !k.Counted })) {
		if len(found) > 0 && !slices.Contains(runKinds, kind) {
			break
		}
		u, err := c.get(ctx, kind, name)
		switch {
		case apierrors.IsForbidden(err): // whoever may not read a kind does not mean it
			forbidden = cmp.Or(forbidden, err)
		case err != nil:
			return nil, err
		case u != nil:
			found = append(found, u)
		}
	}
	switch {
	case len(found) == 0 && forbidden != nil:
		return nil, forbidden
	case len(found) == 0:
		return nil, c.nothing(ctx, name)
	case len(found) > 1:
		return nil, failed("there is more than one %s in namespace %s: name flinkdep/%s or sessionjob/%s",
			name, c.namespace, name, name)
	case !slices.Contains(of, found[0].GetKind()):
		return nil, failed("%s is a %s, which is none of the kinds of this command: %s", name,
			found[0].GetKind(), strings.Join(of, ", "))
	}
	return found[0], nil
}

// one is a resource that has to be there.
func (c *cluster) one(ctx context.Context, kind, name string) (*unstructured.Unstructured, error) {
	u, err := c.get(ctx, kind, name)
	if err == nil && u == nil {
		err = c.nothing(ctx, name)
	}
	return u, err
}

// get is a resource, or nil.
func (c *cluster) get(ctx context.Context, kind, name string) (*unstructured.Unstructured, error) {
	k, _ := kinds.Of(kind)
	u, there, err := c.Get(ctx, kube.Object{Resource: k.Resource, Namespace: c.namespace, Name: name})
	if err != nil {
		return nil, &Exit{CodeError, err}
	}
	if !there {
		return nil, nil
	}
	return u, nil
}

// nothing is the error for a name that is not there, or a cluster without the kinds.
func (c *cluster) nothing(ctx context.Context, name string) error {
	_, err := c.List(ctx, kube.Query{Resource: v1beta1.FlinkDeploymentGVR, Namespace: c.namespace, Limit: 1})
	if apierrors.IsNotFound(err) {
		return errNoKinds
	}
	return failed("no resource is named %s in namespace %s: kn flink list -A shows all", name, c.namespace)
}

var errNoKinds = &Exit{CodeError, fmt.Errorf("the cluster has no FlinkDeployment: apply the CRDs of kn-flink, or " +
	"of the Java operator")}

// seen reads what belongs to a resource.
func (c *cluster) seen(ctx context.Context, object *unstructured.Unstructured, now view.Clock) view.Seen {
	of := view.FamilyOf(object)
	seen := view.Seen{Resource: object, Now: now()}
	for _, kind := range of.Kinds {
		k, _ := kinds.Of(kind)
		seen.Related = append(seen.Related, c.optional(ctx, kube.Query{
			Resource: k.Resource, Namespace: object.GetNamespace(),
		}, of.Has)...)
	}
	if of.Cluster != "" {
		seen.Pods = listed[corev1.Pod](ctx, c, kube.Query{
			Resource: kube.Pods, Namespace: object.GetNamespace(), Labels: "app=" + of.Cluster,
		}, func(*unstructured.Unstructured) bool { return true })
	}
	seen.Events = listed[corev1.Event](ctx, c, kube.Query{Resource: kube.Events, Namespace: object.GetNamespace()},
		func(e *unstructured.Unstructured) bool { return of.Speaks(e, seen.Related) })
	seen.Unreadable = c.unreadable
	return seen
}

// listed are the wanted objects of a list as their type. What cannot be read is noted.
func listed[T any](
	ctx context.Context, c *cluster, q kube.Query, wanted func(*unstructured.Unstructured) bool,
) (all []T) {
	for _, u := range c.optional(ctx, q, wanted) {
		var one T
		if err := kube.Typed(u, &one); err != nil {
			c.cannot(q, err)
			continue
		}
		all = append(all, one)
	}
	return all
}
