package gather

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/collect"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Measure asks Flink what a sample of a job's metrics is made of. An error is one of a request.
//
//	request                                           how often
//	GET /jobs/{job}                                   once, before the others
//	names of the metrics of a source                  once for each
//	values of a vertex that has not finished          once for each; a second time, after the names, if it lacks one
//	values of the JobManager                          once
//	values of the TaskManagers                        once; again without the time of garbage collection where that is
//	                                                  not there
func (g *Gatherer) Measure(ctx context.Context, at plan.Endpoint, job string) (collect.Observation, error) {
	client, err := g.Flink(at)
	if err != nil {
		return collect.Observation{}, err
	}
	details, err := client.Job(ctx, job)
	if err != nil {
		return collect.Observation{}, err
	}
	o := collect.Observation{Vertices: map[string]collect.VertexAnswer{}}
	if o.Job, err = collect.MakeJob(detailsOf(details)); err != nil {
		return o, err
	}
	answers := make([]collect.VertexAnswer, len(o.Job.Vertices))
	var group errgroup.Group
	for i, v := range o.Job.Vertices {
		group.Go(func() (err error) {
			answers[i], err = measureVertex(ctx, client, job, v)
			return err
		})
	}
	group.Go(func() (err error) {
		o.JobManager, err = client.JobManagerMetrics(ctx, collect.JobManagerMetrics())
		return err
	})
	group.Go(func() (err error) {
		o.TaskManagers, err = measureTaskManagers(ctx, client)
		return err
	})
	err = group.Wait()
	for i, v := range o.Job.Vertices {
		o.Vertices[v.ID] = answers[i]
	}
	return o, err
}

// measureVertex asks for one vertex. What every vertex has besides sources is asked for without a look at its names.
func measureVertex(
	ctx context.Context, client *flinkrest.Client, job string, v model.Vertex,
) (a collect.VertexAnswer, err error) {
	switch {
	case v.Finished && !v.IsSource():
		return a, nil
	case !v.IsSource():
		a.Names = collect.CommonMetrics()
		if a.Values, err = values(client.VertexMetrics(ctx, job, v.ID, a.Names)); err != nil || len(a.Values) > 0 {
			return a, err
		}
	}
	if a.Names, err = client.VertexMetricNames(ctx, job, v.ID); err != nil || v.Finished {
		return a, err
	}
	selection, missing := collect.Select(v, a.Names)
	if missing != nil {
		return a, nil // who makes the sample says so
	}
	a.Values, err = values(client.VertexMetrics(ctx, job, v.ID, selection.Names()))
	return a, err
}

func measureTaskManagers(ctx context.Context, client *flinkrest.Client) (map[string]collect.Aggregate, error) {
	found, err := values(client.TaskManagerMetrics(ctx, collect.TaskManagerMetrics(true)))
	if err != nil || len(found) > 0 {
		return found, err
	}
	return values(client.TaskManagerMetrics(ctx, collect.TaskManagerMetrics(false)))
}

func values(answer map[string]flinkrest.Aggregate, err error) (map[string]collect.Aggregate, error) {
	found := make(map[string]collect.Aggregate, len(answer))
	for name, a := range answer {
		found[name] = collect.Aggregate{
			Min: float64(a.Min), Max: float64(a.Max), Avg: float64(a.Avg), Sum: float64(a.Sum),
		}
	}
	return found, err
}

// detailsOf are what counts of a job's details.
func detailsOf(j flinkrest.Job) collect.Details {
	var d collect.Details
	if at, there := j.Timestamps[flinkrest.Running]; there {
		running := at.Time()
		d.Running = &running
	}
	for _, n := range j.Plan.Nodes {
		node := collect.Node{ID: n.ID, Parallelism: n.Parallelism}
		for _, in := range n.Inputs {
			node.Inputs = append(node.Inputs, model.Edge{Vertex: in.ID, Ship: model.ParseShipStrategy(in.ShipStrategy)})
		}
		d.Nodes = append(d.Nodes, node)
	}
	for _, v := range j.Vertices {
		d.Vertices = append(d.Vertices, collect.VertexDetails{
			ID: v.ID, MaxParallelism: v.MaxParallelism, SlotSharingGroup: v.SlotSharingGroup, Status: v.Status,
			Counters: model.Counters{
				RecordsIn: float64(v.Metrics.ReadRecords), RecordsOut: float64(v.Metrics.WriteRecords),
				BusyTime: float64(v.Metrics.BusyTime),
			},
		})
	}
	return d
}
