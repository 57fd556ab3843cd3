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
}

// lots are the commands to draw from.
var lots = func() []string {
	var all []string
	for _, verb := range names(verbs) {
		if notYet[verb] != "" {
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
		if notYet[verb] == "" && r.IntN(3) == 0 {
			script = append(script, fmt.Sprintf("%s %d", verb, r.IntN(13)))
		}
	}
	script = append(script, fmt.Sprintf("apply %d", r.IntN(len(modes))))
	for range shortest + r.IntN(longest-shortest) {
		script = append(script, fmt.Sprintf("%s %d", lots[r.IntN(len(lots))], r.IntN(13)))
	}
	return script
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

// fewSteps are drawn when nobody says how many: make test asks for ten times as many.
const fewSteps = 2000

// timeFor is how long random runs may take: half of what is left of go test's limit, so that what was found can still
// be made short and told. Zero: there is no limit.
func timeFor(t *testing.T) time.Duration {
	deadline, limited := t.Deadline()
	if !limited {
		return 0
	}
	return time.Until(deadline) / 2
}

// cameFar tells of random runs that their own clock ended before all steps were carried out. With fewer than half of
// them the test fails: go test shows nothing of a test that passes, and one that hardly looked has not passed.
func cameFar(t testing.TB, drawn, steps int64, passed time.Duration) {
	if drawn >= steps {
		return
	}
	told := fmt.Sprintf("random runs ended by their own clock after %s: %d of %d steps", passed.Round(time.Second), drawn,
		steps)
	if 2*drawn < steps {
		t.Errorf("%s: give them a longer -timeout, fewer KNFLINK_SCENARIO_STEPS, or a machine with less to do", told)
		return
	}
	fmt.Fprintln(os.Stderr, told)
}

func TestRandomRunsHaveToLook(t *testing.T) {
	for drawn, fails := range map[int64]bool{0: true, 49: true, 50: false, 100: false, 120: false} {
		one := &trial{TB: t}
		if cameFar(one, drawn, 100, time.Minute); one.Failed() != fails {
			t.Errorf("%d of 100 steps: failed %t, want %t", drawn, one.Failed(), fails)
		}
	}
}

// TestRandomRuns carries KNFLINK_SCENARIO_STEPS random commands out, in runs that are drawn from KNFLINK_SCENARIO_SEED.
// A run that fails is made short and printed as a script for KNFLINK_SCENARIO_SCRIPT. It ends with
// KNFLINK_SCENARIO_FAILURES failing runs, 1 if unset, or when its time is over (timeFor), see cameFar.
//
// R1, R10, R12, R13
func TestRandomRuns(t *testing.T) {
	if path := os.Getenv("KNFLINK_SCENARIO_SCRIPT"); path != "" {
		replay(t, path)
		return
	}
	steps, seed := int64(setting("KNFLINK_SCENARIO_STEPS", fewSteps)), uint64(setting("KNFLINK_SCENARIO_SEED", 1))
	most := setting("KNFLINK_SCENARIO_FAILURES", 1)
	var run, runs, drawn, moments, statuses, decisions, failures atomic.Int64
	started, limit := time.Now(), timeFor(t)
	inTime := func() bool { return limit == 0 || time.Since(started) < limit }
	t.Cleanup(func() {
		passed := time.Since(started)
		needed.report(t)
		if failures.Load() == 0 {
			cameFar(t, drawn.Load(), steps, passed)
		}
		t.Logf("seed %d: %d runs, %d of %d steps, %d moments, %d statuses, %d decisions, %d failing runs, in %s: %.0f "+
			"steps a second",
			seed, runs.Load(), drawn.Load(), steps, moments.Load(), statuses.Load(), decisions.Load(), failures.Load(),
			passed.Round(time.Second), float64(drawn.Load())/passed.Seconds())
	})
	for worker := range runtime.GOMAXPROCS(0) {
		t.Run(fmt.Sprintf("worker %d", worker+1), func(t *testing.T) {
			t.Parallel()
			for drawn.Load() < steps && failures.Load() < int64(most) && inTime() {
				n := uint64(run.Add(1))
				script := draw(seed, n)
				failure, seen := attempt(t, script)
				runs.Add(1)
				moments.Add(int64(seen.moments))
				statuses.Add(int64(seen.statuses))
				decisions.Add(int64(seen.decisions))
				done := drawn.Add(int64(len(script)))
				if done/50000 != (done-int64(len(script)))/50000 {
					fmt.Fprintf(os.Stderr, "%d steps after %s\n", done, time.Since(started).Round(time.Second))
				}
				if failure == "" {
					continue
				}
				failures.Add(1)
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
