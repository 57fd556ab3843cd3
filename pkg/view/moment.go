package view

import (
	"fmt"
	"slices"
	"time"
)

// Moment is something that is known to have happened to a resource.
type Moment struct {
	// Time is when, or when it was last seen.
	Time time.Time `json:"time"`
	// What is one sentence.
	What string `json:"what"`
	// Warning is whether it is of a failure.
	Warning bool `json:"warning,omitempty"`
}

// Moments are what the status and the events say has happened, the oldest first. Kubernetes keeps events for an hour by
// default; what is older and stands in no field of the status is not known.
//
//	of                        moment
//	since                     its lifecycle state began
//	a condition               it became what it is
//	a state                   it was taken
//	an event                  it was last seen
func (j Job) Moments() []Moment {
	var all []Moment
	add := func(at *time.Time, warning bool, format string, args ...any) {
		if at != nil {
			all = append(all, Moment{at.UTC(), fmt.Sprintf(format, args...), warning})
		}
	}
	if j.Lifecycle != "" {
		add(j.Since, false, "became %s", j.Lifecycle)
	}
	for _, c := range j.Conditions {
		add(c.Since, c.Type == "Stalled" && c.Status == "True", "condition %s became %s: %s", c.Type, c.Status, c.Reason)
	}
	for _, s := range j.State {
		add(s.Taken, false, "state was taken (%s): %s", s.What, s.Path)
	}
	for _, g := range j.Gates {
		add(g.Since, g.Verdict == "Refused", "gate %s says %s", g.Name, g.Verdict)
	}
	for _, e := range j.Events {
		times := ""
		if e.Count > 1 {
			times = fmt.Sprintf(" (%d times)", e.Count)
		}
		add(&e.Time, e.Warning, "%s %s: %s: %s%s", e.Of.Kind, e.Of.Name, e.Reason, e.Message, times)
	}
	slices.SortStableFunc(all, func(a, b Moment) int { return a.Time.Compare(b.Time) })
	return slices.CompactFunc(all, func(a, b Moment) bool { return a.What == b.What && a.Time.Equal(b.Time) })
}
