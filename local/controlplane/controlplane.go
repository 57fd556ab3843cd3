package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/local/loopback"
)

// Options say how a control plane starts. Only Dir is needed.
type Options struct {
	// Dir is the state directory: certificates, etcd's data, kubeconfigs, the log. It is created; what is there is used.
	Dir string
	// Network is where the API server listens. Nil: Start reserves one for Dir, and Stop gives it back.
	Network *loopback.Network
	// Egress is a Unix socket that speaks HTTP CONNECT: by it the API server reaches webhooks and the kubelet. Empty: it
	// dials them itself, and a ClusterIP leads nowhere.
	Egress string
	// Ready bounds the wait until every part works. Zero: one minute.
	Ready time.Duration
	// Filter is put around all that the API server serves. Nil: nothing is.
	Filter func(http.Handler) http.Handler
	// Stock makes the objects that are to be there when the controllers and the scheduler begin; its time does not count.
	// Nil: there are none.
	Stock func(ctx context.Context, config *rest.Config) error
}

// ControlPlane is a running control plane.
type ControlPlane struct {
	options Options
	owned   bool // whether the network is ours to give back
	log     *log
	pki     *pki
	listen  net.Listener // the API server's
	parts   []*part      // in starting order
	failed  chan error
	stop    sync.Once
	stopErr error
}

// Start returns when the API server is ready, the controllers and the scheduler have caught up and the default service
// account exists. It fails if a part does not start within options.Ready; then nothing is left running. Cancelling ctx
// ends the start, not the control plane: that is Stop.
func Start(ctx context.Context, options Options) (*ControlPlane, error) {
	if options.Ready == 0 {
		options.Ready = time.Minute
	}
	c := &ControlPlane{options: options, failed: make(chan error, 1)}
	steps := []step{
		{"state directory", c.prepare}, {"etcd", c.startEtcd}, {"kube-apiserver", c.startAPIServer},
	}
	err := c.carryOut(ctx, steps)
	if err == nil && options.Stock != nil {
		err = options.Stock(ctx, c.Config())
	}
	if err == nil {
		err = c.carryOut(ctx, []step{
			{"kube-controller-manager", c.startControllers}, {"kube-scheduler", c.startScheduler},
			{"default service account", c.awaitDefaults},
		})
	}
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// step is a part of the start.
type step struct {
	name string
	do   func(context.Context) error
}

// carryOut does the steps, in options.Ready together.
func (c *ControlPlane) carryOut(ctx context.Context, steps []step) error {
	ctx, cancel := context.WithTimeout(ctx, c.options.Ready)
	defer cancel()
	for _, s := range steps {
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("start %s: %w (log: %s)", s.name, err, c.LogFile())
		}
	}
	return nil
}

func (c *ControlPlane) prepare(context.Context) error {
	var err error
	if c.options.Dir, err = filepath.Abs(c.options.Dir); err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(c.LogFile()), 0o755); err != nil {
		return err
	}
	if c.log, err = openLog(c.LogFile()); err != nil {
		return err
	}
	if c.options.Network == nil {
		if c.options.Network, err = loopback.Reserve(c.options.Dir); err != nil {
			return err
		}
		c.owned = true
	}
	if c.listen, err = c.options.Network.Listen(c.options.Network.Server(), 6443); err != nil {
		return err
	}
	if c.pki, err = loadPKI(filepath.Join(c.options.Dir, "pki"), c.options.Network.Server()); err != nil {
		return err
	}
	return c.writeKubeconfigs()
}

// Stop ends every part, last started first, and waits for each. It may be called more than once.
func (c *ControlPlane) Stop() error {
	c.stop.Do(func() {
		var errs []error
		for i := len(c.parts) - 1; i >= 0; i-- {
			errs = append(errs, c.parts[i].end())
		}
		if c.listen != nil {
			_ = c.listen.Close() // the API server has closed it, if it got that far
		}
		if c.owned {
			errs = append(errs, c.options.Network.Close())
		}
		if c.log != nil {
			errs = append(errs, c.log.close())
		}
		c.stopErr = errors.Join(errs...)
	})
	return c.stopErr
}

// Failed delivers the error of the first part that ended by itself.
func (c *ControlPlane) Failed() <-chan error { return c.failed }

// Dir is the state directory.
func (c *ControlPlane) Dir() string { return c.options.Dir }

// Network is where the API server listens and where pods can live.
func (c *ControlPlane) Network() *loopback.Network { return c.options.Network }

// LogFile has the log lines of every part.
func (c *ControlPlane) LogFile() string {
	return filepath.Join(c.options.Dir, "log", "control-plane.log")
}

// Kubeconfig is the path of the administrator's kubeconfig, a copy of which is all that kubectl needs.
func (c *ControlPlane) Kubeconfig() string { return filepath.Join(c.options.Dir, "kubeconfig") }

// Config is the administrator's client configuration, without client-side throttling. Each call returns a copy.
func (c *ControlPlane) Config() *rest.Config { return c.config("admin") }

// URL is the API server's address.
func (c *ControlPlane) URL() string { return "https://" + c.listen.Addr().String() }
