package handover_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
)

// TestCrashPoints is T12.9: each story ends the same wherever the function dies.
func TestCrashPoints(t *testing.T) {
	for name, row := range stories() {
		t.Run(name, func(t *testing.T) {
			plain := newWorld(t)
			row.begin(plain)
			plain.rests()
			n := plain.effects
			for i := 1; i <= n; i++ {
				for _, when := range []string{"before", "after"} {
					t.Run(fmt.Sprintf("%s effect %d", when, i), func(t *testing.T) {
						w := newWorld(t)
						if when == "before" {
							w.dies = i
						} else {
							w.dead = i
						}
						row.begin(w)
						if end, runs := w.rests(), w.runningOn(); end != row.end || runs != row.runs {
							t.Errorf("it ends %q, %s runs; want %q, %s:\n  %s", end, runs, row.end, row.runs,
								strings.Join(w.log, "\n  "))
						}
					})
				}
			}
			t.Logf("%d crash points", 2*n)
		})
	}
}

// TestRandomSteps makes passes that overlap, die, and read what is old, while everything goes wrong that can. The world
// judges after each step: two jobs never run, and no record is committed twice. Then all is well again, and it rests.
func TestRandomSteps(t *testing.T) {
	const walks, steps = 2000, 500
	count := map[string]int{}
	for seed := range uint64(walks) {
		w := newWorld(t)
		w.notef("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 1))
		var passes []*pass
		for range steps {
			passes = w.randomStep(random, passes)
		}
		for what, n := range w.count {
			count[what] += n
		}
		w.faults, w.wish = faults{}, handover.Move
		for i := 0; ; i++ { // the first may end as what went wrong says
			if w.ended != handover.Goes {
				w.begin()
			}
			end := w.rests()
			if end == handover.Done {
				break
			}
			if i == 3 {
				t.Fatalf("it does not come to its end:\n  %s", strings.Join(w.log, "\n  "))
			}
		}
	}
	t.Logf("%d random steps; steps and ends of handovers: %v", walks*steps, count)
	for _, what := range []string{
		"STOP", "RELEASE", "FENCE", "RETURN", "RELEASEdone", "FENCEdone", "RETURNgiven up", "RETURNwithdrawn",
		"STOPwithdrawn", "FENCEwithdrawn", "WARMgiven up", "WARMupgraded", "WARMredirected", "WARMwithdrawn",
	} {
		if count[what] < 5 {
			t.Errorf("%d handovers came to %q: the walks do not show what they are to", count[what], what)
		}
	}
}

// randomStep does one of the things that can happen, and answers with the passes that are in the making.
func (w *world) randomStep(random *rand.Rand, passes []*pass) []*pass {
	toggles := map[string]*bool{
		"main fails": &w.mainFails, "tasks fail": &w.tasksFail, "no checkpoints": &w.noCheckpoint,
		"the API server is silent": &w.unread, "Flink is silent": &w.unlisted, "no room": &w.noRoom,
		"a slow stop": &w.slowStop, "stops lose the job": &w.stopLoses,
	}
	sides := []handover.Side{handover.Serving, handover.Target}
	switch n := random.IntN(100); {
	case n < 10 && len(passes) < 3:
		return append(passes, w.pass())
	case n < 40 && len(passes) > 0:
		i := random.IntN(len(passes))
		if !passes[i].step() {
			return slices.Delete(passes, i, i+1)
		}
	case n < 43 && len(passes) > 0: // its function dies
		return passes[1:]
	case n < 58:
		w.live(sides[random.IntN(2)])
	case n < 66:
		w.checkpoints(sides[random.IntN(2)])
	case n < 78:
		w.tick(5 * time.Second)
	case n < 79:
		w.tick(2 * time.Minute)
	case n < 80:
		w.stopFails++
	case n < 81:
		wishes := []handover.Wish{
			handover.Move, handover.Move, handover.Move, handover.Another, handover.Back, handover.Suspend,
		}
		w.wish = wishes[random.IntN(len(wishes))]
		w.notef("wish %s", w.wish)
	case n < 84:
		name := slices.Sorted(maps.Keys(toggles))[random.IntN(len(toggles))]
		// What goes wrong is over sooner than it comes.
		if at := toggles[name]; *at || random.IntN(3) == 0 {
			*at = !*at
			w.notef("%s: %t", name, *at)
		}
	case w.ended != handover.Goes:
		w.wish, w.noRoom, w.options.Upgrade = handover.Move, random.IntN(20) == 0, random.IntN(2) == 0
		w.begin()
	default:
		p := w.pass()
		for p.step() {
		}
	}
	return passes
}
