package mesh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listersv1 "k8s.io/client-go/listers/core/v1"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/mesh/eventing"
	"github.com/kn-flink/kn-flink/local/mesh/ko"
	"github.com/kn-flink/kn-flink/local/mesh/network"
	"github.com/kn-flink/kn-flink/local/mesh/serving"
	"github.com/kn-flink/kn-flink/local/node"
)

// Options say what a mesh works with. All but Hosts and Faults are needed.
type Options struct {
	ControlPlane *controlplane.ControlPlane
	Node         *node.Node
	// Network is the one whose Proxy the functions have and whose Egress the API server has.
	Network *network.Network
	// Images builds ko:// images; the Node has it, too.
	Images *ko.Builder
	// Hosts says where a host is, before Services are asked. Nil: it knows none.
	Hosts func(host string) (address string, known bool)
	// Faults make it worse than Knative. The zero value does not.
	Faults Faults
}

// Mesh is what stands for Knative. Safe for concurrent use.
type Mesh struct {
	options    Options
	log        *logFile
	services   listersv1.ServiceLister
	serving    *serving.Server
	eventing   *eventing.Eventing
	gateway    *gateway
	trouble    *trouble
	cancel     context.CancelFunc
	endDomains func()
	failed     chan error
	restore    func()
	stop       sync.Once
	stopErr    error
}

// Start installs Knative's kinds and returns when sources, Brokers and functions work: those that are there, and those
// to come. Cancelling ctx ends the start, not the mesh.
func Start(ctx context.Context, options Options) (*Mesh, error) {
	m := &Mesh{options: options, failed: make(chan error, 1)}
	m.trouble = newTrouble(options.Faults, options.Node.Kill)
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"log", m.openLog},
		{"kinds", m.installKinds},
		{"names of Services", m.watchServices},
		{"gateway", m.startGateway},
		{"domains", m.watchDomains},
		{"serving", m.startServing},
		{"eventing", m.startEventing},
	} {
		if err := step.do(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("start mesh, %s: %w", step.name, err), m.Stop())
		}
	}
	return m, nil
}

func (m *Mesh) openLog(context.Context) (err error) {
	m.log, err = openLogFile(m.LogFile())
	return err
}

// watchServices knows which name a ClusterIP has.
func (m *Mesh) watchServices(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(m.options.ControlPlane.Config())
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	factory := informers.NewSharedInformerFactory(client, 0)
	m.services = factory.Core().V1().Services().Lister()
	factory.Core().V1().Services().Informer()
	factory.Start(running.Done())
	for kind, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return fmt.Errorf("no list of %s in time", kind)
		}
	}
	return nil
}

func (m *Mesh) startGateway(context.Context) error {
	var err error
	if m.gateway, err = m.listen(); err != nil {
		return err
	}
	m.options.Network.SetResolve(m.resolve)
	m.restore = m.nameDefaultTransport()
	return nil
}

func (m *Mesh) startServing(ctx context.Context) error {
	var err error
	m.serving, err = serving.Start(ctx, serving.Options{
		Config: m.options.ControlPlane.Config(), Image: m.options.Images.Resolve, Kill: m.trouble.aim, Log: m.log,
	})
	return err
}

func (m *Mesh) startEventing(ctx context.Context) error {
	var err error
	m.eventing, err = eventing.Start(ctx, eventing.Options{
		Config: m.options.ControlPlane.Config(), ServiceAccount: m.options.ControlPlane.ServiceAccountConfig, Log: m.log,
	})
	return err
}

// Stop ends sources, Brokers, then what holds requests. Pods are the node's to end. It may be called more than once.
func (m *Mesh) Stop() error {
	m.stop.Do(func() {
		if m.eventing != nil {
			m.eventing.Stop()
		}
		if m.serving != nil {
			m.serving.Stop()
		}
		if m.endDomains != nil {
			m.endDomains()
		}
		if m.gateway != nil {
			m.stopErr = errors.Join(m.stopErr, m.gateway.close())
		}
		m.trouble.end()
		if m.restore != nil {
			m.restore()
		}
		if m.cancel != nil {
			m.cancel()
		}
		if m.log != nil {
			m.stopErr = errors.Join(m.stopErr, m.log.Close())
		}
	})
	return m.stopErr
}

// Failed delivers the error of the first part that ended by itself.
func (m *Mesh) Failed() <-chan error { return m.failed }

// LogFile has the log lines of Knative's parts.
func (m *Mesh) LogFile() string {
	return filepath.Join(m.options.ControlPlane.Dir(), "log", "mesh.log")
}

// SetFaults makes it better or worse from now on; the random numbers begin again.
func (m *Mesh) SetFaults(f Faults) { m.trouble.set(f) }

// Counts are the events that came to Brokers so far, and their faults.
func (m *Mesh) Counts() Counts { return m.trouble.count() }

// Function is what one Knative Service does at a moment.
type Function struct {
	// Namespace and Name are the Service's.
	Namespace, Name string
	// Replicas is how many pods of it answer.
	Replicas int
	// Starting is whether a pod is wanted and none answers yet.
	Starting bool
	// Served counts the requests that were answered, InFlight those that are not yet.
	Served, InFlight int
	// LastRequest is when the last one came. Zero: none did.
	LastRequest time.Time
	// LogFile is the log of the newest pod, in the format of container runtimes. Empty: there is no pod.
	LogFile string
}

// Functions are all Knative Services, by namespace and name.
func (m *Mesh) Functions() []Function {
	var out []Function
	for _, s := range m.serving.States() {
		f := Function{
			Namespace: s.Namespace, Name: s.Name, Replicas: s.Pods, Starting: s.Wanted > 0 && s.Pods == 0,
			Served: s.Served, InFlight: s.InFlight, LastRequest: s.LastRequest,
		}
		if s.Newest != nil {
			pod := s.Newest.Namespace + "_" + s.Newest.Name + "_" + string(s.UID)
			f.LogFile = filepath.Join(m.options.Node.Logs(), pod, serving.Container, strconv.Itoa(int(s.Restarts))+".log")
		}
		out = append(out, f)
	}
	return out
}

var _ http.Handler = (*gateway)(nil)
