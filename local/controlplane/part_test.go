package controlplane

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestAPartThatEndsByItselfIsTheFailure(t *testing.T) {
	c := &ControlPlane{options: Options{Dir: "/state"}, failed: make(chan error, 1)}
	c.run("asked", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	if err := c.parts[0].end(); err != nil {
		t.Error(err)
	}
	broken := errors.New("no space left on device")
	for _, name := range []string{"etcd", "kube-apiserver"} {
		c.run(name, func(context.Context) error { return broken })
		<-c.parts[len(c.parts)-1].done
	}
	err := <-c.Failed()
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "etcd ended by itself") ||
		!strings.Contains(err.Error(), "/state/log/control-plane.log") {
		t.Errorf("%v", err)
	}
	select {
	case err := <-c.Failed():
		t.Errorf("%v, and that is a consequence", err)
	default:
	}
}
