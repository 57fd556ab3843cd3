package store

// The ConfigMap of a resource.
const (
	// Prefix and the name of the resource are its name.
	Prefix = "autoscaler-"
	// Selector and the name of the resource select it by its labels.
	Selector = "component=autoscaler,app="
)

// The keys of its data. ParallelismKey must never change: every job would lose what it was scaled to.
const (
	SamplesKey     = "collectedMetrics"
	HistoryKey     = "scalingHistory"
	RestartsKey    = "scalingTracking"
	ParallelismKey = "parallelismOverrides"
	ConfigKey      = "configOverrides"
	DelayedKey     = "delayedScaleDown"
)

// Keys are all of them.
func Keys() []string {
	return []string{SamplesKey, HistoryKey, RestartsKey, ParallelismKey, ConfigKey, DelayedKey}
}
