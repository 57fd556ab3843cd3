package metrics

import "go.opentelemetry.io/otel/attribute"

// Histogram, Counter and Gauge are the names of instruments. A name of one kind is of no other.
type (
	// Histogram is of durations in seconds, and of how many there were.
	Histogram string
	// Counter counts what has happened.
	Counter string
	// Gauge is how something is.
	Gauge string
)

// Durations.
const (
	// PassDuration is of passes: kind, error type.
	PassDuration Histogram = "flink.operator.pass.duration"
	// UnreadyDuration is how long a resource was not ready that a pass found ready again: kind, namespace, and the
	// lifecycle state that it came to.
	UnreadyDuration Histogram = "flink.operator.resource.unready.duration"
	// HandoverGap is how long no job of a blue/green deployment ran during a handover: kind, namespace.
	HandoverGap Histogram = "flink.operator.handover.gap"
	// StateDuration is how long a resource was in a lifecycle state that it has left: kind, namespace, from, to.
	StateDuration Histogram = "flink.operator.resource.state.duration"
	// SweepDuration is of ticks of the clock: what they looked at, error type.
	SweepDuration Histogram = "flink.operator.sweep.duration"
	// ShardDuration is of the pages of a sweep that was spread: kind, error type.
	ShardDuration Histogram = "flink.operator.shard.duration"
	// ReviewDuration is of AdmissionReviews: kind, operation, path, outcome.
	ReviewDuration Histogram = "flink.operator.review.duration"
	// CallDuration is of HTTP requests that the function makes: peer, method, status code, error type.
	CallDuration Histogram = "http.client.request.duration"
)

// Counts.
const (
	// Rounds are those of passes: kind, situation, error type.
	Rounds Counter = "flink.operator.rounds"
	// Effects are actions of plans that were carried out, or failed: kind, action, error type.
	Effects Counter = "flink.operator.effects"
	// Transitions are changes of a lifecycle state: kind, namespace, from, to.
	Transitions Counter = "flink.operator.lifecycle.transitions"
	// Looks are resources that a sweep looked at: kind, error type.
	Looks Counter = "flink.operator.looks"
	// Requests are passes that were asked for: kind, reason.
	Requests Counter = "flink.operator.pass.requests"
	// Cycles are those in which the autoscaler decided, or failed to: kind, namespace, name, outcome, error type. A
	// scaling is counted where it is stored.
	Cycles Counter = "flink.operator.autoscaler.cycles"
)

// How the fleet is, by the newest sweep.
const (
	// Resources are how many there are: kind, namespace.
	Resources Gauge = "flink.operator.resources"
	// States are how many are in a lifecycle state: kind, namespace, state. A resource that no pass has seen is in none.
	States Gauge = "flink.operator.resource.states"
	// StateAge is for how long the one that is longest in a lifecycle state is in it: kind, namespace, state. A state in
	// which none is has none.
	StateAge Gauge = "flink.operator.resource.state.age"
	// JobManagers are how many FlinkDeployments have their JobManager in a state: namespace, state.
	JobManagers Gauge = "flink.operator.jobmanager.states"
	// Jobs are how many jobs are in a state of Flink: kind, namespace, state.
	Jobs Gauge = "flink.operator.job.states"
	// Versions are how many clusters run a version of Flink, as it says itself: namespace, version.
	Versions Gauge = "flink.operator.flink.versions"
	// SweepTime is when the newest sweep began, in seconds since 1970.
	SweepTime Gauge = "flink.operator.sweep.time"
	// SweepComplete is 1 if it read everything, else 0.
	SweepComplete Gauge = "flink.operator.sweep.complete"
	// SweepInterval is how long the clock waits at the longest before the next one, in seconds.
	SweepInterval Gauge = "flink.operator.sweep.interval"
)

// How one resource is, by the newest look at it: kind, namespace, name.
const (
	// Waiting is for how long it has been stalled, in seconds: reason, too. One that is not stalled has none.
	Waiting Gauge = "flink.operator.resource.stalled.time"
	// CanaryUnanswered is for how long no function has answered the change of a canary, in seconds; 0 while all is well.
	CanaryUnanswered Gauge = "flink.operator.canary.unanswered.time"
	// CheckpointAge is how long ago the newest checkpoint was taken that is known, in seconds.
	CheckpointAge Gauge = "flink.operator.job.checkpoint.age"
	// CPU is that of all its pods, in cores.
	CPU Gauge = "flink.operator.cluster.cpu"
	// Memory is that of all its pods.
	Memory Gauge = "flink.operator.cluster.memory"
	// StateSize is that of the newest checkpoint.
	StateSize Gauge = "flink.operator.job.state.size"
)

