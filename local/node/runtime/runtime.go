package runtime

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/kubelet/pkg/cri/streaming"

	"github.com/kn-flink/kn-flink/local/atexit"
	"github.com/kn-flink/kn-flink/local/loopback"
	"github.com/kn-flink/kn-flink/local/processes"
)

// Options say what a runtime works with. All but Env are needed.
type Options struct {
	// Dir is where sandboxes and containers have their directories. What an earlier runtime left there is removed.
	Dir string
	// Network is where pods get their addresses.
	Network *loopback.Network
	// Images is where images come from.
	Images Images
	// APIServer is the URL that pods reach the API server at, and CA the PEM certificate that proves it.
	APIServer string
	CA        []byte
	// Env are KEY=VALUE pairs that every container has, over what the kubelet sets.
	Env []string
}

// Runtime implements RuntimeService and ImageManagerService of k8s.io/cri-api.
type Runtime struct {
	options Options
	images  *pulled
	starter *starter
	streams streaming.Server
	will    *atexit.Script // ends what the kernel does not when this process ends: what a container's process started

	mu         sync.Mutex
	sandboxes  map[string]*sandbox
	containers map[string]*container
	nextPod    int
	names      string
	closed     bool
}

// New starts a runtime: its directory is emptied, and processes that an earlier runtime left are ended.
func New(options Options) (*Runtime, error) {
	r := &Runtime{
		options:    options,
		images:     &pulled{Images: options.Images, images: map[string]Image{}},
		sandboxes:  map[string]*sandbox{},
		containers: map[string]*container{},
	}
	if err := processes.End(options.Dir); err != nil {
		return nil, err
	}
	for _, sub := range []string{"pods", "containers"} {
		if err := os.RemoveAll(filepath.Join(options.Dir, sub)); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Join(options.Dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	var err error
	if r.streams, err = startStreams(r, options.Network); err != nil {
		return nil, err
	}
	if r.will, err = processes.EndWith(options.Dir); err != nil {
		return nil, errors.Join(err, r.streams.Stop())
	}
	r.starter = newStarter()
	return r, nil
}

// Close ends every container at once and refuses new ones. It returns when no process is left.
func (r *Runtime) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	var running []*container
	for _, c := range r.containers {
		running = append(running, c)
	}
	r.mu.Unlock()
	var ended sync.WaitGroup
	for _, c := range running {
		ended.Go(func() { c.end(0) })
	}
	ended.Wait()
	r.starter.close()
	return errors.Join(r.streams.Stop(), processes.End(r.options.Dir), r.will.Revoke())
}

// Version is part of the CRI.
func (r *Runtime) Version(context.Context, string) (*runtimeapi.VersionResponse, error) {
	return &runtimeapi.VersionResponse{
		Version: "0.1.0", RuntimeName: "processes", RuntimeVersion: "1.0.0", RuntimeApiVersion: "v1",
	}, nil
}

// Status is part of the CRI.
func (r *Runtime) Status(context.Context, bool) (*runtimeapi.StatusResponse, error) {
	ready := func(kind string) *runtimeapi.RuntimeCondition {
		return &runtimeapi.RuntimeCondition{Type: kind, Status: true}
	}
	return &runtimeapi.StatusResponse{Status: &runtimeapi.RuntimeStatus{
		Conditions: []*runtimeapi.RuntimeCondition{ready(runtimeapi.RuntimeReady), ready(runtimeapi.NetworkReady)},
	}}, nil
}

// RuntimeConfig is part of the CRI.
func (r *Runtime) RuntimeConfig(context.Context) (*runtimeapi.RuntimeConfigResponse, error) {
	return &runtimeapi.RuntimeConfigResponse{
		Linux: &runtimeapi.LinuxRuntimeConfiguration{CgroupDriver: runtimeapi.CgroupDriver_CGROUPFS},
	}, nil
}

// UpdateRuntimeConfig is part of the CRI: the pod network is not the kubelet's to choose.
func (r *Runtime) UpdateRuntimeConfig(context.Context, *runtimeapi.RuntimeConfig) error { return nil }

// newID is unique, and as long as container runtimes' are in their short form.
func newID() string {
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		panic(err) // the kernel has no random numbers
	}
	return hex.EncodeToString(id)
}

// notFound is what the kubelet takes for "it is gone already".
func notFound(kind, id string) error { return status.Errorf(codes.NotFound, "no %s %q", kind, id) }

var (
	_ cri.RuntimeService      = (*Runtime)(nil)
	_ cri.ImageManagerService = (*Runtime)(nil)
)
