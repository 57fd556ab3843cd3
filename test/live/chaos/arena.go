package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/local/mesh"
	"github.com/kn-flink/kn-flink/local/platform"
	"github.com/kn-flink/kn-flink/test/life"
)

// namespace is that of the resources, system that of the functions.
const (
	namespace = "default"
	system    = "flink-system"
)

var (
	resources   = life.Resources
	snapshots   = life.Snapshots
	deployments = life.Deployments
	pods        = life.Pods
)

// Arena is a platform, and what runs on it share.
type Arena struct {
	// Dir is where findings and the runs' data are.
	Dir string
	// Java are options for every JVM of Flink, as chaos.Place has them.
	Java string

	jobs    string // sources of the example jobs
	jars    string // address of the server that has their jars, see serveJars
	local   *platform.Platform
	objects dynamic.Interface
	flink   http.Client

	mu     sync.Mutex
	faulty int // how often the mesh was made worse
}

// Open starts a platform in dir. Nothing of an earlier one is left.
func Open(ctx context.Context, dir, checkout string) (*Arena, error) {
	begun := time.Now()
	progress := func(step string, _, _ int64) { fmt.Printf("%6.1f s  %s\n", time.Since(begun).Seconds(), step) }
	state := filepath.Join(dir, "platform")
	if err := errors.Join(os.RemoveAll(state), os.RemoveAll(filepath.Join(dir, "data"))); err != nil {
		return nil, err
	}
	jobs := filepath.Join(checkout, "test/cluster/flink/jobs")
	options := platform.Options{Dir: state, Checkout: checkout, Jobs: jobs, Progress: progress, Settings: "" +
		"kubernetes.operator.user.artifacts.allowed-schemes: http;https\n" + // for serveJars
		"kubernetes.operator.user.artifacts.allowed-hosts: 127.0.0.0/8\n" +
		"kubernetes.operator.resource.cleanup.timeout: 1 min\n"}
	local, err := platform.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	config := local.Config()
	config.QPS, config.Burst = 100, 200
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("%w, and the platform's end: %w", err, local.Stop())
	}
	transport := &http.Transport{DialContext: local.Node().DialContext, DisableKeepAlives: true}
	flink := http.Client{Timeout: 5 * time.Second, Transport: transport}
	return &Arena{Dir: dir, jobs: jobs, local: local, objects: objects, flink: flink}, nil
}

// Close stops the platform.
func (a *Arena) Close() error { return a.local.Stop() }

// Failed delivers the error of a part of the platform that ended by itself.
func (a *Arena) Failed() <-chan error { return a.local.Failed() }

// disturb makes the mesh worse for a while. What is set last counts, and the end of what was set before does not end
// it.
func (a *Arena) disturb(f mesh.Faults, d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faulty++
	turn := a.faulty
	a.local.Mesh().SetFaults(f)
	time.AfterFunc(d, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if turn == a.faulty {
			a.local.Mesh().SetFaults(mesh.Faults{})
		}
	})
}

// undisturbed ends every fault of the mesh.
func (a *Arena) undisturbed() { a.disturb(mesh.Faults{}, 0) }
