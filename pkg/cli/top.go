package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
)

func (p *program) top() command {
	vertices := false
	return command{
		use: "top [NAME]", group: "look", kinds: runKinds, args: cobra.MaximumNArgs(1),
		short:   "Load, lag and checkpoints of jobs, as Flink says now, and what their pods use",
		example: "  kn flink top\n  kn flink top orders --vertices",
		rights: []string{
			"list of the kinds and of pods", "list of pods.metrics.k8s.io", "get of configmaps in the system namespace",
			liveRights,
		},
		flags: func(f *pflag.FlagSet) {
			p.views(f)
			f.BoolVar(&vertices, "vertices", false, "a line for each vertex of NAME")
			f.BoolVar(&p.noHeaders, "no-headers", false, "leave the first line out")
		},
		run: func(ctx context.Context, args []string) error {
			if vertices && len(args) == 0 {
				return failed("--vertices is about one job: give NAME")
			}
			c, all, err := p.jobsOf(ctx, args)
			if err != nil {
				return err
			}
			look, err := p.lookout(ctx, c)
			if err != nil {
				return err
			}
			defer look.Close()
			loads := look.Loads(ctx, all)
			c.usage(ctx, loads)
			shown := view.LoadsOf(loads, look.Unreadable())
			text := shown.Text(p.Now(), p.noHeaders)
			if vertices && loads[0].Why == "" {
				text = loads[0].VerticesText(p.noHeaders)
			}
			return p.show(shown, text)
		},
	}
}

// jobsOf are the resource that is named, or all that have a job.
func (p *program) jobsOf(ctx context.Context, args []string) (*cluster, []*unstructured.Unstructured, error) {
	if len(args) > 0 {
		c, object, err := p.named(ctx, args[0], runKinds)
		return c, []*unstructured.Unstructured{object}, err
	}
	c, err := p.connect()
	if err != nil {
		return nil, nil, err
	}
	var all []*unstructured.Unstructured
	for _, name := range runKinds {
		kind, _ := kinds.Of(name)
		all = append(all, c.Optional(ctx, kube.Query{Resource: kind.Resource, Namespace: c.namespace}, hasJob)...)
	}
	return c, all, nil
}

func hasJob(u *unstructured.Unstructured) bool {
	_, has, _ := unstructured.NestedMap(u.Object, "spec", "job")
	return has
}
