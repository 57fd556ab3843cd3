package scenario

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Random runs: each is drawn from a seed, carried out, and on a failure made as short as it still fails.

const (
	shortest = 10 // commands of a run
	longest  = 120
	// minutesToShorten bounds how long a failing run is shortened, in real minutes.
	minutesToShorten = 3
)

// often are the commands that are drawn more often than the others: without time, nothing follows from anything.
var often = map[string]int{
	"wait": 16, "wait-more": 3, "parallelism": 2, "crash": 3, "second-pass": 3, "refuse": 2, "lose-answer": 2, "apply": 2,
	"savepoint-nonce": 2, "snapshot": 2, "switch": 3, "break-image": 2, "fix-image": 2,
	"load": 2, "wait-window": 4,
}

// lots are the commands to draw from.
var lots = func() []string {
	var all []string
	for _, verb := range names(verbs) {
		if _, rarely := rarities[verb]; rarely {
			continue
		}
		all = append(all, slices.Repeat([]string{verb}, max(1, often[verb]))...)
	}
	return all
}()

// draw is run number n of a seed.
func draw(seed, n uint64) []string {
	r := rand.New(rand.NewPCG(seed, n))
	var script []string
	for _, verb := range prologue {
		if r.IntN(3) == 0 {
			script = append(script, fmt.Sprintf("%s %d", verb, r.IntN(13)))
		}
	}
	script = append(script, fmt.Sprintf("apply %d", r.IntN(len(modes))))
	for range shortest + r.IntN(longest-shortest) {
		script = append(script, fmt.Sprintf("%s %d", lots[r.IntN(len(lots))], r.IntN(13)))
	}
	return withRare(script, seed, n, rarities)
}

// trial takes what one run reports, and ends the run with the first failure.
type trial struct {
	testing.TB
	mu       sync.Mutex
	failure  string
	cleanups []func()
}

// over ends a run.
type over struct{}

func (t *trial) fail(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure == "" {
		t.failure = text
	}
}

func (t *trial) Errorf(format string, args ...any) { t.fail(fmt.Sprintf(format, args...)) }
func (t *trial) Error(args ...any)                 { t.fail(fmt.Sprintln(args...)) }
func (t *trial) Fatalf(format string, args ...any) { t.Errorf(format, args...); panic(over{}) }
func (t *trial) Fatal(args ...any)                 { t.Error(args...); panic(over{}) }
func (t *trial) Logf(string, ...any)               {}
func (t *trial) Helper()                           {}
func (t *trial) Cleanup(f func())                  { t.cleanups = append(t.cleanups, f) }

func (t *trial) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failure != ""
}

// tally counts what a run looked at: moments of simulated time, statuses that were stored, decisions.
type tally struct{ moments, statuses, decisions int }

// attempt carries a script out and returns its first failure.
func attempt(t testing.TB, script []string) (failure string, seen tally) {
	return attemptWith(t, script, nil)
}

// attemptWith carries a script out, with a fault planted unless plant is nil, and returns its first failure.
func attemptWith(t testing.TB, script []string, plant func(*run)) (failure string, seen tally) {
	failure = tried(t, func(one *trial) {
		r := newRun(one)
		if plant != nil {
			plant(r)
		}
		defer func() { seen = tally{moments: r.moments, statuses: r.watch.statuses, decisions: r.judge.decided} }()
		for _, line := range script {
			r.do(line)
			if one.Failed() {
				return
			}
		}
		r.conclude()
	})
	return failure, seen
}

// tried carries out what may fail, and returns its first failure.
func tried(t testing.TB, try func(one *trial)) (failure string) {
	one := &trial{TB: t}
	defer func() {
		if value := recover(); value != nil && value != (over{}) {
			one.fail(fmt.Sprintf("panic: %v\n%s", value, debug.Stack()))
		}
		for _, f := range slices.Backward(one.cleanups) {
			f()
		}
		failure = one.failure
	}()
	try(one)
	return
}

// shorten leaves out what a script fails without, for as long as there is time.
func shorten(t testing.TB, script []string) []string {
	return shortened(script, func(without []string) bool {
		failure, _ := attempt(t, without)
		return failure != ""
	})
}

