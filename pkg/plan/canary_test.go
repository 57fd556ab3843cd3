package plan

import (
	"testing"
	"time"
)

func TestACanaryThatIsAnsweredIsAskedAgain(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rows := map[string]struct {
		reason string
		seen   CanarySeen
		due    bool
		waits  time.Duration
		asked  time.Time
	}{
		"new":             {"never asked", CanarySeen{Generation: 1}, true, 0, noon},
		"new, seen":       {"its creation was", CanarySeen{Generation: 1, Answered: 1}, true, 0, noon},
		"answered":        {"a moment ago", CanarySeen{2, 2, noon.Add(-30 * time.Second)}, false, 0, noon},
		"answered before": {"a minute ago", CanarySeen{2, 2, noon.Add(-time.Minute)}, true, 0, noon},
		"on its way": {
			"there is time left", CanarySeen{3, 2, noon.Add(-10 * time.Second)}, false, 10 * time.Second,
			noon.Add(-10 * time.Second),
		},
		"not answered": {
			"it is asked again, and the time goes on", CanarySeen{3, 2, noon.Add(-5 * time.Minute)}, true, 5 * time.Minute,
			noon.Add(-5 * time.Minute),
		},
		"a clock that is behind": {"no time is negative", CanarySeen{3, 2, noon.Add(time.Hour)}, false, 0, noon},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			due, waits, asked := row.seen.Due(noon, time.Minute), row.seen.Unanswered(noon), row.seen.AskedAt(noon)
			if due != row.due || waits != row.waits || !asked.Equal(row.asked) {
				t.Errorf("due %t, waits %s, asked %s, want %t, %s, %s: %s", due, waits, asked, row.due, row.waits, row.asked,
					row.reason)
			}
		})
	}
}
