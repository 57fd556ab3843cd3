package clock

import "time"

// Pace is how often the clock ticks.
type Pace string

// The paces.
const (
	// Transition: some resource is on its way to another state.
	Transition Pace = "transition"
	// Steady: jobs run and nothing moves.
	Steady Pace = "steady"
	// Asleep: nothing runs; the tick is only the safety sweep.
	Asleep Pace = "asleep"
	// Unknown is a schedule that is none of ours, as after an edit by hand.
	Unknown Pace = "unknown"
)

// schedules are the cron lines of the paces; the first field of six is the second.
var schedules = map[Pace]string{
	Transition: "*/2 * * * * *",
	Steady:     "* * * * *",
	Asleep:     "*/5 * * * *",
}

// Schedule is the PingSource schedule of a pace; empty for Unknown.
func (p Pace) Schedule() string { return schedules[p] }

// Of is the pace of a schedule.
func Of(schedule string) Pace {
	for pace, line := range schedules {
		if line == schedule {
			return pace
		}
	}
	return Unknown
}

// A stamp is refreshed when it is older than stampAge, and the sweep leaves a clock alone whose stamp is younger than stampHolds: so a
// stamp that a pass found fresh enough holds until that pass, which has 20 s, has stored its intent.
const (
	stampAge   = 30 * time.Second
	stampHolds = time.Minute
)

// Wanted is the pace that a fleet needs, by the status of its resources alone.
func Wanted(moving, running bool) Pace {
	switch {
	case moving:
		return Transition
	case running:
		return Steady
	default:
		return Asleep
	}
}
