package key

import "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"

// Options of a FlinkBlueGreenDeployment. They are read from its spec.configuration only.
var (
	// BlueGreenAbortGracePeriod is how long a new side may take to become ready before the change is aborted.
	BlueGreenAbortGracePeriod = blueGreen(conf.KindDuration, "abort.grace-period", "10 min")
	// BlueGreenRescheduleInterval is how often the Java operator checks a transition.
	BlueGreenRescheduleInterval = blueGreen(conf.KindDuration, "reconciliation.reschedule-interval", "15 s")
	// BlueGreenDeletionDelay is how long the new side must have been ready before the old one is deleted.
	BlueGreenDeletionDelay = blueGreen(conf.KindDuration, "deployment-deletion.delay", "0 ms")
	// BlueGreenHandover asks for a change that moves the job to a new cluster which is made warm beside it, so that the
	// two never run at once. This version does not have it, and refuses true.
	BlueGreenHandover = blueGreen(conf.KindBool, "handover.enabled", "false")
)

// BlueGreen are the options of a FlinkBlueGreenDeployment that are durations.
func BlueGreen() []conf.Option {
	return []conf.Option{BlueGreenAbortGracePeriod, BlueGreenRescheduleInterval, BlueGreenDeletionDelay}
}

func blueGreen(kind conf.Kind, name, def string) conf.Option {
	return scoped(conf.ScopeBlueGreen, withDefault(kind, "bluegreen."+name, def))
}
