package world

import (
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// KeepsAutoscaled reports whether to look at what the autoscaler keeps of the job: it is on, or the recorded spec or
// the job may carry what it had set. Before the first deployment there is nothing.
func KeepsAutoscaled(v *Look) bool {
	c, known := AutoscalerDefaults(v)
	return known && (AsksAutoscaler(c) || mayBeAutoscaled(v))
}

// mayBeAutoscaled reports whether the recorded spec, or the job itself, may carry what an autoscaler had set.
func mayBeAutoscaled(v *Look) bool {
	status := v.Seen.Resource.Status
	return status.Rescaling || autoscaled.MayShow(status.ReconciliationStatus.LastReconciledSpec)
}

// AsksAutoscaler reports whether a configuration turns the autoscaler on.
func AsksAutoscaler(c flinkconf.Config) bool {
	return options.Read(c.Bool, key.AutoscalerEnabled, false)
}

// AutoscalerDefaults are the options of the autoscaler as the user's spec has them over the defaults; false: they say
// nothing of a job that was deployed.
func AutoscalerDefaults(v *Look) (flinkconf.Config, bool) {
	r := v.Seen.Resource
	if v.Last == nil || v.Last.Spec.Job == nil || r.Spec.Job == nil || v.Seen.SpecProblem != "" {
		return nil, false
	}
	if v.defaults != nil {
		return v.defaults, true
	}
	asked, err := flinkconf.Own(r.Spec.FlinkConfiguration)
	if err != nil {
		return nil, false // validation says so
	}
	c := v.Seen.ClusterConfig
	if c == nil {
		c = v.Seen.Operator.Default(r.Namespace, r.Spec.FlinkVersion)
	}
	v.defaults = c.Merge(asked)
	return v.defaults, true
}

// overlayAutoscaled lays over the spec what the autoscaler has set.
func overlayAutoscaled(v *Look) {
	c, known := AutoscalerDefaults(v)
	if !known || !(AsksAutoscaler(c) || mayBeAutoscaled(v)) {
		return
	}
	if kept := autoscaled.Keep(&v.Spec, &v.Last.Spec, c, v.Seen.Autoscaled); kept != nil {
		v.count(*kept)
		v.KeepsAutoscaled = true
	}
}

// storedAutoscaler is what was read of a store, and what was decided by it.
type StoredAutoscaler struct {
	autoscaler.Stored
	// lacksRoom tells that the nodes have no room for what was decided.
	LacksRoom bool
	// err is why it could not be read, or why nothing could be decided.
	Err error
}

// ScalingPlugins are the plug-ins that can be asked.
func ScalingPlugins(o flinkconf.Operator) autoscaler.Plugins {
	known, _ := o.ScalingPlugins() // what is wrong with them is told at the start
	plugins := make(autoscaler.Plugins, len(known))
	for class, p := range known {
		plugins[class] = p.Priority
	}
	return plugins
}
