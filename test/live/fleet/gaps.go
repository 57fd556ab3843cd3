package fleet

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// looks is when each resource was looked at, by what the model server was asked. Safe for concurrent use.
type looks struct {
	mu       sync.Mutex
	at       map[string][]time.Time
	requests int
}

// expect makes a resource one that is to be looked at.
func (l *looks) expect(resource string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil {
		l.at = map[string][]time.Time{}
	}
	if _, known := l.at[resource]; !known {
		l.at[resource] = nil
	}
}

// excuse leaves out resources that nobody can look at for a while, or any more.
func (l *looks) excuse(resources ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, resource := range resources {
		delete(l.at, resource)
	}
}

// saw notes a request that is a look at a resource; one that nobody expects only counts.
func (l *looks) saw(resource string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	if seen, known := l.at[resource]; known {
		l.at[resource] = append(seen, at)
	}
}

// asked is how many requests there were since the last time.
func (l *looks) asked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.requests
	l.requests = 0
	return n
}

// Gap is a time in which a resource was not looked at.
type Gap struct {
	Resource string
	For      time.Duration
}

// gaps are the longest of each resource between two moments, the longest first. Before the first look and after the
// last one nobody looked either.
func (l *looks) gaps(from, to time.Time) []Gap {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Gap
	for resource, seen := range l.at {
		all = append(all, Gap{resource, longest(seen, from, to)})
	}
	slices.SortFunc(all, func(a, b Gap) int {
		return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(a.Resource, b.Resource))
	})
	return all
}

// longest is the longest time between two moments without one of the looks.
func longest(looks []time.Time, from, to time.Time) time.Duration {
	last, most := from, time.Duration(0)
	for _, at := range append(slices.Clone(looks), to) {
		if at.Before(from) || at.After(to) {
			continue
		}
		most, last = max(most, at.Sub(last)), at
	}
	return most
}
