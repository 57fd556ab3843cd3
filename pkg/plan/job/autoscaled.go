package job

import (
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// Autoscaled reports whether the recorded spec may carry what an autoscaler had set, and nothing has turned that off.
func Autoscaled(v Life) bool {
	_, on := autoscaler(v)
	return on
}

// autoscaler is the configuration that the autoscaler of the job would read, and whether there is anything of it to
// keep.
func autoscaler(v Life) (flinkconf.Config, bool) {
	r := v.Seen.Resource
	recorded := r.Status.ReconciliationStatus.LastReconciledSpec
	if v.Last == nil || v.Seen.SpecProblem != "" || !autoscaled.MayShow(recorded) {
		return nil, false
	}
	asked, err := flinkconf.Flatten(r.Spec.FlinkConfiguration)
	if err != nil {
		return nil, false // validation says so
	}
	c := v.Seen.ClusterConfig
	if c == nil {
		c = v.Seen.Operator.Default(r.Namespace, r.Spec.FlinkVersion)
	}
	c = c.Merge(asked)
	return c, autoscaled.MayBeOn(c)
}

// keepAutoscaled lays over the spec what an autoscaler had set in the recorded one.
func keepAutoscaled(v Life) {
	c, on := autoscaler(v)
	if !on {
		return
	}
	if kept := autoscaled.Keep(&v.Spec, &v.Last.Spec, c, v.Seen.Autoscaled); kept != nil {
		v.Spec, v.KeepsAutoscaled = *kept, true
	}
}
