package render

import "fmt"

// SpecError says what is wrong with a resource and where. The user has to change the resource, or the operator's
// default configuration when the option comes from there.
type SpecError struct {
	// Where is the field (spec.podTemplate) or the Flink option key.
	Where string
	// Value is what stands there; empty when nothing does or when it must not be shown.
	Value string
	// Problem says what is wrong and what would be right.
	Problem string
	// Err is the cause; nil when there is none beside Problem.
	Err error
}

// Error names the place, the value and the problem.
func (e *SpecError) Error() string {
	text := e.Where
	if e.Value != "" {
		text += fmt.Sprintf(" %q", e.Value)
	}
	text += ": " + e.Problem
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *SpecError) Unwrap() error { return e.Err }
