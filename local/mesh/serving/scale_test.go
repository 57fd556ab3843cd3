package serving

import (
	"slices"
	"testing"
	"time"
)

func TestHowManyPods(t *testing.T) {
	quiet := make(History, 30)
	with := func(at int, v float64) History { h := slices.Clone(quiet); h[at] = v; return h }
	all := func(v float64) History { return slices.Repeat(History{v}, 30) }
	standard := Bounds{Target: 16, Max: 3, Window: 30 * time.Second}
	for name, row := range map[string]struct {
		bounds  Bounds
		history History
		ready   int
		want    int
		reason  string
	}{
		"nothing yet":     {standard, nil, 0, 0, "There is nothing to do."},
		"a quiet window":  {standard, quiet, 1, 0, "Nothing runs between events."},
		"5 ms long ago":   {standard, with(0, 0.005), 1, 1, "One request anywhere in the window keeps a pod."},
		"a full pod":      {standard, all(16), 1, 1, "It is full, not over."},
		"more than a pod": {standard, all(17), 1, 2, "The next one starts when the first is full."},
		"far too much":    {standard, all(1000), 3, 3, "max-scale."},
		"no max":          {Bounds{Target: 10, Window: 30 * time.Second}, all(45), 5, 5, "No bound."},
		"a burst": {
			standard, append(make(History, 27), 32, 32, 32), 1, 2, "A burst is not averaged away.",
		},
		"a burst that is not twice": {standard, append(make(History, 27), 20, 20, 20), 2, 1, "Two pods can take it."},
		"min":                       {Bounds{Target: 1, Min: 2, Window: 30 * time.Second}, quiet, 2, 2, "min-scale."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Desired(row.bounds, row.history, row.ready); got != row.want {
				t.Errorf("%d pods, want %d: %s", got, row.want, row.reason)
			}
		})
	}
}

func TestHistoryForgets(t *testing.T) {
	h := History{}
	for i := range 10 {
		h = h.With(float64(i), 6*time.Second)
	}
	if len(h) != 6 || h[5] != 9 {
		t.Errorf("%v, want the last six", h)
	}
}
