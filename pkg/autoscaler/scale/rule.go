package scale

// Rule names what decided the parallelism of a vertex.
type Rule string

// The rules, in the order in which they are tried. A later one that applies hides an earlier one.
const (
	// RuleUnknown is none yet.
	RuleUnknown Rule = ""
	// RuleNoRate is a vertex whose true processing rate or needed capacity is not known: it stays.
	RuleNoRate Rule = "NoRate"
	// RuleTarget is a vertex that gets what the utilisation target asks for.
	RuleTarget Rule = "UtilizationTarget"
	// RuleMaxDown and RuleMaxUp bound one step: scale-down.max-factor and scale-up.max-factor.
	RuleMaxDown Rule = "ScaleDownMaxFactor"
	RuleMaxUp   Rule = "ScaleUpMaxFactor"
	// RuleVertexMin and RuleVertexMax bound the parallelism: vertex.min-parallelism and vertex.max-parallelism.
	RuleVertexMin Rule = "VertexMinParallelism"
	RuleVertexMax Rule = "VertexMaxParallelism"
	// RuleKeyGroups is the max parallelism of the vertex, which is the number of its key groups.
	RuleKeyGroups Rule = "MaxParallelism"
	// RuleAlignment aligned the parallelism with key groups or source partitions.
	RuleAlignment Rule = "Alignment"
	// RuleIneffective held a step up back after one that gained nothing.
	RuleIneffective Rule = "IneffectiveScaling"
	// RuleTakenBack takes a step up back that gained nothing: scaling.take-back-ineffective.
	RuleTakenBack Rule = "IneffectiveScalingTakenBack"
	// RuleAfterTakeBack holds the next step up back for scale-down.interval from then.
	RuleAfterTakeBack Rule = "AfterTakeBack"
	// RuleDelayed holds a scale down back for scale-down.interval.
	RuleDelayed Rule = "ScaleDownInterval"
	// RuleDelayOver let a scale down through, at the highest parallelism that was recommended in the interval.
	RuleDelayOver Rule = "ScaleDownIntervalOver"
)
