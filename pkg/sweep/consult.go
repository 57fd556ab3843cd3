package sweep

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// consult asks a plug-in of the autoscaler about a sample. One that does not answer is told in the log, and what is
// kept says so.
func (o *Observer) consult(ctx context.Context, m measured, q plugin.Question) plugin.Answer {
	q.Resource = plugin.Resource{Kind: m.key.Kind, Namespace: m.key.Namespace, Name: m.key.Name}
	a, err := o.ask(ctx, q)
	if err != nil {
		a = q.Failed(err)
	}
	if a.Problem != "" && ctx.Err() == nil { // else it is asked again
		telemetry.Traced(ctx, o.Log).Infow(
			"a plug-in of the autoscaler does not answer", telemetry.Key, m.key.String(), "plugin", q.Name,
			telemetry.Error, a.Problem,
		)
	}
	return a
}

func (o *Observer) ask(ctx context.Context, q plugin.Question) (plugin.Answer, error) {
	known, _ := o.Gather.Operator.ScalingPlugins()
	at, has := known[q.Class]
	if !has || o.Post == nil {
		return plugin.Answer{}, fmt.Errorf("class %s has no address", q.Class)
	}
	body, err := json.Marshal(q)
	if err != nil {
		return plugin.Answer{}, err
	}
	text, err := o.Post(ctx, at.URL, at.Timeout, body)
	if err != nil {
		return plugin.Answer{}, err
	}
	return q.Read(text), nil
}
