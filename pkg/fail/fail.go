package fail

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Error is a classified error. Build it with the constructors; find it with errors.As.
type Error struct {
	// Op is what was attempted and for which object, lower case, such as `create Deployment ns/name`. Empty: not said.
	Op string
	// Kind decides what follows, see Of. The empty kind means: derive it from Err.
	Kind Kind
	// Reason is one CamelCase word used unchanged as condition reason, event reason and metric label. Empty: use
	// ReasonOf.
	Reason string
	// Err is the cause. Nil only in a zero Error.
	Err error
}

// Error returns "op: cause" on one line of bounded length.
func (e *Error) Error() string {
	switch {
	case e == nil:
		return ""
	case e.Err == nil:
		return oneLine(e.Op)
	case e.Op == "":
		return oneLine(e.Err.Error())
	}
	return oneLine(e.Op + ": " + e.Err.Error())
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Invalidf says that the user must change the spec.
func Invalidf(op, reason, format string, args ...any) error {
	return newError(Invalid, op, reason, fmt.Errorf(format, args...))
}

// Deniedf says that RBAC or credentials stand in the way.
func Deniedf(op, reason, format string, args ...any) error {
	return newError(Denied, op, reason, fmt.Errorf(format, args...))
}

// Waitingf says that something is not ready yet. It is not a failure.
func Waitingf(op, reason, format string, args ...any) error {
	return newError(Waiting, op, reason, fmt.Errorf(format, args...))
}

// Conflictf says that our view of the world was stale.
func Conflictf(op, reason, format string, args ...any) error {
	return newError(Conflict, op, reason, fmt.Errorf(format, args...))
}

// Transientf says that the same call may succeed a moment later.
func Transientf(op, reason, format string, args ...any) error {
	return newError(Transient, op, reason, fmt.Errorf(format, args...))
}

// Bugf says that an invariant of our own is broken.
func Bugf(op, reason, format string, args ...any) error {
	return newError(Bug, op, reason, fmt.Errorf(format, args...))
}

// Wrap adds the operation to an error and keeps the kind and reason that the error already has or that KindOf and
// ReasonOf derive from it. It returns nil for a nil error.
func Wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return newError(KindOf(err), op, ReasonOf(err), err)
}

// As classifies an error on purpose, whatever KindOf would say of it. It returns nil for a nil error.
func As(kind Kind, op, reason string, err error) error {
	if err == nil {
		return nil
	}
	return newError(kind, op, reason, err)
}

// Recovered turns the value of a recovered panic into a Bug. It returns nil for a nil value. The stack is the
// caller's to log.
func Recovered(op string, value any) error {
	if value == nil {
		return nil
	}
	if err, ok := value.(error); ok {
		return newError(Bug, op, ReasonPanic, fmt.Errorf("panic: %w", err))
	}
	return newError(Bug, op, ReasonPanic, fmt.Errorf("panic: %v", value))
}

// Discreet makes an error tell its text as hide leaves it. Kind, reason and causes stay. It returns nil for a nil
// error.
func Discreet(err error, hide func(text string) string) error {
	if err == nil {
		return nil
	}
	return &discreet{err, hide}
}

type discreet struct {
	err  error
	hide func(text string) string
}

func (e *discreet) Error() string { return e.hide(e.err.Error()) }

func (e *discreet) Unwrap() error { return e.err }

func newError(kind Kind, op, reason string, err error) error {
	return &Error{Op: op, Kind: kind, Reason: reason, Err: err}
}

// Is says whether the error is of that kind.
func Is(err error, kind Kind) bool { return KindOf(err) == kind }

// OpOf returns the outermost operation that the error names, or "".
func OpOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Op
	}
	return ""
}

// MaxMessage is the longest text of an error, in bytes. A condition message may be 32 KiB and an event message 1 KiB;
// this bound keeps both readable.
const MaxMessage = 1000

// Message returns the error's text for a condition, an event or a log line: one line, at most MaxMessage bytes, valid
// UTF-8. A nil error gives "".
func Message(err error) string {
	if err == nil {
		return ""
	}
	return oneLine(err.Error())
}

const ellipsis = "..."

// oneLine hides secrets, folds every run of white space and control characters into one blank and cuts to MaxMessage
// at a rune boundary.
func oneLine(text string) string {
	folded := strings.Join(strings.FieldsFunc(redact.Text(strings.ToValidUTF8(text, "?")), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if len(folded) <= MaxMessage {
		return folded
	}
	cut := MaxMessage - len(ellipsis)
	for cut > 0 && !utf8.RuneStart(folded[cut]) {
		cut--
	}
	return folded[:cut] + ellipsis
}
