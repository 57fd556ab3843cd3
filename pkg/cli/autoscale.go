package cli

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

func (p *program) autoscale() command {
	return command{
		use: "autoscale", group: "change", short: "The autoscaler of a job: explain, pause, resume, reset",
		below: []command{
			p.explain(),
			p.change(command{
				use: "pause NAME", kinds: jobKinds, args: cobra.ExactArgs(1), short: "Only watch the job; nothing restarts",
			}, func(object *unstructured.Unstructured, _ []string) (edit.Edit, error) {
				return edit.Autoscale(object, false)
			}),
			p.change(command{
				use: "resume NAME", kinds: jobKinds, args: cobra.ExactArgs(1), short: "Scale the job again",
			}, func(object *unstructured.Unstructured, _ []string) (edit.Edit, error) {
				return edit.Autoscale(object, true)
			}),
			p.change(command{
				use: "reset NAME", kinds: jobKinds, args: cobra.ExactArgs(1),
				short: "Forget what was learned of the job, and what was set",
			}, func(object *unstructured.Unstructured, _ []string) (edit.Edit, error) {
				return edit.AutoscalerReset(object)
			}),
		},
	}
}

func (p *program) explain() command {
	return command{
		use: "explain NAME", kinds: runKinds, args: cobra.ExactArgs(1),
		short:  "The last decisions of the autoscaler, and why",
		rights: []string{"get of configmaps", "for the names of vertices, get of services/proxy"}, flags: p.views,
		run: func(ctx context.Context, args []string) error {
			c, object, err := p.named(ctx, args[0], runKinds)
			if err != nil {
				return err
			}
			kept, unreadable := c.Decisions(ctx, object.GetNamespace(), object.GetName())
			if len(unreadable) > 0 {
				return failed("%s", unreadable[0])
			}
			if len(kept) == 0 {
				return failed("%s: no decision of the autoscaler is kept; is job.autoscaler.enabled on?", object.GetName())
			}
			shown := view.DecisionsOf(view.RowOf(object), kept, p.vertexNames(ctx, c, object))
			return p.show(shown, shown.Text(p.Now()))
		},
	}
}

// vertexNames are the names of a job's vertices by ID; none where Flink does not say.
func (p *program) vertexNames(ctx context.Context, c *cluster, object *unstructured.Unstructured) map[string]string {
	look, err := p.lookout(ctx, c)
	if err != nil {
		return nil
	}
	defer look.Close()
	load := look.Loads(ctx, []*unstructured.Unstructured{object})[0]
	names := map[string]string{}
	for _, v := range load.Vertices {
		names[v.ID] = v.Name
	}
	return names
}
