package fail

import "net/http"

// Kind is the class of an error.
type Kind string

// The kinds. None is the kind of no error at all, Unknown that of an error nobody classified.
const (
	// None is the kind of a nil error.
	None Kind = ""
	// Invalid: the user must change the spec.
	Invalid Kind = "Invalid"
	// Denied: RBAC or credentials stand in the way; a person must change them.
	Denied Kind = "Denied"
	// Waiting: something is not ready yet; not a failure.
	Waiting Kind = "Waiting"
	// Conflict: our view was stale; the write that beat us has its own event.
	Conflict Kind = "Conflict"
	// Transient: timeout, 5xx, connection refused.
	Transient Kind = "Transient"
	// Bug: a broken invariant or a recovered panic.
	Bug Kind = "Bug"
	// Unknown: nobody classified the error; it is handled like a Bug.
	Unknown Kind = "Unknown"
)

// Kinds returns every kind of a real error, in the order of the table above Of.
func Kinds() []Kind { return []Kind{Invalid, Denied, Waiting, Conflict, Transient, Bug, Unknown} }

// Event says when a kind is worth a Kubernetes event of type Warning.
type Event string

// The event policies.
const (
	// EventNone: never.
	EventNone Event = "None"
	// EventOnce: once per new problem, that is when the reason or the message changes.
	EventOnce Event = "Once"
	// EventRepeated: when it happened RepeatsBeforeEvent times in a row.
	EventRepeated Event = "Repeated"
	// EventAlways: each time.
	EventAlways Event = "Always"
)

// RepeatsBeforeEvent is how many times in a row a Transient error happens before it is worth an event.
const RepeatsBeforeEvent = 3

// Level is the log level of a kind. Errors are logged as error lines at info verbosity.
type Level string

// The log levels.
const (
	// LevelDebug is for what happens in a healthy system.
	LevelDebug Level = "debug"
	// LevelInfo is for what a reader of the log wants to know.
	LevelInfo Level = "info"
	// LevelError is for what a person must look at.
	LevelError Level = "error"
)

// Condition is one condition that a kind asks for.
type Condition struct {
	// Type is the condition type: Ready, Reconciling or Stalled.
	Type string
	// Status is "True", "False" or "Unknown", as in metav1.ConditionStatus.
	Status string
}

// Result is what follows from an error.
type Result struct {
	// HTTP is the status code that answers the event. Redelivery follows on 5xx, never on 200.
	HTTP int
	// Conditions are the conditions to set, in order. Nil leaves all as they are.
	Conditions []Condition
	// KeepError says that status.error of an earlier problem stays as it is.
	KeepError bool
	// Slow says that the next look is due at the slow pace: only a person can change the result.
	Slow bool
	// Event says when a Warning event is worth sending.
	Event Event
	// Log is the log level of the line.
	Log Level
}

// Redeliver says whether the answer makes the Broker send the event again.
func (o Result) Redeliver() bool { return o.HTTP >= http.StatusInternalServerError }

// Of returns what follows from a kind. An unknown kind is treated as a Bug.
//
//	kind       HTTP  conditions                 error  pace  event     log
//	None       200   unchanged                  -      -     never     debug
//	Invalid    200   Stalled=True Ready=False   set    slow  once      info
//	Denied     200   Stalled=True Ready=False   set    slow  once      error
//	Waiting    200   Reconciling=True           set    -     never     debug
//	Conflict   200   unchanged                  kept   -     never     debug
//	Transient  503   Reconciling=True           kept   -     repeated  info
//	Bug        500   Ready=Unknown              set    -     always    error
//	Unknown    500   as Bug
func Of(kind Kind) Result {
	switch kind {
	case None:
		return Result{HTTP: http.StatusOK, KeepError: true, Event: EventNone, Log: LevelDebug}
	case Invalid:
		return Result{HTTP: http.StatusOK, Conditions: stalled(), Slow: true, Event: EventOnce, Log: LevelInfo}
	case Denied:
		return Result{HTTP: http.StatusOK, Conditions: stalled(), Slow: true, Event: EventOnce, Log: LevelError}
	case Waiting:
		return Result{HTTP: http.StatusOK, Conditions: reconciling(), Event: EventNone, Log: LevelDebug}
	case Conflict:
		return Result{HTTP: http.StatusOK, KeepError: true, Event: EventNone, Log: LevelDebug}
	case Transient:
		return Result{
			HTTP: http.StatusServiceUnavailable, Conditions: reconciling(), KeepError: true,
			Event: EventRepeated, Log: LevelInfo,
		}
	default:
		return Result{
			HTTP: http.StatusInternalServerError, Conditions: []Condition{{"Ready", "Unknown"}},
			Event: EventAlways, Log: LevelError,
		}
	}
}

// ResultOf is Of(KindOf(err)).
func ResultOf(err error) Result { return Of(KindOf(err)) }

func stalled() []Condition     { return []Condition{{"Stalled", "True"}, {"Ready", "False"}} }
func reconciling() []Condition { return []Condition{{"Reconciling", "True"}} }