// How a vertex of an autoscaled job is, by the newest sample that was kept of it: kind, namespace, name, vertex. The
// words are those of the Java autoscaler; rates are in records per second.
const (
	// Load is its busy time over the window, as a share of 1.
	Load Gauge = "flink.operator.autoscaler.load"
	// TrueProcessingRate is what it could process over the window if it were busy all the time.
	TrueProcessingRate Gauge = "flink.operator.autoscaler.true_processing_rate"
	// TargetDataRate is what comes in for it, over the window.
	TargetDataRate Gauge = "flink.operator.autoscaler.target_data_rate"
	// CatchUpDataRate is what working off the backlog takes besides.
	CatchUpDataRate Gauge = "flink.operator.autoscaler.catch_up_data_rate"
	// Lag is how many records wait in front of a source.
	Lag Gauge = "flink.operator.autoscaler.lag"
	// Parallelism is that of the running job.
	Parallelism Gauge = "flink.operator.autoscaler.parallelism"
	// RecommendedParallelism is what it should be. While the window is not full there is none.
	RecommendedParallelism Gauge = "flink.operator.autoscaler.recommended_parallelism"
	// MaxParallelism is how many key groups it has.
	MaxParallelism Gauge = "flink.operator.autoscaler.max_parallelism"
	// SourcePartitions is how many partitions a source reads; 0 is not known.
	SourcePartitions Gauge = "flink.operator.autoscaler.num_source_partitions"
	// ScaleUpThreshold is below which TrueProcessingRate is too low.
	ScaleUpThreshold Gauge = "flink.operator.autoscaler.scale_up_rate_threshold"
	// ScaleDownThreshold is above which TrueProcessingRate is too high; infinite while a backlog is worked off.
	ScaleDownThreshold Gauge = "flink.operator.autoscaler.scale_down_rate_threshold"
	// ExpectedProcessingRate is what TrueProcessingRate should become. Where nothing is to change there is none.
	ExpectedProcessingRate Gauge = "flink.operator.autoscaler.expected_processing_rate"
)

// What a cycle of the autoscaler may count as, beside what is told of decisions that change nothing.
const (
	// Scaled is a decision that is stored.
	Scaled = "Scaled"
	// Failed is a cycle that came to no decision.
	Failed = "Failed"
)

// about is what an instrument says of itself.
type about struct{ unit, text string }

// histograms, counters and gauges are all instruments.
var (
	histograms = map[Histogram]about{
		PassDuration:    {"s", "Duration of passes."},
		HandoverGap:     {"s", "Time without a running job during handovers."},
		UnreadyDuration: {"s", "Time that resources were not ready which are ready now."},
		StateDuration:   {"s", "Time that resources were in a lifecycle state which they have left."},
		SweepDuration:   {"s", "Duration of ticks of the clock."},
		ShardDuration:   {"s", "Duration of pages of a sweep that was spread over pods."},
		ReviewDuration:  {"s", "Duration of AdmissionReviews."},
		CallDuration:    {"s", "Duration of HTTP requests to Kubernetes and Flink."},
	}
	counters = map[Counter]about{
		Rounds:      {"{round}", "Rounds of passes, by the situation that they found."},
		Effects:     {"{effect}", "Actions that passes carried out, or failed to."},
		Transitions: {"{transition}", "Changes of a lifecycle state."},
		Looks:       {"{look}", "Looks of sweeps at a resource."},
		Requests:    {"{request}", "Passes that were asked for."},
		Cycles:      {"{cycle}", "Cycles of the autoscaler, by what came of them."},
	}
	gauges = map[Gauge]about{
		Resources:        {"{resource}", "Resources by kind and namespace."},
		States:           {"{resource}", "Resources by lifecycle state."},
		StateAge:         {"s", "Age of the resource that has been in a lifecycle state the longest."},
		JobManagers:      {"{cluster}", "FlinkDeployments by the state of their JobManager."},
		Jobs:             {"{job}", "Jobs by their state at Flink."},
		Versions:         {"{cluster}", "FlinkDeployments by the version of Flink that they run."},
		SweepTime:        {"s", "When the newest sweep of all resources began, since 1970."},
		SweepComplete:    {"", "1 if the newest sweep read all resources."},
		SweepInterval:    {"s", "Time between sweeps at the present pace of the clock."},
		Waiting:          {"s", "Time for which a resource has been stalled."},
		CanaryUnanswered: {"s", "Time for which no function has answered the change of a canary."},
		CheckpointAge:    {"s", "Age of the newest checkpoint that is known."},
		CPU:              {"{cpu}", "CPU of all pods of a Flink cluster."},
		Memory:           {"By", "Memory of all pods of a Flink cluster."},
		StateSize:        {"By", "State of a job in its newest checkpoint."},

		Load:                   {"", "Share of the time that a vertex is busy."},
		TrueProcessingRate:     {"{record}/s", "Records that a vertex could process if it were busy all the time."},
		TargetDataRate:         {"{record}/s", "Records that come in for a vertex."},
		CatchUpDataRate:        {"{record}/s", "Records that a vertex has to process besides for its backlog."},
		Lag:                    {"{record}", "Records that wait in front of a source."},
		Parallelism:            {"{subtask}", "Parallelism of a vertex."},
		RecommendedParallelism: {"{subtask}", "Parallelism that a vertex should have."},
		MaxParallelism:         {"{subtask}", "Parallelism that a vertex can have at the most."},
		SourcePartitions:       {"{partition}", "Partitions that a source reads, 0 if that is not known."},
		ScaleUpThreshold:       {"{record}/s", "Rate that a vertex must be able to process not to be scaled up."},
		ScaleDownThreshold:     {"{record}/s", "Rate that a vertex must be able to process to be scaled down."},
		ExpectedProcessingRate: {"{record}/s", "Records that a vertex should be able to process once it is scaled."},
	}
)

