package model

import (
	"slices"
	"time"
)

// Scaling is one scaling of a vertex that was executed.
type Scaling struct {
	// Time is the cycle that decided it.
	Time time.Time
	// Current and New are the parallelism before and after.
	Current, New int
	// Metrics are those that it was decided by. TrueProcessingRate and ExpectedProcessingRate are read again.
	Metrics Evaluation
}

// Restart is one restart of the job that a scaling caused.
type Restart struct {
	// Time is the cycle that decided the scaling.
	Time time.Time
	// Known tells that the job runs again as decided.
	Known bool
	// Duration is from Time until the job ran; it may be negative where clocks differ. It counts only when Known.
	Duration time.Duration
}

// Recommendation is a lower parallelism that a vertex could have had.
type Recommendation struct {
	// Time is the cycle that found it.
	Time time.Time
	// Parallelism is what was recommended.
	Parallelism int
	// Outside tells that the vertex was outside of its utilisation bounds.
	Outside bool
}

// DelayedScaleDown is the scale down of a vertex that waits for job.autoscaler.scale-down.interval.
type DelayedScaleDown struct {
	// FirstTrigger is the cycle that recommended it first.
	FirstTrigger time.Time
	// Recommendations have a strictly falling parallelism, in ascending order of time.
	Recommendations []Recommendation
}

// ConfigChanges are options that memory tuning sets and takes away.
type ConfigChanges struct {
	// Overrides are set, by key.
	Overrides map[string]string
	// Removals are keys that are taken away; sorted, each once.
	Removals []string
}

// State is what the autoscaler keeps of a job between cycles.
type State struct {
	// Samples are those of the window, and before it is full all since the job started.
	Samples Window
	// History are the scalings of each vertex, by hex ID, in ascending order of time.
	History map[string][]Scaling
	// Restarts are in ascending order of time.
	Restarts []Restart
	// Overrides are the parallelism of vertices as text, by hex ID; nil was never stored.
	Overrides map[string]string
	// Config is what memory tuning has set; nil was never stored.
	Config *ConfigChanges
	// Delayed are the scale downs that wait, by hex ID.
	Delayed map[string]DelayedScaleDown
}

// IsEmpty reports whether nothing at all is stored.
func (s State) IsEmpty() bool {
	return len(s.Samples)+len(s.History)+len(s.Restarts)+len(s.Overrides)+len(s.Delayed) == 0 && s.Config == nil
}

// TrimHistory drops scalings that are older than age, and then the oldest until at most count are left of a vertex.
func TrimHistory(history map[string][]Scaling, now time.Time, o Options) map[string][]Scaling {
	trimmed := make(map[string][]Scaling, len(history))
	oldest := now.Add(-o.HistoryMaxAge)
	for vertex, scalings := range history {
		kept := slices.DeleteFunc(slices.Clone(scalings), func(s Scaling) bool { return s.Time.Before(oldest) })
		kept = kept[max(0, len(kept)-max(0, o.HistoryMaxCount)):]
		if len(kept) > 0 {
			trimmed[vertex] = kept
		}
	}
	return trimmed
}

// TrimRestarts does the same for restarts, but always keeps the newest, and as many as a bound for an hour counts.
func TrimRestarts(restarts []Restart, now time.Time, o Options) []Restart {
	if len(restarts) == 0 {
		return restarts
	}
	age := o.HistoryMaxAge
	if o.MaxPerHour > 0 {
		age = max(age, time.Hour)
	}
	oldest := now.Add(-age)
	newest := restarts[len(restarts)-1]
	kept := slices.DeleteFunc(slices.Clone(restarts), func(r Restart) bool { return r.Time.Before(oldest) })
	kept = kept[max(0, len(kept)-max(0, o.HistoryMaxCount, o.MaxPerHour)):]
	if len(kept) == 0 {
		return []Restart{newest}
	}
	return kept
}

// RecordRestart fills in the duration of the newest restart, once the job runs as it was decided then: the parallelism
// of every vertex that was scaled at that time is the new one. It reports whether it did.
func RecordRestart(
	restarts []Restart, history map[string][]Scaling, t Topology, running time.Time,
) ([]Restart, bool) {
	if len(restarts) == 0 || restarts[len(restarts)-1].Known {
		return restarts, false
	}
	newest := restarts[len(restarts)-1]
	for vertex, scalings := range history {
		for _, s := range scalings {
			if !s.Time.Equal(newest.Time) {
				continue
			}
			if v, ok := t.Get(vertex); !ok || v.Parallelism != s.New {
				return restarts, false
			}
		}
	}
	filled := slices.Clone(restarts)
	filled[len(filled)-1] = Restart{Time: newest.Time, Known: true, Duration: running.Sub(newest.Time)}
	return filled, true
}

// RestartTime is the time that a restart is expected to take.
//
//	restart.time-tracking.enabled   the longest known restart   is
//	false                           -                           restart.time
//	true                            none, or at most -1 s       restart.time
//	true                            otherwise                   it in whole seconds, at most restart.time-tracking.limit
func RestartTime(restarts []Restart, o Options) time.Duration {
	if !o.RestartTracking {
		return o.RestartTime
	}
	longest := int64(-1)
	for _, r := range restarts {
		if r.Known {
			longest = max(longest, floorSeconds(r.Duration))
		}
	}
	if longest < 0 {
		return o.RestartTime
	}
	return min(time.Duration(longest)*time.Second, o.RestartTrackingLimit)
}

// floorSeconds are the whole seconds of a duration, towards the past.
func floorSeconds(d time.Duration) int64 {
	seconds := int64(d / time.Second)
	if d < 0 && d%time.Second != 0 {
		seconds--
	}
	return seconds
}
