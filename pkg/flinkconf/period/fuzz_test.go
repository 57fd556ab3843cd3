package period

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/cron"
)

// An excluded period is legal exactly when its parts are, and blanks around parts do not matter.
func FuzzExcludedPeriod(f *testing.F) {
	for _, seed := range []string{
		"09:00-17:00", "* * * ? * 2,5", "09:00-17:00 && * * * ? * 2", "1:2:3:4-5:6", "* * * L-3W * ?", "&&", "a && b && c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, period string) {
		legal := Check(period) == nil
		parts := strings.Split(period, periodJoint)
		daily, crons := 0, 0
		for _, part := range parts {
			part = strings.TrimSpace(part)
			if isDaily(part) {
				daily++
			} else if _, err := cron.Parse(part); err == nil {
				crons++
			}
		}
		want := len(parts) == 1 && daily+crons == 1 || len(parts) == 2 && daily == 1 && crons == 1
		if legal != want {
			t.Fatalf("%q: legal %v, by its parts %v", period, legal, want)
		}
		if _, err := Excluded([]string{period}, time.Date(2024, 2, 29, 23, 59, 59, 0, time.UTC)); legal && err != nil {
			t.Fatalf("%q is legal and not understood: %v", period, err)
		}
		if padded := Check(" " + period + "\t"); (padded == nil) != legal {
			t.Fatalf("%q: blanks around it make a difference", period)
		}
	})
}
