package scenario

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim"
)

// A rare command is one of which a run draws a few kinds, and those several times: with all of them in each run nothing
// would follow from any. Half of the runs draw none, and what else a seed draws is the same with them and without.

// rarity is how a rare command is drawn.
type rarity struct {
	// before says that it may also come before the resource is made.
	before bool
	// then are commands of which one follows at once, as often as not.
	then []string
}

const (
	mostRare     = 3 // kinds of a run
	mostOfOne    = 3 // times that one is drawn
	rarelyBefore = 3 // one in so many of those that may come before the resource is made does
)

// withRare is a script with some of these rare commands put in. KNFLINK_SCENARIO_RARE names the only ones to draw, with
// commas between; "-" draws none.
func withRare(script []string, seed, n uint64, lots map[string]rarity) []string {
	kinds := drawn(lots)
	if n%2 == 0 || len(kinds) == 0 {
		return script
	}
	r := rand.New(rand.NewPCG(^seed, n))
	apply := slices.IndexFunc(script, func(line string) bool { return verbOf(line) == "apply" })
	for range 1 + r.IntN(mostRare) {
		kind := kinds[r.IntN(len(kinds))]
		for range 1 + r.IntN(mostOfOne) {
			at, lines := apply+1+r.IntN(len(script)-apply), []string{kind + " " + strconv.Itoa(r.IntN(13))}
			if lots[kind].before && r.IntN(rarelyBefore) == 0 {
				at = 0
				apply++
			}
			if then := lots[kind].then; len(then) > 0 && r.IntN(2) == 0 {
				lines = append(lines, fmt.Sprintf("%s %d", then[r.IntN(len(then))], r.IntN(13)))
				if at == 0 {
					lines = lines[:1]
				}
			}
			script = slices.Insert(script, at, lines...)
		}
	}
	return script
}

// drawn are those to draw from.
func drawn(lots map[string]rarity) []string {
	all := names(lots)
	if only := os.Getenv("KNFLINK_SCENARIO_RARE"); only != "" {
		all = slices.DeleteFunc(all, func(verb string) bool { return !slices.Contains(strings.Split(only, ","), verb) })
	}
	return all
}

// verbOf is the verb of a line of a script.
func verbOf(line string) string {
	verb, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return verb
}

// mostSteps bounds how many steps are taken to let time pass: while something is in transition steps are short.
const mostSteps = 300

// letPass lets simulated time pass, or as much of it as mostSteps take.
func letPass(w *flinksim.World, d time.Duration, step func(n int)) {
	for end, n := w.Clock.Now().Add(d), 0; w.Clock.Now().Before(end) && n < mostSteps; n++ {
		step(1)
	}
}
