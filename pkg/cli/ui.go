package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/lookout"
	"github.com/kn-flink/kn-flink/pkg/reachflink"
)

// uiPort is where Flink's page is on this machine, where nothing is said.
const uiPort = 8081

// uiLooks is how many paces of the program pass between two looks for another JobManager.
const uiLooks = 5

func (p *program) ui() command {
	port := uiPort
	return command{
		use: "ui NAME", group: "look", kinds: runKinds, args: cobra.ExactArgs(1),
		short: "Flink's page on this machine, until you interrupt it",
		rights: []string{
			"list of pods", "create of pods/portforward", "get of configmaps in the system namespace",
		},
		flags: func(f *pflag.FlagSet) {
			f.IntVar(&port, "port", uiPort, "port on this machine; 0 is any that is free")
		},
		run: func(ctx context.Context, args []string) error {
			c, object, err := p.named(ctx, args[0], runKinds)
			if err != nil {
				return err
			}
			l, err := p.lookout(ctx, c)
			if err != nil {
				return err
			}
			defer l.Close()
			at, err := l.RestOf(ctx, object)
			if err != nil {
				return &Exit{CodeError, err}
			}
			return p.forward(ctx, c, object, at, port)
		},
	}
}

// forward leads to the JobManager until the user interrupts it, and anew when another one has taken its place.
func (p *program) forward(
	ctx context.Context, c *cluster, object *unstructured.Unstructured, at lookout.Rest, port int,
) error {
	pods, told := lookout.Pods{Reader: c.Reader}, false
	for {
		t, err := c.tunnel(ctx, pods, object.GetNamespace(), at, port)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !told:
			return &Exit{CodeError, err}
		case err != nil:
			if p.pause(ctx, uiLooks) != nil {
				return ctx.Err()
			}
			continue
		case told:
			p.note("forwarded anew, to pod %s", t.Pod.Name)
		default:
			fmt.Fprintln(p.Out, page(object, at, t.Port))
			told, port = true, t.Port
		}
		p.untilReplaced(ctx, pods, object.GetNamespace(), at.Cluster, t)
		t.Close()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.note("pod %s is no longer the JobManager", t.Pod.Name)
	}
}

// page is the address of Flink's page, of the job where that is known.
func page(object *unstructured.Unstructured, at lookout.Rest, port int) string {
	scheme := "http"
	if at.TLS {
		scheme = "https"
	}
	address := fmt.Sprintf("%s://localhost:%d", scheme, port)
	if id, _, _ := unstructured.NestedString(object.Object, "status", "jobStatus", "jobId"); id != "" {
		address += "/#/job/running/" + id + "/overview"
	}
	return address
}

// tunnel opens one to the JobManager.
func (c *cluster) tunnel(
	ctx context.Context, pods reachflink.Pods, namespace string, at lookout.Rest, port int,
) (*reachflink.Tunnel, error) {
	pod, err := pods.JobManager(ctx, namespace, at.Cluster)
	if err != nil {
		return nil, err
	}
	return reachflink.Forward(c.config, pod, port, at.Port)
}

// untilReplaced returns when the way is gone, or when another pod is the JobManager.
func (p *program) untilReplaced(
	ctx context.Context, pods reachflink.Pods, namespace, cluster string, t *reachflink.Tunnel,
) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.Done:
			return
		case <-time.After(uiLooks * p.Pace):
		}
		if now, err := pods.JobManager(ctx, namespace, cluster); err == nil && now != t.Pod {
			return
		}
	}
}

// pause waits some paces, or until the user interrupts it.
func (p *program) pause(ctx context.Context, paces int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(paces) * p.Pace):
		return nil
	}
}
