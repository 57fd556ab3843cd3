package reachflink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
)

// Pod names a pod.
type Pod struct {
	// Namespace and Name are the pod's.
	Namespace, Name string
}

// Pods finds the pod of a JobManager.
type Pods interface {
	// JobManager is a pod that is ready of the JobManager of a cluster; an error where there is none, or it cannot be
	// read.
	JobManager(ctx context.Context, namespace, cluster string) (Pod, error)
}

// Tunnel is a port-forward from this machine to a pod.
type Tunnel struct {
	// Pod is where it leads.
	Pod Pod
	// Port is the one on this machine.
	Port int
	// Done is closed when it has ended, by Close or because the pod or the way to it is gone.
	Done <-chan struct{}

	close func()
	http  http.RoundTripper
}

// Forward listens on a port of this machine, 0 for any that is free, and leads to a port of a pod.
func Forward(config *rest.Config, pod Pod, local, port int) (*Tunnel, error) {
	dialer, err := dialerFor(config, pod)
	if err != nil {
		return nil, err
	}
	stop, ready, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	ports := []string{strconv.Itoa(local) + ":" + strconv.Itoa(port)}
	forwarder, err := portforward.NewOnAddresses(
		dialer, []string{"127.0.0.1"}, ports, stop, ready, io.Discard, io.Discard,
	)
	if err != nil {
		return nil, fmt.Errorf("forward a port to pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	var failed error
	go func() {
		defer close(done)
		failed = forwarder.ForwardPorts()
	}()
	t := &Tunnel{Pod: pod, Done: done, close: sync.OnceFunc(func() { close(stop) })}
	select {
	case <-ready:
	case <-done:
		return nil, fmt.Errorf("forward a port to pod %s/%s: %w", pod.Namespace, pod.Name, cmpErr(failed))
	}
	open, err := forwarder.GetPorts()
	if err != nil {
		t.Close()
		return nil, err
	}
	t.Port = int(open[0].Local)
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(t.Port))
	t.http = &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	return t, nil
}

func cmpErr(err error) error {
	if err == nil {
		return errors.New("it ended at once")
	}
	return err
}

// dialerFor opens the connection as kubectl does: by WebSocket, or by SPDY where the API server has no other.
func dialerFor(config *rest.Config, pod Pod) (httpstream.Dialer, error) {
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("read the address of the API server: %w", err)
	}
	at := base.JoinPath("api/v1/namespaces", pod.Namespace, "pods", pod.Name, "portforward")
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	older := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, at)
	newer, err := portforward.NewSPDYOverWebsocketDialer(at, config)
	if err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", config.Host, err)
	}
	return portforward.NewFallbackDialer(newer, older, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	}), nil
}

// forbidden reports whether a port-forward was refused for a missing right. The upgrade of a connection has no typed
// errors.
func forbidden(err error) bool {
	return strings.Contains(strings.ToLower(err.Error()), "forbidden")
}

// RoundTrip sends a request through it, whatever host the URL names.
func (t *Tunnel) RoundTrip(r *http.Request) (*http.Response, error) { return t.http.RoundTrip(r) }

// Close ends it.
func (t *Tunnel) Close() {
	t.close()
	if transport, is := t.http.(*http.Transport); is {
		transport.CloseIdleConnections()
	}
}