// bounds are the buckets of durations, in seconds: from a request to a pass that uploads a jar.
var bounds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60, 300}

// longBounds are those of upgrades and the like, from a second to a week.
var longBounds = []float64{1, 5, 15, 30, 60, 120, 300, 900, 3600, 14400, 86400, 604800}

// Attributes. Names of Kubernetes and of errors are OpenTelemetry's, the others begin with flink.
const (
	keyKind       = attribute.Key("flink.resource.kind")
	keyName       = attribute.Key("flink.resource.name")
	keyNamespace  = attribute.Key("k8s.namespace.name")
	keyState      = attribute.Key("flink.state")
	keyFrom       = attribute.Key("flink.state.from")
	keyVersion    = attribute.Key("flink.version")
	keySituation  = attribute.Key("flink.operator.situation")
	keyAction     = attribute.Key("flink.operator.action")
	keyReason     = attribute.Key("flink.operator.reason")
	keySweep      = attribute.Key("flink.operator.sweep")
	keyOperation  = attribute.Key("flink.operator.review.operation")
	keyReview     = attribute.Key("flink.operator.review.path")
	keyOutcome    = attribute.Key("flink.operator.review.outcome")
	keyDecided    = attribute.Key("flink.operator.autoscaler.outcome")
	keyVertex     = attribute.Key("flink.vertex.id")
	keyErrorType  = attribute.Key("error.type")
	keyPeer       = attribute.Key("peer.service")
	keyMethod     = attribute.Key("http.request.method")
	keyStatusCode = attribute.Key("http.response.status_code")
)

// Attribute tells a measurement from the others of its instrument.
type Attribute = attribute.KeyValue

// Kind is that of a resource.
func Kind(kind string) Attribute { return keyKind.String(kind) }

// Namespace is that of a resource.
func Namespace(namespace string) Attribute { return keyNamespace.String(namespace) }

// Name is that of a resource.
func Name(name string) Attribute { return keyName.String(name) }

// State is the state that a resource or job is in, or comes to.
func State(state string) Attribute { return keyState.String(state) }

// From is the state that a resource leaves.
func From(state string) Attribute { return keyFrom.String(state) }

// Version is one of Flink.
func Version(version string) Attribute { return keyVersion.String(version) }

// Situation is what a plan found.
func Situation(situation string) Attribute { return keySituation.String(situation) }

// Action is what a plan does.
func Action(action string) Attribute { return keyAction.String(action) }

// Reason is a CamelCase constant: why.
func Reason(reason string) Attribute { return keyReason.String(reason) }

// Sweep is what a tick looked at.
func Sweep(what string) Attribute { return keySweep.String(what) }

// Operation is that of an AdmissionReview.
func Operation(operation string) Attribute { return keyOperation.String(operation) }

// Review is the path of an AdmissionReview.
func Review(path string) Attribute { return keyReview.String(path) }

// Outcome is that of an AdmissionReview.
func Outcome(outcome string) Attribute { return keyOutcome.String(outcome) }

// Decided is what came of a cycle of the autoscaler.
func Decided(outcome string) Attribute { return keyDecided.String(outcome) }

// Vertex is the hex ID of one.
func Vertex(id string) Attribute { return keyVertex.String(id) }

// ErrorType is the kind of an error; empty for none, which is no attribute at all.
func ErrorType(kind string) Attribute { return keyErrorType.String(kind) }
