package apply

import (
	"context"
	"fmt"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

// crowded is a Writer that counts how many Services are created at the same time.
type crowded struct {
	Writer
	mu        sync.Mutex
	now, most int
	meet      chan struct{}
}

func (c *crowded) Create(_ context.Context, o kube.Object, _ any) (*unstructured.Unstructured, error) {
	c.mu.Lock()
	c.now++
	c.most = max(c.most, c.now)
	full := c.now == addresses
	c.mu.Unlock()
	if full {
		close(c.meet) // as many are in flight as may be: let them go
	}
	<-c.meet
	c.mu.Lock()
	c.now--
	c.mu.Unlock()
	return &unstructured.Unstructured{Object: map[string]any{}}, nil
}

func TestFewServicesAreCreatedAtTheSameTime(t *testing.T) {
	writer := &crowded{meet: make(chan struct{})}
	c := &Executor{Kube: writer}
	var group errgroup.Group
	service := func(i int) piece {
		return piece{
			object: kube.Object{Resource: kube.Services, Namespace: "flink", Name: fmt.Sprint(i)}, body: &corev1.Service{},
		}
	}
	for i := range addresses {
		group.Go(func() error { _, err := c.create(t.Context(), service(i)); return err })
	}
	if err := group.Wait(); err != nil || writer.most != addresses {
		t.Fatalf("%d at once, %v; want %d", writer.most, err, addresses)
	}
	if err := c.addresses.Acquire(t.Context(), addresses); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.create(ended, service(99)); err == nil {
		t.Error("a Service was created out of turn")
	}
	if _, err := c.create(
		t.Context(),
		piece{object: kube.Object{Resource: kube.ConfigMaps, Namespace: "flink", Name: "c"}, body: &corev1.ConfigMap{}},
	); err != nil {
		t.Errorf("a ConfigMap waits for nobody: %v", err)
	}
}
