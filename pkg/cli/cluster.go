package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/look"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// cluster is the API server as the user sees it.
type cluster struct {
	*look.Reader

	config    *rest.Config
	namespace string
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
	return &cluster{&look.Reader{Client: client, Verbose: p.verbose}, config, namespace}, nil
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
