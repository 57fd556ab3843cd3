package key

import "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"

// Options of a FlinkBlueGreenDeployment. They are read from its spec.configuration only.
var (
	// BlueGreenAbortGracePeriod is how long a new side may take to become ready before the change is aborted.
	BlueGreenAbortGracePeriod = blueGreen(withDefault(conf.KindDuration, "abort.grace-period", "10 min"))
	// BlueGreenRescheduleInterval is how often the Java operator checks a transition.
	BlueGreenRescheduleInterval = blueGreen(withDefault(conf.KindDuration, "reconciliation.reschedule-interval", "15 s"))
	// BlueGreenDeletionDelay is how long the new side must have been ready before the old one is deleted.
	BlueGreenDeletionDelay = blueGreen(withDefault(conf.KindDuration, "deployment-deletion.delay", "0 ms"))
	// BlueGreenHandover asks for a change that moves the job to a new cluster which is made warm beside it, so that the
	// two never run at once.
	BlueGreenHandover = blueGreen(withDefault(conf.KindBool, "handover.enabled", "false"))
	// BlueGreenHandoverPreflight has main of the new job run up to its submission on the new cluster before the old job is
	// stopped.
	BlueGreenHandoverPreflight = blueGreen(withDefault(conf.KindBool, "handover.preflight", "true"))
	// BlueGreenHandoverFallback says what follows where there is no room for a second cluster in time: upgrade upgrades
	// the job in one place, with the gap of a restart, and none gives the change up.
	BlueGreenHandoverFallback = blueGreen(oneOf("handover.fallback", "none", "upgrade"))
	// BlueGreenHandoverDeadline is how long the job may take on the new cluster from its start to its first completed
	// checkpoint. After that it returns to the old one.
	BlueGreenHandoverDeadline = blueGreen(withDefault(conf.KindDuration, "handover.deadline", "1 min"))

	// GateDeadline is how long the gates may take, from when the new side is ready and the deletion delay is over.
	GateDeadline = blueGreen(withDefault(conf.KindDuration, "gate.deadline", "30 min"))
	// GateCheckpoints is how many checkpoints the new side must have completed; 0 is no gate.
	GateCheckpoints = blueGreen(withDefault(conf.KindInt, "gate.checkpoints", "0"))
	// GateMaxRestarts is how often the job of the new side may restart; not set is no gate.
	GateMaxRestarts = blueGreen(unset(conf.KindInt, "gate.max-restarts"))
	// GateMaxLag is how many records may be pending at the sources of the new side; not set is no gate.
	GateMaxLag = blueGreen(unset(conf.KindInt, "gate.max-lag"))
	// GateLagNotGrowing has the lag of the new side be no higher at the end of the window than at its beginning.
	GateLagNotGrowing = blueGreen(withDefault(conf.KindBool, "gate.lag-not-growing", "false"))
	// GateLagWindow is for how long the lag has to be as the two before ask for.
	GateLagWindow = blueGreen(withDefault(conf.KindDuration, "gate.lag-window", "1 min"))
	// GateMaxErrorRate is which share of the records that the sinks send may fail, from 0 to 1; not set is no gate.
	GateMaxErrorRate = blueGreen(unset(conf.KindFloat, "gate.max-error-rate"))
	// GatePrometheusQuery is a query of Prometheus that must give samples, and none that is 0; not set is no gate.
	GatePrometheusQuery = blueGreen(unset(conf.KindString, "gate.prometheus-query"))
	// GateServices are the names of services that must allow it, as kubernetes.operator.plugins.gates.<name> of the
	// installation defines them; not set is no gate.
	GateServices = blueGreen(unset(conf.KindList, "gate.services"))
	// GateApproval has a user decide, with an annotation.
	GateApproval = blueGreen(withDefault(conf.KindBool, "gate.approval", "false"))

	// GatePrometheusURL is where Prometheus answers the queries of gates. An administrator decides it: the functions ask
	// there, with rights in the network that those who write resources may not have.
	GatePrometheusURL = scoped(conf.ScopeNamespace, unset(conf.KindString, "bluegreen.gate.prometheus.url"))
)

// BlueGreen are all options of a FlinkBlueGreenDeployment.
func BlueGreen() []conf.Option {
	return []conf.Option{
		BlueGreenAbortGracePeriod, BlueGreenRescheduleInterval, BlueGreenDeletionDelay, BlueGreenHandover,
		BlueGreenHandoverPreflight, BlueGreenHandoverFallback, BlueGreenHandoverDeadline,
		GateDeadline, GateCheckpoints, GateMaxRestarts, GateMaxLag, GateLagNotGrowing, GateLagWindow, GateMaxErrorRate,
		GatePrometheusQuery, GateServices, GateApproval,
	}
}

// BlueGreenPrefix starts every option of a FlinkBlueGreenDeployment.
const BlueGreenPrefix = OperatorPrefix + "bluegreen."

func blueGreen(o conf.Option) conf.Option {
	o.Key = "bluegreen." + o.Key
	return scoped(conf.ScopeBlueGreen, o)
}
