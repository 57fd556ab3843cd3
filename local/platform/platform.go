package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/local/atexit"
	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/local/flink/images"
	"github.com/kn-flink/kn-flink/local/loopback"
	"github.com/kn-flink/kn-flink/local/mesh"
	"github.com/kn-flink/kn-flink/local/mesh/ko"
	"github.com/kn-flink/kn-flink/local/mesh/network"
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
	// Settings are more lines for config.yaml of the operator's settings, where the state directory has none yet. Empty:
	// those of config/knative.
	Settings string
	// Progress is told what goes on: a step, and how much of it is done, in bytes or, with a total of 0, not counted.
	// Nil: nobody is told. It must not block.
	Progress func(step string, done, total int64)
	// Faults make the mesh worse than Knative.
	Faults mesh.Faults
	// Stock makes the objects that are to be there before anything of Kubernetes or of the operator moves; the operator's
	// kinds are known. Nil: there are none.
	Stock func(ctx context.Context, config *rest.Config) error
	// Hosts says where a host of the cluster's network is, before Services are asked. Nil: it knows none.
	Hosts func(host string) (address string, known bool)
	// Filter is put around all that the API server serves. Nil: nothing is.
	Filter func(http.Handler) http.Handler
	// GCPercent is how much heap this process may fill anew, in percent of what is in use, until it collects garbage. Zero:
	// half as much as Go's standard, to fit beside Flink on a laptop.
	GCPercent int
	// Stderr is where the ends of the logs go when this process ends without Stop. Nil: standard error.
	Stderr *os.File
}

// frugal is the GCPercent of a laptop.
const frugal = 50

// Platform is a running platform.
type Platform struct {
	options   Options
	loopback  *loopback.Network
	network   *network.Network
	images    *ko.Builder
	plane     *controlplane.ControlPlane
	node      *node.Node
	mesh      *mesh.Mesh
	installer *installer
	kinds     bool // are installed
	built     chan built
	endBuild  func() // returns when nothing is being built
	testament *atexit.Script
	failed    chan error
	stopping  chan struct{}
	stop      sync.Once
	stopErr   error
}

// built is config/knative with its images.
type built struct {
	objects []*unstructured.Unstructured
	err     error
}

// Start returns when the operator is installed, its functions and its webhook work, and jobs can run in namespace
// default. Cancelling ctx ends the start, not the platform: that is Stop. A process can start one platform.
func Start(ctx context.Context, options Options) (*Platform, error) {
	p := &Platform{
		options: options, failed: make(chan error, 1), stopping: make(chan struct{}), built: make(chan built, 1),
	}
	if p.options.Progress == nil {
		p.options.Progress = func(string, int64, int64) {}
	}
	if p.options.Stderr == nil {
		p.options.Stderr = os.Stderr
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"state directory", p.prepare},
		{"control plane", p.startControlPlane},
		{"node", p.startNode},
		{"mesh", p.startMesh},
		{"custom resource definitions", p.installKinds},
		{"build the functions", p.installOperator},
		{"tenant default", func(ctx context.Context) error { return p.Tenant(ctx, "default") }},
	} {
		p.options.Progress(step.name, 0, 0)
		if err := step.do(ctx); err != nil {
			err = fmt.Errorf("start the platform, %s: %w", step.name, err)
			return nil, errors.Join(err, p.lastLines(), p.Stop())
		}
	}
	return p, nil
}

