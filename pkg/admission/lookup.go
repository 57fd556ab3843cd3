package admission

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// lookupTimeout bounds one lookup. The API server gives a review 20 s, of which a cold start may take most; what is not
// known after this is judged by the next pass.
const lookupTimeout = 2 * time.Second

// Reader reads one object by name. kube.Client has it.
type Reader interface {
	// Get returns found false when the API server says that there is none.
	Get(ctx context.Context, o kube.Object) (u *unstructured.Unstructured, found bool, err error)
}

// Resolver returns the addresses of a host name, as net.Resolver.LookupNetIP does for network "ip".
type Resolver func(ctx context.Context, host string) ([]netip.Addr, error)

// DNS is the Resolver of the machine.
func DNS(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// Lookup finds what a spec refers to. What is not there is Absent; a failure of whatever kind is Unknown, which denies
// nothing. The zero value looks nowhere, so that everything is Unknown.
type Lookup struct {
	// Reader reads resources; nil reads none.
	Reader Reader
	// Resolver resolves hosts; nil resolves none.
	Resolver Resolver
	// Proxied reports whether a URI is asked for through a proxy, which resolves its host then; nil: none is.
	Proxied func(uri string) bool
}

// cluster returns the session cluster of that name, or nil when there is none or it could not be read.
func (l Lookup) cluster(ctx context.Context, namespace, name string) *v1beta1.FlinkDeployment {
	u, presence := l.get(ctx, v1beta1.FlinkDeploymentGVR, namespace, name)
	if presence != validation.Present {
		return nil
	}
	cluster := &v1beta1.FlinkDeployment{}
	if err := kube.Typed(u, cluster); err != nil {
		return nil // unreadable is unknown
	}
	return cluster
}

// target says whether the job of a snapshot exists.
func (l Lookup) target(ctx context.Context, namespace string, reference v1beta1.JobReference) validation.Presence {
	resource := v1beta1.FlinkDeploymentGVR
	switch reference.Kind {
	case v1beta1.JobKindFlinkDeployment:
	case v1beta1.JobKindFlinkSessionJob:
		resource = v1beta1.FlinkSessionJobGVR
	default:
		return validation.Unknown
	}
	_, presence := l.get(ctx, resource, namespace, reference.Name)
	return presence
}

func (l Lookup) get(
	ctx context.Context, resource schema.GroupVersionResource, namespace, name string,
) (*unstructured.Unstructured, validation.Presence) {
	if l.Reader == nil || namespace == "" || name == "" {
		return nil, validation.Unknown
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	u, found, err := l.Reader.Get(ctx, kube.Object{Resource: resource, Namespace: namespace, Name: name})
	switch {
	case err != nil:
		return nil, validation.Unknown
	case !found:
		return nil, validation.Absent
	}
	return u, validation.Present
}

// ProxiedByEnvironment is the Proxied of the machine: HTTP_PROXY, HTTPS_PROXY and NO_PROXY, as the download has them. A
// proxy whose URL is not valid counts: the download says so.
func ProxiedByEnvironment(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil {
		return false
	}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u})
	return proxy != nil || err != nil
}

// jarHost resolves the host of a jar, where the policy wants that known and no proxy does it.
func (l Lookup) jarHost(ctx context.Context, policy validation.JarPolicy, jarURI string) validation.JarHost {
	host := policy.LookupHost(jarURI)
	if l.Resolver == nil || host == "" || l.Proxied != nil && l.Proxied(jarURI) {
		return validation.JarHost{}
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	addresses, err := l.Resolver(ctx, host)
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return validation.JarHost{Presence: validation.Absent}
	case err != nil:
		return validation.JarHost{}
	}
	return validation.JarHost{Presence: validation.Present, Addresses: addresses}
}
