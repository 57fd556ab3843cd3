package clock

import (
	"fmt"
	"time"
)

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

// intervals are those that a cron line can say, and so a PingSource: Knative refuses "@every". A slower one than the
// safety sweep's makes no sense, and a faster one is a transition's.
var intervals = []time.Duration{
	5 * time.Second, 6 * time.Second, 10 * time.Second, 12 * time.Second, 15 * time.Second, 20 * time.Second,
	30 * time.Second, time.Minute, 2 * time.Minute, 3 * time.Minute, 4 * time.Minute, 5 * time.Minute,
}

// interval is that of the steady pace.
//
//	set           then
//	not           1 min
//	below 5 s     5 s
//	otherwise     the longest of the intervals that is no longer
func interval(set time.Duration) time.Duration {
	if set == 0 {
		return time.Minute
	}
	is := intervals[0]
	for _, i := range intervals {
		if i <= set {
			is = i
		}
	}
	return is
}

// cronLine is the schedule of one of the intervals.
func cronLine(every time.Duration) string {
	switch {
	case every < time.Minute:
		return fmt.Sprintf("*/%d * * * * *", int(every.Seconds()))
	case every == time.Minute:
		return Steady.Schedule()
	}
	return fmt.Sprintf("*/%d * * * *", int(every.Minutes()))
}

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
