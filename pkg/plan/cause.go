package plan

import "time"

// Cause is why something waits, or does not go on.
type Cause struct {
	// Reason is one CamelCase word; empty means that there is nothing to say.
	Reason Reason
	// Message is one line: what, for which input, and what a person can do.
	Message string
	// Until is when the wait ends at the latest, of a wait that has such a time, and does not move from look to look;
	// zero: it has none.
	Until time.Time
	// Then is what follows at that time, in a few words.
	Then string
}

// What follows when the pause before an attempt is over, and when a wait was too long.
const (
	ThenTriedAgain = "it is tried again"
	ThenStarted    = "the job is started again"
	ThenUser       = "a user has to act"
)
