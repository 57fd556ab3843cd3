package cli

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/doctor/inspect"
)

// probeLimit is how long a probe waits: the clock turns every 5 minutes while no job runs.
const probeLimit = 7 * time.Minute

// probing is what the flags say of a probe.
type probing struct {
	on    bool
	limit time.Duration
}

func (b *probing) bind(f *pflag.FlagSet) {
	f.BoolVar(&b.on, "probe", false, "also prove by a canary that changes arrive: it is made, and deleted again")
	f.DurationVar(&b.limit, "timeout", probeLimit, "how long a probe waits for an answer")
}

// probe proves that source, clock and passes work.
func (p *program) probe(ctx context.Context, c *cluster, b probing) ([]doctor.Line, error) {
	p.note("canary kn-flink-probe in namespace %s: at most %v", c.namespace, b.limit)
	lines, err := inspect.Probe(ctx, inspect.Canary{
		Client: c.Client, Namespace: c.namespace, Now: p.Now, Pace: p.Pace, Limit: b.limit,
	})
	if err != nil {
		return nil, &Exit{CodeError, err}
	}
	return lines, nil
}
