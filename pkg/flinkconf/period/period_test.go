package period

import (
	"testing"
	"time"
)

// An element that is blank, as between two delimiters, excludes nothing, and those after it count.
func TestABlankPeriodIsPassedOver(t *testing.T) {
	noon := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		periods []string
		want    bool
	}{
		"alone":                    {[]string{" "}, false},
		"before one that holds":    {[]string{"", "11:00-13:00"}, true},
		"before one that does not": {[]string{"", "13:00-14:00"}, false},
	} {
		if got, err := Excluded(c.periods, noon); err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}