func shortened(script []string, fails func([]string) bool) []string {
	end := time.Now().Add(minutesToShorten * time.Minute)
	for width := len(script) / 2; width > 0; width /= 2 {
		for at := 0; at+width <= len(script) && time.Now().Before(end); {
			without := slices.Concat(script[:at], script[at+width:])
			if fails(without) {
				script = without
			} else {
				at += width
			}
		}
	}
	return script
}

// fewSteps are drawn of each kind where KNFLINK_SCENARIO_STEPS does not say how many.
const fewSteps = 2000

// budget is what random runs may take: so many steps, failing runs, and so much time. Safe for concurrent use.
type budget struct {
	steps, most int64
	limit       time.Duration        // zero: there is none
	passed      func() time.Duration // how long they have taken

	runs, drawn, failures atomic.Int64
}

// newBudget is that of a test, which begins now. KNFLINK_SCENARIO_STEPS and KNFLINK_SCENARIO_FAILURES say how much.
func newBudget(t *testing.T) *budget {
	started := time.Now()
	return &budget{
		steps: int64(setting("KNFLINK_SCENARIO_STEPS", fewSteps)), most: int64(setting("KNFLINK_SCENARIO_FAILURES", 1)),
		limit: timeFor(t), passed: func() time.Duration { return time.Since(started) },
	}
}

// timeFor is how long random runs may take: half of what is left of go test's limit, so that what was found can still
// be made short and told. Zero: there is no limit.
func timeFor(t *testing.T) time.Duration {
	deadline, limited := t.Deadline()
	if !limited {
		return 0
	}
	return time.Until(deadline) / 2
}

// next is the number of the next run, while there is to be one.
func (b *budget) next() (n uint64, more bool) {
	if b.drawn.Load() >= b.steps || b.failures.Load() >= b.most || (b.limit > 0 && b.passed() >= b.limit) {
		return 0, false
	}
	return uint64(b.runs.Add(1)), true
}

// report tells how far the runs came. Of runs that failed the failure is told.
func (b *budget) report(t testing.TB) {
	if b.failures.Load() == 0 {
		cameFar(t, b.drawn.Load(), b.steps, b.passed())
	}
}

// cameFar tells of random runs that their own clock ended before all steps were carried out. With fewer than half of
// them the test fails: go test shows nothing of a test that passes, and one that hardly looked has not passed.
func cameFar(t testing.TB, drawn, steps int64, passed time.Duration) {
	told, fails := howFar(drawn, steps, passed)
	switch {
	case fails:
		t.Errorf("%s", told)
	case told != "":
		fmt.Fprintln(os.Stderr, told)
	}
}

// howFar is what is told of so many steps, and whether they are too few; empty when all were carried out.
func howFar(drawn, steps int64, passed time.Duration) (told string, fails bool) {
	if drawn >= steps {
		return "", false
	}
	told = fmt.Sprintf("random runs ended by their own clock after %s: %d of %d steps", passed.Round(time.Second), drawn,
		steps)
	if 2*drawn >= steps {
		return told, false
	}
	return told + ": give them a longer -timeout, fewer KNFLINK_SCENARIO_STEPS, or a machine with less to do", true
}

func TestRandomRunsHaveToLook(t *testing.T) {
	for drawn, want := range map[int64]struct{ fails, tells bool }{
		0: {true, true}, 49: {true, true}, 50: {false, true}, 99: {false, true}, 100: {}, 120: {},
	} {
		one := &trial{TB: t}
		told, _ := howFar(drawn, 100, time.Minute)
		cameFar(one, drawn, 100, time.Minute)
		says := fmt.Sprintf("ended by their own clock after 1m0s: %d of 100 steps", drawn)
		if one.Failed() != want.fails || strings.Contains(told, says) != want.tells || (told != "") != want.tells {
			t.Errorf("%d of 100 steps: failed %t, told %q, want %+v", drawn, one.Failed(), told, want)
		}
	}
}

