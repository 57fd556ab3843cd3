package mesh

import (
	"context"
	"path/filepath"
	"time"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/node"
)

// Function is what one Knative Service does at a moment.
type Function struct {
	// Namespace and Name are the Service's.
	Namespace, Name string
	// Replicas is how many pods of it are ready.
	Replicas int
	// Starting is whether a request waits for a pod.
	Starting bool
	// Served counts the requests that were answered, InFlight those that are not yet.
	Served, InFlight int
	// LastRequest is when the last one came. Zero: none did.
	LastRequest time.Time
	// LogFile is the log of the newest pod, in the format of container runtimes. Empty: there was none.
	LogFile string
}

// Options say what a mesh works with. ControlPlane, Node and Checkout are needed.
type Options struct {
	ControlPlane *controlplane.ControlPlane
	Node         *node.Node
	// Checkout is the root of the module whose ko:// images are built.
	Checkout string
	// Faults make it worse than Knative. The zero value does not.
	Faults Faults
}

// Mesh is what stands for Knative.
type Mesh struct {
	options Options
	failed  chan error
}

// Start returns when sources, Brokers and functions can work.
func Start(_ context.Context, options Options) (*Mesh, error) {
	return &Mesh{options: options, failed: make(chan error, 1)}, nil
}

// Stop ends it.
func (m *Mesh) Stop() error { return nil }

// Failed delivers the error of the first part that ended by itself.
func (m *Mesh) Failed() <-chan error { return m.failed }

// Functions are all Knative Services, by namespace and name.
func (m *Mesh) Functions() []Function { return nil }

// LogFile has the log lines of Knative's parts.
func (m *Mesh) LogFile() string {
	return filepath.Join(m.options.ControlPlane.Dir(), "log", "mesh.log")
}
