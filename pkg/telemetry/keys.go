package telemetry

// The keys of log lines. One word per idea, the same in every function, so that one query finds a pass in all of them.
const (
	// Key is "<namespace>/<Kind>/<name>" of the resource.
	Key = "key"
	// Namespace is the name of a namespace, where a line is about all of one.
	Namespace = "namespace"
	// UID is metadata.uid of the resource.
	UID = "uid"
	// Generation is metadata.generation of the resource.
	Generation = "generation"
	// EventID is the CloudEvent's id.
	EventID = "event_id"
	// TraceID is that of the event that a line follows from, 32 hexadecimal digits: the same from the source's event
	// through all that it led to.
	TraceID = "trace_id"
	// EventType is the CloudEvent's type.
	EventType = "event_type"
	// Situation is the plan's one word for what it found.
	Situation = "situation"
	// Rule is the name of the rule of a plan that decided.
	Rule = "rule"
	// Reason is a CamelCase constant: why.
	Reason = "reason"
	// Action is one action of a plan, printed.
	Action = "action"
	// Actions are all actions of a plan, printed.
	Actions = "actions"
	// DurationMS is a duration in milliseconds.
	DurationMS = "duration_ms"
	// Error is an error's text, one line.
	Error = "error"
	// ErrorKind is the kind of package fail.
	ErrorKind = "error_kind"
	// Count is a number of things, named by the message.
	Count = "count"
	// State is a lifecycle state or the state of a snapshot, Was the one before it.
	State, Was = "state", "was"
	// Severity is that of an Event for people: Info or Warning.
	Severity = "severity"
	// Pace is the clock's or a resource's pace.
	Pace = "pace"
)
