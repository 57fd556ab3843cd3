package gather

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// gates asks, all at once, what the gates of a new side need. Prometheus and services are asked by a pass only.
func (g *Gatherer) gates(
	ctx context.Context, resource *v1beta1.FlinkBlueGreenDeployment, q bluegreen.GateQuery,
) (found bluegreen.Gates) {
	var looks sync.WaitGroup
	client, err := g.Flink(q.Endpoint)
	if err != nil {
		why := oneLine(err)
		found.Checkpoints, found.Restarts = plan.Unknown[int64](why), plan.Unknown[int64](why)
		found.Lag, found.Sent = plan.Unknown[int64](why), plan.Unknown[bluegreen.Sent](why)
	} else {
		if q.Checkpoints {
			looks.Go(func() { found.Checkpoints = completedCheckpoints(ctx, client, q.JobID) })
		}
		if q.Restarts {
			looks.Go(func() { found.Restarts = known(restarts(ctx, client, q.JobID)) })
		}
		if q.Lag || q.Sent {
			looks.Go(func() { found.Lag, found.Sent = flow(ctx, client, q) })
		}
	}
	if q.Expression != "" {
		looks.Go(func() { found.Query = g.samples(ctx, q) })
	}
	services := make([]plan.Observed[string], len(q.Services))
	for i, service := range q.Services {
		looks.Go(func() { services[i] = g.gateService(ctx, resource, service) })
	}
	looks.Wait()
	found.ByPass = g.Ask == nil && (q.Expression != "" || len(services) > 0)
	found.Services = make(map[string]plan.Observed[string], len(services))
	for i, service := range q.Services {
		found.Services[service.Name] = services[i]
	}
	return found
}

func completedCheckpoints(ctx context.Context, client *flinkrest.Client, job string) plan.Observed[int64] {
	statistics, err := client.CheckpointStatistics(ctx, job)
	if err != nil {
		return plan.Unknown[int64](oneLine(err))
	}
	return plan.Present(statistics.Counts.Completed)
}

func known[T any](value T, err error) plan.Observed[T] {
	if err != nil {
		return plan.Unknown[T](oneLine(err))
	}
	return plan.Present(value)
}

// The metrics of sources and sinks, as their names end (FLIP-33).
const (
	pendingRecords = ".pendingRecords"
	recordsSent    = ".numRecordsSend"
	sendErrors     = ".numRecordsSendErrors"
)

// flow adds up, over all tasks of a job, what is pending at sources, and what sinks sent.
func flow(
	ctx context.Context, client *flinkrest.Client, q bluegreen.GateQuery,
) (plan.Observed[int64], plan.Observed[bluegreen.Sent]) {
	sums, err := sums(ctx, client, q)
	if err != nil {
		return plan.Unknown[int64](oneLine(err)), plan.Unknown[bluegreen.Sent](oneLine(err))
	}
	lag, sent := plan.Absent[int64](), plan.Absent[bluegreen.Sent]()
	if n, told := sums[pendingRecords]; told {
		lag = plan.Present(n)
	}
	if n, told := sums[recordsSent]; told {
		sent = plan.Present(bluegreen.Sent{Records: n, Errors: sums[sendErrors]})
	}
	return lag, sent
}

// sums are the sums of the metrics that the gates need, by the ends of their names.
func sums(ctx context.Context, client *flinkrest.Client, q bluegreen.GateQuery) (map[string]int64, error) {
	job, err := client.Job(ctx, q.JobID)
	if err != nil {
		return nil, err
	}
	var ends []string
	if q.Lag {
		ends = append(ends, pendingRecords)
	}
	if q.Sent {
		ends = append(ends, recordsSent, sendErrors)
	}
	all := map[string]int64{}
	for _, vertex := range job.Vertices {
		names, err := client.VertexMetricNames(ctx, q.JobID, vertex.ID)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			at := slices.IndexFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
			if at < 0 {
				continue
			}
			// one by one: one without a value would empty the answer of all
			values, err := client.VertexMetrics(ctx, q.JobID, vertex.ID, []string{name})
			if err != nil {
				return nil, err
			}
			sum, err := wholeOf(values, name)
			if err != nil {
				return nil, err
			}
			all[ends[at]] += sum
		}
	}
	return all, nil
}

// mostRecords bounds a sum of records, so that sums of sums stay numbers.
const mostRecords = 1 << 53

// wholeOf is the sum of a metric. One that is listed and has no value, or none that can be a number of records, is not
// known: it does not count as 0.
func wholeOf(values map[string]flinkrest.Aggregate, name string) (int64, error) {
	value, there := values[name]
	sum := float64(value.Sum)
	switch {
	case !there || math.IsNaN(sum):
		return 0, fmt.Errorf("metric %.100q has no value", name)
	case sum < 0 || sum > mostRecords:
		return 0, fmt.Errorf("metric %.100q is %g, which is no number of records", name, sum)
	}
	return int64(sum), nil
}

// samples asks Prometheus.
func (g *Gatherer) samples(ctx context.Context, q bluegreen.GateQuery) plan.Observed[[]float64] {
	switch {
	case q.PrometheusURL == "":
		return plan.Unknown[[]float64](fmt.Sprintf("the installation has no option %s", key.GatePrometheusURL.Key))
	case g.Query == nil:
		return plan.Unknown[[]float64]("the next pass asks it")
	}
	return known(g.Query(ctx, q.PrometheusURL, q.Expression))
}

// gateService asks a service whether a new side may serve, as a validator is asked about the resource.
func (g *Gatherer) gateService(
	ctx context.Context, resource *v1beta1.FlinkBlueGreenDeployment, service flinkconf.Extension,
) plan.Observed[string] {
	if g.Ask == nil {
		return plan.Unknown[string]("the next pass asks it")
	}
	question, err := extension.Question(
		v1beta1.KindFlinkBlueGreenDeployment,
		v1beta1.FlinkBlueGreenDeploymentGVR,
		resource,
	)
	if err != nil {
		return plan.Unknown[string](oneLine(err))
	}
	said := g.Ask(ctx, []flinkconf.Extension{service}, question)
	if said.Refusal == "" && said.Unanswered != "" {
		return plan.Unknown[string](said.Unanswered)
	}
	return plan.Present(said.Refusal)
}
