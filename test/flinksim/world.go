package flinksim

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	clientrest "k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/flinksim/rest"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// World is a Kubernetes cluster with Flink in it, in which nothing happens but by Step. Make it with NewWorld. Clients
// may call it at the same time; Step, Settle and the scripts belong to one goroutine.
type World struct {
	// T is the test.
	T testing.TB
	// Clock is the simulated time. Step does not move it, Tick does.
	Clock *kubesim.Clock
	// Tap records and breaks the requests of clients, to Kubernetes and to Flink.
	Tap *wire.Tap
	// Kube is the API server. Its Feed holds the events.
	Kube *kubesim.Server
	// Nodes are the controllers and kubelets; its Script says what happens to images.
	Nodes *controllers.Controllers
	// Flink are the JobManagers.
	Flink *process.Flink
	// Storage is where snapshots lie.
	Storage *job.Storage
	// TLS is what JobManagers with security.ssl.rest.enabled serve REST with, by World.Dial. Nil: no job of the test asks
	// for it.
	TLS *tls.Config

	listener *listener
	face     wire.System
}

// NewWorld makes an empty world: three namespaces, one node, nothing in it.
func NewWorld(t testing.TB) *World {
	t.Helper()
	w := &World{T: t, Clock: kubesim.NewClock(), Tap: wire.New(), Storage: job.NewStorage()}
	w.Kube = kubesim.New(t, w.Clock, w.Tap)
	w.Flink = process.New(t, w.Kube, w.Storage)
	w.Nodes = controllers.New(t, w.Kube, w.Flink)
	w.Flink.SetDown(w.Nodes.IsDown)
	w.face = rest.System(w.Flink)
	w.listener = listen(t, w.Tap.Handler(w.face))
	return w
}

// Step moves Kubernetes and then Flink by one step and says whether anything that a client can see changed.
func (w *World) Step() bool {
	before, version := w.Flink.Fingerprint(), w.Kube.Version()
	w.Nodes.Step()
	w.Flink.Step()
	for _, exit := range w.Flink.Exits() {
		w.Nodes.Exit(exit.Pod.Namespace, exit.Pod.Name, exit.Message)
	}
	return w.Kube.Version() != version || w.Flink.Fingerprint() != before
}

// Tick moves the clock and then takes one Step.
func (w *World) Tick(d time.Duration) bool {
	w.Clock.Advance(d)
	return w.Step()
}

// settleSteps is far more than the longest cascade takes.
const settleSteps = 100

// Settle takes Steps until nothing changes any more, with the clock standing still.
func (w *World) Settle() {
	w.T.Helper()
	for range settleSteps {
		if !w.Step() {
			return
		}
	}
	w.T.Fatalf("flinksim: the world does not come to rest within %d steps", settleSteps)
}

// Config is a Kubernetes client configuration for the client of that name. The name tells clients apart in the Tap.
func (w *World) Config(agent string) *clientrest.Config { return w.Kube.Config(agent) }

// Dynamic is a dynamic client for the client of that name.
func (w *World) Dynamic(agent string) dynamic.Interface { return w.Kube.Dynamic(agent) }

// Transport is a way to all JobManagers for the client of that name, in memory.
func (w *World) Transport(agent string) http.RoundTripper {
	return reachable{w, agent, w.Tap.Transport(w.face, agent)}
}

type reachable struct {
	world *World
	agent string
	inner http.RoundTripper
}

// RoundTrip looks for a listener, as a dial would, before the request goes out.
func (r reachable) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := r.world.reach(r.agent, request.URL.Host); err != nil {
		return nil, err
	}
	return r.inner.RoundTrip(request)
}

// Dial is the dialer of the client of that name, for clients that bring their own http.Transport. Names resolve as in
// the cluster: <service>.<namespace>, with or without .svc and what follows. One with security.ssl.rest.enabled serves
// TLS, and redirects plain http to it.
func (w *World) Dial(agent string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, _, address string) (net.Conn, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := w.reach(agent, address); err != nil {
			return nil, err
		}
		var secured *tls.Config
		if w.Flink.Secured(address) {
			if secured = w.TLS; secured == nil {
				w.T.Errorf("flinksim: %s serves TLS: set World.TLS", address)
			}
		}
		return w.listener.dial(ctx, tagged{agent: agent, address: address}, secured)
	}
}

// reach says why no connection comes about: no such Service, nobody behind it, or a client that is dead.
func (w *World) reach(agent, address string) error {
	if w.Tap.Dead(agent) {
		return wire.Refused
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	switch known, ready := w.Flink.Reach(address); {
	case !known:
		return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
	case !ready:
		return wire.Refused
	case w.Flink.Hangs(address):
		return wire.Timeout
	}
	return nil
}

// Host is the address under which the JobManager of a cluster answers, with the default REST port.
func Host(namespace, id string) string { return fmt.Sprintf("%s-rest.%s.svc:8081", id, namespace) }
