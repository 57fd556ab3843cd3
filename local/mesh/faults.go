package mesh

import "time"

// Faults are what may happen to an event on its way from a sender to a Broker, and to the function that gets it. Each is a
// probability from 0 to 1. The same seed and the same order of events give the same faults.
type Faults struct {
	// Seed starts the random numbers.
	Seed uint64
	// Drop loses an event that its sender takes for delivered.
	Drop float64
	// Double delivers an event twice.
	Double float64
	// Delay holds an event back for a time up to DelayUpTo.
	Delay     float64
	DelayUpTo time.Duration
	// Reorder holds an event back until the next one has passed it.
	Reorder float64
	// Kill ends the process of a function (SIGKILL) while it works on a request.
	Kill float64
}
