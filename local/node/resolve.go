package node

import (
	"context"
	"maps"
	"net"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/kn-flink/kn-flink/local/node/names"
)

// startNames keeps the table of names up to date, for pods and for Lookup.
func (n *Node) startNames(ctx context.Context) error {
	running, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	n.table.Store(&names.Table{})
	factory := informers.NewSharedInformerFactoryWithOptions(n.client, 0, informers.WithTransform(strip))
	services, pods := factory.Core().V1().Services(), factory.Core().V1().Pods()
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default: // one is waiting, and will see this change, too
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { notify() },
		UpdateFunc: func(any, any) { notify() },
		DeleteFunc: func(any) { notify() },
	}
	for _, informer := range []cache.SharedIndexInformer{services.Informer(), pods.Informer()} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}
	factory.Start(running.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return &net.DNSError{Err: "no list of " + kind.String() + " in time", Name: kind.Name()}
		}
	}
	go func() {
		for {
			select {
			case <-running.Done():
				return
			case <-changed:
			}
			s, _ := services.Lister().List(labels.Everything()) // a lister of a cache has no errors
			p, _ := pods.Lister().List(labels.Everything())
			n.publish(s, p)
		}
	}()
	return nil
}

func (n *Node) publish(services []*corev1.Service, pods []*corev1.Pod) {
	n.mu.Lock()
	defer n.mu.Unlock()
	table := names.Make(services, pods)
	for _, name := range slices.Sorted(maps.Keys(n.extras)) {
		table[name] = []string{n.extras[name]}
	}
	n.table.Store(&table)
	// A pod's file that cannot be written means a full disk; the next change tries again.
	_ = n.runtime.SetNames(table.Lines())
}

// strip keeps what the table is made of.
func strip(object any) (any, error) {
	switch o := object.(type) {
	case *corev1.Pod:
		o.ManagedFields, o.Annotations, o.Spec = nil, nil, corev1.PodSpec{}
	case *corev1.Service:
		o.ManagedFields, o.Annotations = nil, nil
	}
	return object, nil
}

// Name makes a name lead to an address, for pods and for Lookup, over what Services say: for servers of the platform
// that are no pods.
func (n *Node) Name(name, address string) {
	n.mu.Lock()
	n.extras[name] = address
	table := maps.Clone(*n.table.Load())
	table[name] = []string{address}
	n.table.Store(&table)
	n.mu.Unlock()
	_ = n.runtime.SetNames(table.Lines())
}

// Lookup is the addresses of a service's name, as SERVICE.NAMESPACE[.svc[.cluster.local]]. Nil: no pod answers to it.
func (n *Node) Lookup(name string) []string { return n.table.Load().Lookup(name) }

// DialContext connects to HOST:PORT, where the host may be a service's name. It is for http.Transport and the like.
func (n *Node) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if found := n.Lookup(host); len(found) > 0 {
		address = net.JoinHostPort(found[0], port)
	}
	return dialer.DialContext(ctx, network, address)
}
