package plan

// Cause is why something waits, or does not go on.
type Cause struct {
	// Reason is one CamelCase word; empty means that there is nothing to say.
	Reason Reason
	// Message is one line: what, for which input, and what a person can do.
	Message string
}