// prepare makes what the parts share, and begins to build the functions: that takes longest when nothing is cached.
func (p *Platform) prepare(ctx context.Context) error {
	var err error
	if p.options.Checkout, err = filepath.Abs(p.options.Checkout); err != nil {
		return err
	}
	if p.options.Dir, err = filepath.Abs(p.options.Dir); err != nil {
		return err
	}
	debug.SetGCPercent(cmp.Or(p.options.GCPercent, frugal))
	if err = os.MkdirAll(p.options.Dir, 0o755); err != nil {
		return err
	}
	if p.testament, err = atexit.Start(testament, p.options.Stderr, p.Logs()); err != nil {
		return err
	}
	if p.loopback, err = loopback.Reserve(p.options.Dir); err != nil {
		return err
	}
	if p.network, err = network.Listen(p.loopback); err != nil {
		return err
	}
	p.images = &ko.Builder{
		Checkout: p.options.Checkout, Dir: filepath.Join(p.options.Dir, "functions"),
		Env:  []string{"HTTP_PROXY=" + p.network.Proxy(), "FLINK_PROXY=" + p.network.Proxy()},
		Next: images.Images{Cache: flink.Cache{Jobs: p.options.Jobs, Progress: p.options.Progress}},
	}
	building, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		objects, err := manifests(building, p.options.Checkout, p.images.Resolve)
		if err == nil {
			err = addSettings(objects, p.options.Settings)
		}
		p.built <- built{objects, err}
	}()
	p.endBuild = func() {
		cancel()
		<-ended
	}
	return nil
}

func (p *Platform) startControlPlane(ctx context.Context) error {
	var err error
	options := controlplane.Options{
		Dir: p.options.Dir, Network: p.loopback, Egress: p.network.Egress(), Filter: p.options.Filter,
	}
	if p.options.Stock != nil {
		options.Stock = func(ctx context.Context, config *rest.Config) (err error) {
			if p.installer, err = newInstaller(config); err != nil {
				return err
			}
			if err := p.installKinds(ctx); err != nil {
				return err
			}
			return p.options.Stock(ctx, config)
		}
	}
	p.plane, err = controlplane.Start(ctx, options)
	if err == nil {
		p.watch(p.plane.Failed())
		p.installer, err = newInstaller(p.plane.Config())
	}
	return err
}

func (p *Platform) startNode(ctx context.Context) error {
	var err error
	p.node, err = node.Start(ctx, node.Options{ControlPlane: p.plane, Images: p.images})
	return err
}

func (p *Platform) startMesh(ctx context.Context) error {
	var err error
	p.mesh, err = mesh.Start(ctx, mesh.Options{
		ControlPlane: p.plane, Node: p.node, Network: p.network, Images: p.images, Faults: p.options.Faults,
		Hosts: p.options.Hosts,
	})
	if err == nil {
		p.watch(p.mesh.Failed())
	}
	return err
}

// installKinds installs the operator's kinds, once.
func (p *Platform) installKinds(ctx context.Context) error {
	if p.kinds {
		return nil
	}
	objects, err := readObjects(filepath.Join(p.options.Checkout, "config/crds/*.yaml"), unchanged)
	if err != nil {
		return err
	}
	if err := p.installer.apply(ctx, append(objects, namespacesOfOthers()...)); err != nil {
		return err
	}
	p.kinds = true
	return p.installer.ready(ctx, objects, func(string, int64, int64) {})
}

func (p *Platform) installOperator(ctx context.Context) error {
	result := built{}
	select {
	case result = <-p.built:
	case <-ctx.Done():
		return ctx.Err()
	}
	if result.err != nil {
		return result.err
	}
	p.options.Progress("install the operator", 0, 0)
	if err := p.installer.apply(ctx, result.objects); err != nil {
		return err
	}
	return p.installer.ready(ctx, result.objects, p.options.Progress)
}

// watch tells of a part that ended by itself, with the last lines of its log.
func (p *Platform) watch(failed <-chan error) {
	go func() {
		select {
		case err := <-failed:
			select {
			case p.failed <- errors.Join(err, p.lastLines()):
			default: // an earlier failure is the cause of this one
			}
		case <-p.stopping:
		}
	}()
}

// Stop ends everything and returns when no process is left. It may be called more than once.
func (p *Platform) Stop() error {
	p.stop.Do(func() {
		close(p.stopping)
		errs := []error{p.testament.Revoke()}
		if p.endBuild != nil {
			p.endBuild()
		}
		if p.mesh != nil {
			errs = append(errs, p.mesh.Stop())
		}
		if p.node != nil {
			errs = append(errs, p.node.Stop())
		}
		if p.plane != nil {
			errs = append(errs, p.plane.Stop())
		}
		if p.network != nil {
			errs = append(errs, p.network.Close())
		}
		if p.loopback != nil {
			errs = append(errs, p.loopback.Close())
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
