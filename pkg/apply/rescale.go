package apply

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// rescale asks Flink for another parallelism of the vertices of a job.
func (c *Executor) rescale(ctx context.Context, a plan.Rescale) error {
	wanted := make(flinkrest.Requirements, len(a.Vertices))
	for vertex, b := range a.Vertices {
		wanted[vertex] = flinkrest.Requirement{Parallelism: flinkrest.Bounds{Lower: b.Lower, Upper: b.Upper}}
	}
	return c.ask(a.Endpoint, a, func(client *flinkrest.Client) error {
		return client.SetResourceRequirements(ctx, a.JobID, wanted)
	})
}
