package plan

// Observed is one part of the world as a pass saw it. The zero value is Unknown, so that what nobody looked at is never
// taken for something that is not there.
type Observed[T any] struct {
	state observedState
	why   string
	value T
}

type observedState int

const (
	stateUnknown observedState = iota
	stateAbsent
	statePresent
)

// Present is a part that was looked at and found.
func Present[T any](value T) Observed[T] { return Observed[T]{state: statePresent, value: value} }

// Absent is a part that was looked for and is not there.
func Absent[T any]() Observed[T] { return Observed[T]{state: stateAbsent} }

// Unknown is a part that could not be looked at; why is one line for people.
func Unknown[T any](why string) Observed[T] { return Observed[T]{why: why} }

// Get returns the value and whether it is present.
func (o Observed[T]) Get() (T, bool) { return o.value, o.state == statePresent }

// IsPresent reports whether the part was found.
func (o Observed[T]) IsPresent() bool { return o.state == statePresent }

// IsAbsent reports whether the part was looked for and is not there.
func (o Observed[T]) IsAbsent() bool { return o.state == stateAbsent }

// IsUnknown reports whether nothing is known about the part.
func (o Observed[T]) IsUnknown() bool { return o.state == stateUnknown }

// Why says why the part is Unknown; empty when nobody looked.
func (o Observed[T]) Why() string { return o.why }

// Within changes a part that is present.
func Within[T any](o Observed[T], change func(T) T) Observed[T] {
	if value, present := o.Get(); present {
		return Present(change(value))
	}
	return o
}
