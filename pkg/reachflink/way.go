package reachflink

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// patience bounds one call: a terminal shows what it has rather than wait.
const patience = 5 * time.Second

// maxRefusal bounds what is read of an answer that is no success, in bytes.
const maxRefusal = 64 << 10

// Way reaches JobManagers. Safe for concurrent use. Close ends its port-forwards.
type Way struct {
	config *rest.Config
	api    *http.Client
	base   *url.URL
	pods   Pods
	// forward makes a port-forward; a test has its own.
	forward func(Pod, int) (*Tunnel, error)

	mu sync.Mutex
	// tunnels are the open ones, by host of the REST Service; closed: none is made any more.
	tunnels map[string]*Tunnel
	missing []string
}

// New makes a Way with the user's configuration. It does not connect.
func New(config *rest.Config, pods Pods) (*Way, error) {
	config = rest.CopyConfig(config)
	api, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("read the address of the API server: %w", err)
	}
	w := &Way{config: config, api: api, base: base, pods: pods, tunnels: map[string]*Tunnel{}}
	w.forward = func(p Pod, port int) (*Tunnel, error) { return Forward(config, p, 0, port) }
	return w, nil
}

// Connect is a gather.Connect.
func (w *Way) Connect(at plan.Endpoint) (*flinkrest.Client, error) {
	return flinkrest.New(flinkrest.Options{
		BaseURL: at.URL, Timeout: min(patience, cmp.Or(at.Timeout, patience)),
		Wrap: func(http.RoundTripper) http.RoundTripper { return w },
	})
}

// Client is one of the JobManager of a cluster, by its name and the port of its REST interface.
func (w *Way) Client(namespace, cluster string, port int, tls bool) (*flinkrest.Client, error) {
	scheme := "http"
	if tls {
		scheme = "https"
	}
	return w.Connect(plan.Endpoint{URL: fmt.Sprintf("%s://%s-rest.%s.svc:%d", scheme, cluster, namespace, port)})
}

// Missing are the rights that were missing on the way, in words.
func (w *Way) Missing() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.missing...)
}

// Close ends the port-forwards.
func (w *Way) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.tunnels {
		t.Close()
	}
	clear(w.tunnels)
}

// target is the Service that a URL of an endpoint names.
type target struct {
	scheme, service, namespace, port string
}

func targetOf(u *url.URL) (target, error) {
	name, rest, _ := strings.Cut(u.Hostname(), ".")
	namespace, _, _ := strings.Cut(rest, ".")
	if name == "" || namespace == "" || u.Port() == "" {
		return target{}, fmt.Errorf("%s is no Service of a namespace with a port", u.Host)
	}
	return target{u.Scheme, name, namespace, u.Port()}, nil
}

// RoundTrip sends one GET to Flink through the API server:
//
//	services/proxy                        then
//	Flink answers                         its answer
//	it leads nowhere, or is forbidden     a port-forward
//	that is forbidden, too, or fails      an error that names both
func (w *Way) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet || strings.Contains(r.URL.Path, "yarn-") {
		return nil, fmt.Errorf("%s %s changes something: this way only reads", r.Method, r.URL.Path)
	}
	to, err := targetOf(r.URL)
	if err != nil {
		return nil, err
	}
	if t := w.open(r.URL.Host); t != nil {
		answer, err := t.RoundTrip(r)
		if err == nil {
			return answer, nil
		}
		w.forget(r.URL.Host, t)
	}
	answer, proxied := w.proxied(r, to)
	if proxied == nil {
		return answer, nil
	}
	answer, err = w.tunnelled(r, to)
	if err != nil {
		return nil, fmt.Errorf("services/proxy: %w; port-forward: %w", proxied, err)
	}
	return answer, nil
}

// proxied asks by services/proxy.
func (w *Way) proxied(r *http.Request, to target) (*http.Response, error) {
	service := to.service + ":" + to.port
	if to.scheme == "https" {
		service = "https:" + service
	}
	at := w.base.JoinPath("api/v1/namespaces", to.namespace, "services", service, "proxy")
	at.Path, at.RawPath, at.RawQuery = at.Path+r.URL.Path, at.EscapedPath()+r.URL.EscapedPath(), r.URL.RawQuery
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", r.Header.Get("Accept"))
	answer, err := w.api.Do(request)
	if err != nil {
		return nil, errors.New("the API server does not answer")
	}
	if answer.StatusCode < http.StatusBadRequest {
		return answer, nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxRefusal))
	answer.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if isFlinks(text) {
		answer.Body = io.NopCloser(bytes.NewReader(text))
		return answer, nil
	}
	if answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized {
		return nil, w.lacks("get services/proxy in namespace " + to.namespace)
	}
	return nil, fmt.Errorf("the API server answers %d for Service %s/%s", answer.StatusCode, to.namespace, to.service)
}

// isFlinks reports whether a refusal is Flink's own: it has a list of errors, which the API server's has not.
func isFlinks(text []byte) bool {
	var refusal struct {
		Kind   string   `json:"kind"`
		Errors []string `json:"errors"`
	}
	return json.Unmarshal(text, &refusal) == nil && refusal.Kind == "" && len(refusal.Errors) > 0
}

// lacks notes a right that is missing.
func (w *Way) lacks(right string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := "the right to " + right + " is missing"
	for _, m := range w.missing {
		if m == text {
			return errors.New(text)
		}
	}
	w.missing = append(w.missing, text)
	return errors.New(text)
}

func (w *Way) open(host string) *Tunnel {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tunnels[host]
}

func (w *Way) forget(host string, t *Tunnel) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.Close()
	if w.tunnels[host] == t {
		delete(w.tunnels, host)
	}
}

// tunnelled asks by a port-forward, which is kept for the next question.
func (w *Way) tunnelled(r *http.Request, to target) (*http.Response, error) {
	if to.scheme == "https" {
		return nil, errors.New("the JobManager speaks TLS, with certificates that this machine does not know")
	}
	t, err := w.tunnel(r, to)
	if err != nil {
		return nil, err
	}
	return t.RoundTrip(r)
}

func (w *Way) tunnel(r *http.Request, to target) (*Tunnel, error) {
	pod, err := w.pods.JobManager(r.Context(), to.namespace, strings.TrimSuffix(to.service, "-rest"))
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.tunnels[r.URL.Host]; t != nil {
		return t, nil
	}
	port, err := net.LookupPort("tcp", to.port)
	if err != nil {
		return nil, err
	}
	t, err := w.forward(pod, port)
	if err != nil {
		if forbidden(err) {
			err = fmt.Errorf("the right to create pods/portforward in namespace %s is missing", to.namespace)
			w.missing = append(w.missing, err.Error())
		}
		return nil, err
	}
	w.tunnels[r.URL.Host] = t
	return t, nil
}
