package bluegreen

import (
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/running"
)

// GateQuery is what to ask for the gates of a target.
type GateQuery struct {
	// Endpoint is where its JobManager answers.
	Endpoint plan.Endpoint
	// JobID is its job.
	JobID string
	// Checkpoints, Restarts, Lag and Sent say which of those to ask Flink for.
	Checkpoints, Restarts, Lag, Sent bool
	// PrometheusURL is where to ask Expression; empty where nothing is to be asked.
	PrometheusURL, Expression string
	// Services are to be asked.
	Services []flinkconf.Extension
}

// AskGates says what to ask for the gates, once the sides were looked at; nil when nothing is.
func AskGates(s Snapshot, services []flinkconf.Extension) *GateQuery {
	t := s.Resource.Status.Transition
	if t == nil || t.Step != v1beta1.BlueGreenAwait || t.From == "" || !AskSides(s) {
		return nil
	}
	v := newView(s)
	d := v.ours(t.Target)
	if !ready(d) || d.Generation != t.ChildGeneration || v.ours(t.From) == nil || len(v.gates(*t)) == 0 {
		return nil
	}
	c, run := v.config(), running.Of(v.Operator, d)
	if run.Endpoint == nil {
		return nil
	}
	namespace := s.Resource.Namespace
	q := &GateQuery{
		Endpoint: *run.Endpoint, JobID: d.Status.JobStatus.JobID,
		Checkpoints: options.Int(c, key.GateCheckpoints) > 0, Restarts: c.Has(key.GateMaxRestarts),
		Lag: c.Has(key.GateMaxLag) || options.Bool(c, key.GateLagNotGrowing), Sent: c.Has(key.GateMaxErrorRate),
	}
	if expression := c.Get(key.GatePrometheusQuery); expression != "" {
		q.PrometheusURL = v.Operator.Default(namespace, "").Get(key.GatePrometheusURL)
		q.Expression = strings.NewReplacer(
			"$(NAMESPACE)", namespace, "$(DEPLOYMENT)", d.Name, "$(JOB_ID)", q.JobID,
		).Replace(expression)
	}
	wanted := gateServices(c)
	for _, service := range flinkconf.For(services, v1beta1.KindFlinkBlueGreenDeployment, namespace) {
		if slices.Contains(wanted, service.Name) {
			q.Services = append(q.Services, service)
		}
	}
	return q
}