// Runs of seven steps that take ten seconds each.
func TestRandomRunsEndByTheirOwnClock(t *testing.T) {
	rows := map[string]struct {
		limit    time.Duration
		failures int64 // of each run
		steps    int64
		fails    bool
	}{
		"too soon":        {time.Minute, 0, 6 * 7, true},
		"later":           {2 * time.Minute, 0, 12 * 7, false},
		"in time":         {time.Hour, 0, 15 * 7, false},
		"without a clock": {0, 0, 15 * 7, false},
		"one that fails":  {time.Minute, 1, 7, false}, // its failure is what is told
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			passed, one := time.Duration(0), &trial{TB: t}
			b := &budget{steps: 100, most: 1, limit: row.limit, passed: func() time.Duration { return passed }}
			for n, more := b.next(); more; n, more = b.next() {
				b.drawn.Add(7)
				b.failures.Add(row.failures)
				if passed = time.Duration(n) * 10 * time.Second; n > 100 {
					t.Fatal("they do not end")
				}
			}
			b.report(one)
			says := fmt.Sprintf("ended by their own clock after %s: %d of 100 steps", passed, row.steps)
			if b.drawn.Load() != row.steps || one.Failed() != row.fails || (row.fails && !strings.Contains(one.failure, says)) {
				t.Errorf("%d steps, failed %t with %q; want %d, %t, %q", b.drawn.Load(), one.Failed(), one.failure, row.steps,
					row.fails, says)
			}
		})
	}
	deadline, limited := t.Deadline()
	if left, half := time.Until(deadline), timeFor(t); limited != (half > 0) || (limited && half > left/2) {
		t.Errorf("they may take %s of %s until go test's limit, want half", half, left)
	}
}

// TestRandomRuns carries KNFLINK_SCENARIO_STEPS random commands out, in runs that are drawn from KNFLINK_SCENARIO_SEED.
// A run that fails is made short and printed as a script for KNFLINK_SCENARIO_SCRIPT. It ends with
// KNFLINK_SCENARIO_FAILURES failing runs, 1 if unset, or when its time is over, see budget.
func TestRandomRuns(t *testing.T) {
	if path := os.Getenv("KNFLINK_SCENARIO_SCRIPT"); path != "" {
		replay(t, path)
		return
	}
	b, seed := newBudget(t), uint64(setting("KNFLINK_SCENARIO_SEED", 1))
	var runs, moments, statuses, decisions atomic.Int64
	t.Cleanup(func() {
		passed := b.passed()
		needed.report(t)
		b.report(t)
		t.Logf("seed %d: %d runs, %d of %d steps, %d moments, %d statuses, %d decisions, %d failing runs, in %s: %.0f "+
			"steps a second",
			seed, runs.Load(), b.drawn.Load(), b.steps, moments.Load(), statuses.Load(), decisions.Load(), b.failures.Load(),
			passed.Round(time.Second), float64(b.drawn.Load())/passed.Seconds())
	})
	for worker := range runtime.GOMAXPROCS(0) {
		t.Run(fmt.Sprintf("worker %d", worker+1), func(t *testing.T) {
			t.Parallel()
			for n, more := b.next(); more; n, more = b.next() {
				script := draw(seed, n)
				failure, seen := attempt(t, script)
				runs.Add(1)
				moments.Add(int64(seen.moments))
				statuses.Add(int64(seen.statuses))
				decisions.Add(int64(seen.decisions))
				done := b.drawn.Add(int64(len(script)))
				if done/50000 != (done-int64(len(script)))/50000 {
					fmt.Fprintf(os.Stderr, "%d steps after %s\n", done, b.passed().Round(time.Second))
				}
				if failure == "" {
					continue
				}
				b.failures.Add(1)
				script = shorten(t, script)
				if again, _ := attempt(t, script); again != "" {
					failure = again
				} else {
					failure += "\n(not when it was carried out again: this machine may have stood still, and calls have real " +
						"deadlines)"
				}
				t.Errorf(
					"run %d of seed %d: %s\nto replay: KNFLINK_SCENARIO_SCRIPT=<file with these lines>\n%s", n, seed, failure,
					strings.Join(script, "\n"),
				)
			}
		})
	}
}

// replay carries out the lines of a file. With -v it shows the transcript, too.
func replay(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(t)
	if told := newTranscript(r.harness); testing.Verbose() {
		t.Cleanup(func() { t.Log("\n" + strings.Join(told.lines, "\n")) })
	}
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) != "" {
			r.transcript.add("does", strings.TrimSpace(line))
			r.do(line)
			t.Logf("%s: %s, %s in Flink, %s", strings.TrimSpace(line), r.columns(demo), r.running(demo), r.starts(demo))
		}
	}
	r.conclude()
}
