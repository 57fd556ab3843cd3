package wire

import (
	"errors"
	"fmt"
)

// The kinds of failure. Every error of this package matches exactly one of them with errors.Is; errors.As with *Error
// gives the details. The first group is Flink's own word and may be acted upon; after an error of the second group
// nothing is known about what was asked for (see Unknown).
var (
	// ErrNotFound: Flink itself says that the job, trigger, checkpoint, vertex or jar does not exist.
	ErrNotFound = errors.New("flink does not know it")
	// ErrNoCheckpointing: the job exists and was started without checkpointing, so it has no checkpoint statistics.
	ErrNoCheckpointing = errors.New("checkpointing is not enabled for the job")
	// ErrNoEndpoint: this Flink serves no such path: its version is too old, or web.submit.enable is false (/jars).
	ErrNoEndpoint = errors.New("flink does not serve this path")
	// ErrTerminal: a cancel came too late, the job has already ended in a state other than CANCELED.
	ErrTerminal = errors.New("the job has already ended")
	// ErrDuplicateJob: a jar run named a job ID that this JobManager runs, or has already seen end.
	ErrDuplicateJob = errors.New("flink already has a job with this ID")
	// ErrRejected: Flink refuses the request as it stands (4xx); the same request will be refused again.
	ErrRejected = errors.New("flink rejected the request")

	// ErrUnreachable: no complete HTTP answer: DNS, refused or reset connection, timeout, cancelled context.
	// A request that changes something may have been carried out all the same.
	ErrUnreachable = errors.New("flink is unreachable")
	// ErrTLS: someone is there, and one side does not accept the other: a certificate, or TLS where none is expected. It
	// stays so until a person acts. Nothing was carried out.
	ErrTLS = errors.New("the tls connection to flink failed")
	// ErrUnavailable: the JobManager answers, but is not ready: leader election, recovery, a job that is being set up.
	ErrUnavailable = errors.New("flink is not ready")
	// ErrServer: Flink failed while it handled the request (5xx with its own message).
	ErrServer = errors.New("flink failed to handle the request")
	// ErrNotFlink: something else answered, such as a proxy, an ingress or another service at that address.
	ErrNotFlink = errors.New("the response is not from flink")
	// ErrMalformed: a success whose body is not what Flink documents: not JSON, wrong types, too large, another job.
	ErrMalformed = errors.New("the response cannot be parsed")
	// ErrSource: the reader of an upload failed; Flink is not to blame.
	ErrSource = errors.New("reading the jar failed")
)

// Error is what every call fails with.
type Error struct {
	// Op is what was tried, such as "trigger savepoint".
	Op string
	// Method is the HTTP method.
	Method string
	// Path is the path asked for below the base URL, without host and query.
	Path string
	// Status is the HTTP status; 0 when no answer came.
	Status int
	// Message is Flink's message or the reason of a transport failure: one line without stack frames and without local
	// addresses, so that an unchanged world gives an unchanged text; at most 2 KiB.
	Message string
	// Kind is one of the Err variables of this package.
	Kind error
	// Cause is the error below, such as a *net.OpError; nil when Flink answered.
	Cause error
}

// Error gives operation, kind, path, status and message on one line.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s (%s %s", e.Op, e.Kind, e.Method, e.Path)
	if e.Status != 0 {
		text += fmt.Sprintf(": %d", e.Status)
	}
	text += ")"
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Unwrap makes errors.Is and errors.As see the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Unknown tells whether err leaves the question open: it is not nil and not Flink's own word. A caller that observes
// turns such an error into "could not look", never into "is not there".
func Unknown(err error) bool {
	if err == nil {
		return false
	}
	for _, word := range []error{
		ErrNotFound, ErrNoCheckpointing, ErrNoEndpoint, ErrTerminal, ErrDuplicateJob, ErrRejected,
	} {
		if errors.Is(err, word) {
			return false
		}
	}
	return true
}
