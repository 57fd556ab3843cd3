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

// Result is what follows from an error.
type Result struct {
	// HTTP is the status code that answers the event. Redelivery follows on 5xx, never on 200.
	HTTP int
	// Log is the log level of the line.
	Log Level
}

// Of returns what follows from a kind. An unknown kind is treated as a Bug.
//
//	kind       HTTP  log
//	None       200   debug
//	Invalid    200   info
//	Denied     200   error
//	Waiting    200   debug
//	Conflict   200   debug
//	Transient  503   info
//	Bug        500   error
//	Unknown    500   as Bug
func Of(kind Kind) Result {
	switch kind {
	case None, Waiting, Conflict:
		return Result{HTTP: http.StatusOK, Log: LevelDebug}
	case Invalid:
		return Result{HTTP: http.StatusOK, Log: LevelInfo}
	case Denied:
		return Result{HTTP: http.StatusOK, Log: LevelError}
	case Transient:
		return Result{HTTP: http.StatusServiceUnavailable, Log: LevelInfo}
	default:
		return Result{HTTP: http.StatusInternalServerError, Log: LevelError}
	}
}

// ResultOf is Of(KindOf(err)).
func ResultOf(err error) Result { return Of(KindOf(err)) }
