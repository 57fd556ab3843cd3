package event

// Types of the events that come from Knative's sources.
const (
	// TypePing is a tick of a PingSource.
	TypePing = "dev.knative.sources.ping"
	// prefixAPIServer starts the type of an ApiServerSource's event in Reference mode; add, update or delete follows.
	prefixAPIServer = "dev.knative.apiserver.ref."
	// typeAPIServerDelete says that an object is gone.
	typeAPIServerDelete = prefixAPIServer + "delete"
)

// Types of the events that the functions post. The first three stay in Broker flink-control, the others are for users'
// listeners in Broker flink-events.
const (
	// TypePassRequested asks for one pass of one resource; extension reason says why.
	TypePassRequested = "org.apache.flink.operator.pass.requested.v1"
	// TypeUploadRequested asks for a pass that may upload a jar, by the function that has the time for it.
	TypeUploadRequested = "org.apache.flink.operator.upload.requested.v1"
	// TypeShard asks observe to look at one page of one kind; data is a Shard.
	TypeShard = "org.apache.flink.operator.shard.v1"
	// TypeStatus tells a change of a resource's lifecycle state, job state or error.
	TypeStatus = "org.apache.flink.operator.status.v1"
	// TypeEvent tells what a Kubernetes Event of ours tells.
	TypeEvent = "org.apache.flink.operator.event.v1"
)

// Names of CloudEvent extensions. The first four are ApiServerSource's, ours use the same words.
const (
	extKind       = "kind"
	extName       = "name"
	extNamespace  = "namespace"
	extAPIVersion = "apiversion"
	extReason     = "reason"
)

// Reason says why a pass is asked for.
type Reason string

// The reasons of pass.requested and upload.requested.
const (
	// ReasonTransition is a resource on its way to another state.
	ReasonTransition Reason = "transition"
	// ReasonHealth is a job or JobManager whose observed state differs from the recorded one.
	ReasonHealth Reason = "health"
	// ReasonDrift is a spec that no pass has seen yet, or children that do not match.
	ReasonDrift Reason = "drift"
	// ReasonDependant is a resource that depends on another one, which has just changed.
	ReasonDependant Reason = "dependant"
	// ReasonJar is a session job whose jar is to be uploaded.
	ReasonJar Reason = "jar"
	// ReasonWorkload is a change of a JobManager Deployment.
	ReasonWorkload Reason = "workload"
)
