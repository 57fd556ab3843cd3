package store

import (
	"testing"
	"time"
)

func TestDurationsOfEitherForm(t *testing.T) {
	for text, row := range map[string]struct {
		want   time.Duration
		known  bool
		reason string
	}{
		"90.500000000":  {90*time.Second + 500*time.Millisecond, true, "the form that Java writes"},
		"-1.5":          {-1500 * time.Millisecond, true, "clocks of operator and JobManager differ"},
		"PT1H2M3.5S":    {time.Hour + 2*time.Minute + 3500*time.Millisecond, true, "ISO 8601"},
		"PT-1.5S":       {-1500 * time.Millisecond, true, "the sign stands at the number"},
		"-PT1M":         {-time.Minute, true, "the sign stands in front"},
		"PT-1H30M":      {-30 * time.Minute, true, "each number has its sign"},
		"PT0S":          {0, true, "nothing"},
		"":              {0, false, "not known"},
		"null":          {0, false, "not known"},
		"PT":            {0, false, "no number"},
		"PT99999999H":   {0, false, "more than 64 bits hold"},
		"PT1S and more": {0, false, "not a duration"},
	} {
		var err error
		got, known := node{text: text}.duration(&err)
		if got != row.want || known != row.known {
			t.Errorf("%q (%s): %s, %t, %v", text, row.reason, got, known, err)
		}
	}
}
