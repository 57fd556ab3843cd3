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

// Schedule is the PingSource schedule of a pace; empty for Unknown. That of Steady is the one of an interval that was
// not set.
func (p Pace) Schedule() string { return schedules[p] }

// interval bounds that of the steady pace: a slower one than the safety sweep's makes no sense, and a faster one is a
// transition's.
//
//	set           then
//	not           1 min
//	below 5 s     5 s
//	above 5 min   5 min
//	otherwise     as set, in whole seconds
func interval(set time.Duration) time.Duration {
	switch {
	case set == 0:
		return time.Minute
	case set < fastest:
		return fastest
	case set > slowest:
		return slowest
	}
	return set.Truncate(time.Second)
}

const (
	fastest = 5 * time.Second
	slowest = 5 * time.Minute
)

// Of is the pace of a schedule.
func Of(schedule string) Pace {
	for pace, line := range schedules {
		if line == schedule {
			return pace
		}
	}
	return Unknown
}

// A stamp is refreshed when it is older than stampAge, and the sweep leaves a clock alone whose stamp is younger than
// stampHolds: so a stamp that a pass found fresh enough holds until that pass, which has 20 s, has stored its intent.
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
