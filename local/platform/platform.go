package platform

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/local/flink/images"
	"github.com/kn-flink/kn-flink/local/mesh"
	"github.com/kn-flink/kn-flink/local/node"
)

// Options say how a platform starts. Dir and Checkout are needed.
type Options struct {
	// Dir is the state directory. What an earlier start left in it goes on; an empty one starts clean.
	Dir string
	// Checkout is the root of the module: its config/ is installed and its functions are built.
	Checkout string
	// Jobs is a directory of Java sources of example jobs, put into every Flink image. Empty: none.
	Jobs string
	// Progress is told what goes on: a step, and how much of it is done, in bytes or, with a total of 0, not counted. Nil:
	// nobody is told. It must not block.
	Progress func(step string, done, total int64)
	// Faults make the mesh worse than Knative.
	Faults mesh.Faults
}

// Platform is a running platform.
type Platform struct {
	options Options
	plane   *controlplane.ControlPlane
	node    *node.Node
	mesh    *mesh.Mesh
	failed  chan error
	stop    sync.Once
	stopErr error
}

// Start returns when the operator is installed and its functions are ready. Cancelling ctx ends the start, not the platform:
// that is Stop. A process can start one platform.
func Start(ctx context.Context, options Options) (*Platform, error) {
	p := &Platform{options: options, failed: make(chan error, 1)}
	if p.options.Progress == nil {
		p.options.Progress = func(string, int64, int64) {}
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"state directory", p.prepare},
		{"control plane", p.startControlPlane},
		{"node", p.startNode},
		{"mesh", p.startMesh},
	} {
		p.options.Progress(step.name, 0, 0)
		if err := step.do(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("start the platform, %s: %w", step.name, err), p.Stop())
		}
	}
	return p, nil
}

func (p *Platform) prepare(context.Context) error {
	var err error
	if p.options.Checkout, err = filepath.Abs(p.options.Checkout); err != nil {
		return err
	}
	p.options.Dir, err = filepath.Abs(p.options.Dir)
	return err
}

func (p *Platform) startControlPlane(ctx context.Context) error {
	var err error
	p.plane, err = controlplane.Start(ctx, controlplane.Options{Dir: p.options.Dir})
	return err
}

func (p *Platform) startNode(ctx context.Context) error {
	var err error
	cache := flink.Cache{Jobs: p.options.Jobs, Progress: p.options.Progress}
	p.node, err = node.Start(ctx, node.Options{ControlPlane: p.plane, Images: images.Images{Cache: cache}})
	return err
}

func (p *Platform) startMesh(ctx context.Context) error {
	var err error
	p.mesh, err = mesh.Start(ctx, mesh.Options{ControlPlane: p.plane, Node: p.node, Checkout: p.options.Checkout, Faults: p.options.Faults})
	return err
}

// Stop ends everything and returns when no process is left. It may be called more than once.
func (p *Platform) Stop() error {
	p.stop.Do(func() {
		var errs []error
		if p.mesh != nil {
			errs = append(errs, p.mesh.Stop())
		}
		if p.node != nil {
			errs = append(errs, p.node.Stop())
		}
		if p.plane != nil {
			errs = append(errs, p.plane.Stop())
		}
		p.stopErr = errors.Join(errs...)
	})
	return p.stopErr
}

// Failed delivers the error of the first part that ended by itself, with the last lines of its log.
func (p *Platform) Failed() <-chan error { return p.failed }

// Kubeconfig is the path of the administrator's kubeconfig.
func (p *Platform) Kubeconfig() string { return p.plane.Kubeconfig() }

// Config is the administrator's client configuration. Each call returns a copy.
func (p *Platform) Config() *rest.Config { return p.plane.Config() }

// Mesh is what runs the functions.
func (p *Platform) Mesh() *mesh.Mesh { return p.mesh }

// Node is what runs the pods; its Lookup and DialContext reach Services by name.
func (p *Platform) Node() *node.Node { return p.node }
