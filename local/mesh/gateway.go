package mesh

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/kn-flink/kn-flink/local/mesh/eventing"
)

const (
	suffix = ".svc.cluster.local"
	// kourier is what a Service selects that leads to Kourier's gateway.
	kourier = "3scale-kourier-gateway"
)

// gateway is one server for every host that is not a pod: Eventing's parts, Knative Services, and by TLS what
// DomainMappings map.
type gateway struct {
	mesh        *Mesh
	client      kubernetes.Interface
	dynamic     dynamic.Interface
	plain, safe net.Listener
	servers     []*http.Server
	serving     sync.WaitGroup
}

func (m *Mesh) listen() (*gateway, error) {
	g := &gateway{mesh: m}
	var err error
	if g.client, err = kubernetes.NewForConfig(m.options.ControlPlane.Config()); err != nil {
		return nil, err
	}
	if g.dynamic, err = dynamic.NewForConfig(m.options.ControlPlane.Config()); err != nil {
		return nil, err
	}
	on := m.options.ControlPlane.Network()
	if g.plain, err = on.Listen(on.Server(), 8080); err != nil {
		return nil, err
	}
	if g.safe, err = on.Listen(on.Server(), 8443); err != nil {
		return nil, errors.Join(err, g.plain.Close())
	}
	for _, listener := range []net.Listener{
		g.plain, tls.NewListener(g.safe, &tls.Config{GetCertificate: g.certificate, NextProtos: []string{"http/1.1"}}),
	} {
		server := &http.Server{
			Handler: g, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(m.log, "gateway ", log.LstdFlags),
		}
		g.servers = append(g.servers, server)
		g.serving.Go(func() {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				select {
				case m.failed <- fmt.Errorf("the mesh's gateway ended by itself: %w (log: %s)", err, m.LogFile()):
				default: // an earlier failure is told already
				}
			}
		})
	}
	return g, nil
}

func (g *gateway) close() error {
	var errs []error
	for _, s := range g.servers {
		errs = append(errs, s.Close())
	}
	g.serving.Wait()
	return errors.Join(errs...)
}

// ServeHTTP hands a request to whom its host names.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := strings.TrimSuffix(strings.ToLower(hostOf(r.Host)), ".")
	if r.TLS != nil {
		namespace, name, err := g.mapped(r.Context(), host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		host = name + "." + namespace + suffix
	}
	handler := g.mesh.handler(host)
	if handler == nil {
		http.NotFound(w, r)
		return
	}
	handler.ServeHTTP(w, r)
}

func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

// handler is what a host's requests go to, nil if it is no host of the mesh.
func (m *Mesh) handler(host string) http.Handler {
	if !strings.HasSuffix(host, suffix) {
		if host = strings.TrimSuffix(host, ".svc") + suffix; strings.Count(strings.TrimSuffix(host, suffix), ".") != 1 {
			return nil
		}
	}
	if m.eventing != nil {
		if h := m.eventing.Handler(host); h != nil {
			if eventing.IsIngress(host) {
				return m.trouble.wrap(h)
			}
			return h
		}
	}
	name, namespace, _ := strings.Cut(strings.TrimSuffix(host, suffix), ".")
	if m.serving != nil {
		return m.serving.Handler(namespace, name)
	}
	return nil
}

var domainMappings = schema.GroupVersionResource{
	Group: "serving.knative.dev", Version: "v1beta1", Resource: "domainmappings",
}

// mapping finds the DomainMapping of a host. They are few and asked for seldom.
func (g *gateway) mapping(ctx context.Context, host string) (*unstructured.Unstructured, error) {
	list, err := g.dynamic.Resource(domainMappings).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + host})
	if err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		return nil, fmt.Errorf("no DomainMapping is named %s", host)
	}
	return &list.Items[0], nil
}

// mapped is the Knative Service that a host is mapped to.
func (g *gateway) mapped(ctx context.Context, host string) (namespace, name string, err error) {
	m, err := g.mapping(ctx, host)
	if err != nil {
		return "", "", err
	}
	name, _, err = unstructured.NestedString(m.Object, "spec", "ref", "name")
	return m.GetNamespace(), name, err
}

// certificate is the one in the Secret that the host's DomainMapping names, as it is now.
func (g *gateway) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	m, err := g.mapping(hello.Context(), hello.ServerName)
	if err != nil {
		return nil, err
	}
	name, _, err := unstructured.NestedString(m.Object, "spec", "tls", "secretName")
	if err != nil {
		return nil, err
	}
	secret, err := g.client.CoreV1().Secrets(m.GetNamespace()).Get(hello.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
	return &pair, err
}

// resolve says where an address of the cluster is on this machine:
//
//	host                                        | port | where
//	one that options.Hosts knows                |      | as it says
//	a ClusterIP                                 |      | as the name of its Service
//	a name of Eventing's or of a Knative Service | 80  | the gateway
//	a Service that selects Kourier's gateway    | 443  | the gateway, TLS
//	any other Service                           |      | one of its pods, same port
//	else                                        |      | as it is
func (m *Mesh) resolve(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	host = strings.ToLower(host)
	if m.options.Hosts != nil {
		if there, known := m.options.Hosts(host); known {
			return there
		}
	}
	if net.ParseIP(host) != nil {
		if host = m.nameOf(host); host == "" {
			return address
		}
	}
	if port == "80" && m.handler(host) != nil {
		return m.gateway.plain.Addr().String()
	}
	if port == "443" && m.isKourier(host) {
		return m.gateway.safe.Addr().String()
	}
	if found := m.options.Node.Lookup(host); len(found) > 0 {
		return net.JoinHostPort(found[0], port)
	}
	return net.JoinHostPort(host, port)
}

func (m *Mesh) nameOf(clusterIP string) string {
	all, err := m.services.List(labels.Everything())
	if err != nil {
		return "" // a lister of a cache has no errors
	}
	for _, s := range all {
		if s.Spec.ClusterIP == clusterIP {
			return s.Name + "." + s.Namespace + suffix
		}
	}
	return ""
}

func (m *Mesh) isKourier(host string) bool {
	parts := strings.SplitN(host, ".", 3)
	if len(parts) < 2 {
		return false
	}
	s, err := m.services.Services(parts[1]).Get(parts[0])
	return err == nil && s.Spec.Selector["app"] == kourier
}

// nameDefaultTransport lets Knative's code, which knows no other transport, find the cluster's names. It returns what
// undoes it.
func (m *Mesh) nameDefaultTransport() func() {
	before := http.DefaultTransport
	named, ok := before.(*http.Transport)
	if !ok {
		return func() {}
	}
	named = named.Clone()
	proxy := named.Proxy
	named.DialContext = m.options.Network.DialContext
	named.Proxy = func(r *http.Request) (*url.URL, error) {
		if proxy == nil || strings.HasSuffix(r.URL.Hostname(), suffix) {
			return nil, nil
		}
		return proxy(r)
	}
	http.DefaultTransport = named
	return func() {
		http.DefaultTransport = before
		named.CloseIdleConnections()
	}
}
