package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/node/names"
	"github.com/kn-flink/kn-flink/local/node/runtime"
)

// Name is the node's, in the cluster.
const Name = "local"

// Options say how a node starts. ControlPlane and Images are needed.
type Options struct {
	// ControlPlane is whose node it is.
	ControlPlane *controlplane.ControlPlane
	// Images is where images come from.
	Images runtime.Images
	// Dir is where pods live. Empty: "node" in the control plane's directory.
	Dir string
	// CPUs is how many the node says it has. Zero: eight for each of the machine's, so that what pods request fits on a
	// small machine; it does not get faster.
	CPUs int
	// Ready bounds the wait until the node is ready. Zero: 30 seconds.
	Ready time.Duration
}

// Node is a running node.
type Node struct {
	options Options
	runtime *runtime.Runtime
	client  *kubernetes.Clientset // the administrator's
	cancel  context.CancelFunc
	cut     func() // ends the kubelet's connections, for good
	stop    sync.Once
	stopErr error

	table  atomic.Pointer[names.Table]
	mu     sync.Mutex
	extras map[string]string
}

var started atomic.Bool

// Start returns when the node is ready for pods. A second Start in a process fails. Cancelling ctx ends the start, not
// the node: that is Stop, which comes before the control plane's.
func Start(ctx context.Context, options Options) (*Node, error) {
	if started.Swap(true) {
		return nil, errors.New("a process can start one node: the kubelet cannot be ended")
	}
	if options.Dir == "" {
		options.Dir = filepath.Join(options.ControlPlane.Dir(), "node")
	}
	if options.CPUs == 0 {
		options.CPUs = 8 * goruntime.NumCPU()
	}
	if options.Ready == 0 {
		options.Ready = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, options.Ready)
	defer cancel()
	n := &Node{options: options, extras: map[string]string{}}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"container runtime", n.startRuntime},
		{"names", n.startNames},
		{"node object", n.register},
		{"kubelet", n.startKubelet},
		{"wait for the node", n.awaitReady},
	} {
		if err := step.do(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("start node, %s: %w", step.name, err), n.Stop())
		}
	}
	return n, nil
}

func (n *Node) startRuntime(context.Context) error {
	var err error
	if n.client, err = kubernetes.NewForConfig(n.options.ControlPlane.Config()); err != nil {
		return err
	}
	identity, err := n.options.ControlPlane.NodeIdentity(Name)
	if err != nil {
		return err
	}
	ca, err := os.ReadFile(identity.CAFile)
	if err != nil {
		return err
	}
	url := n.options.ControlPlane.URL()
	host, port, err := net.SplitHostPort(url[len("https://"):])
	if err != nil {
		return err
	}
	n.runtime, err = runtime.New(runtime.Options{
		Dir:       filepath.Join(n.options.Dir, "runtime"),
		Network:   n.options.ControlPlane.Network(),
		Images:    n.options.Images,
		APIServer: url,
		CA:        ca,
		// The kubelet gives pods the Service's address, where nothing answers.
		Env: []string{
			"KUBERNETES_SERVICE_HOST=" + host, "KUBERNETES_SERVICE_PORT=" + port, "KUBERNETES_SERVICE_PORT_HTTPS=" + port,
		},
	})
	return err
}

// register makes the Node object, as a cloud's controller would: a kubelet refuses a loopback address for itself, but
// leaves alone what it finds.
func (n *Node) register(ctx context.Context) error {
	nodes := n.client.CoreV1().Nodes()
	address := n.options.ControlPlane.Network().Server()
	labels := map[string]string{
		corev1.LabelHostname:   Name,
		corev1.LabelOSStable:   goruntime.GOOS,
		corev1.LabelArchStable: goruntime.GOARCH,
	}
	node, err := nodes.Get(ctx, Name, metav1.GetOptions{})
	if err != nil {
		node, err = nodes.Create(
			ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: Name, Labels: labels}}, metav1.CreateOptions{},
		)
	}
	if err != nil {
		return err
	}
	node.Status.Addresses = []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: address},
		{Type: corev1.NodeHostName, Address: Name},
	}
	// One left by an earlier start says nothing about this one.
	node.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "Starting", LastHeartbeatTime: metav1.Now(),
		LastTransitionTime: metav1.Now(),
	}}
	_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
	return err
}

func (n *Node) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		node, err := n.client.CoreV1().Nodes().Get(ctx, Name, metav1.GetOptions{})
		if err == nil {
			for _, c := range node.Status.Conditions {
				if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
					return nil
				}
				if c.Type == corev1.NodeReady {
					err = fmt.Errorf("%s: %s", c.Reason, c.Message)
				}
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w", errors.Join(ctx.Err(), err))
		}
	}
}

// Kill ends the processes of the pod with that UID at once, as a crash would. It says whether one ran.
func (n *Node) Kill(uid types.UID) bool { return n.runtime.Kill(string(uid)) }

// Logs is the directory of all pods' logs: NAMESPACE_NAME_UID/CONTAINER/RESTARTS.log.
func (n *Node) Logs() string { return filepath.Join(n.options.Dir, "logs") }

// Stop ends every pod's processes and returns when none is left. Pods stay in the API server: a node started again in
// the same directory, by another process, runs them again.
func (n *Node) Stop() error {
	n.stop.Do(func() {
		if n.cancel != nil {
			n.cancel()
		}
		if n.runtime != nil {
			n.stopErr = n.runtime.Close()
		}
		if n.cut != nil {
			n.cut()
		}
	})
	return n.stopErr
}
