package scenario

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// Random runs of one FlinkBlueGreenDeployment, demo: commands on it and on its two sides, which have their real lives,
// and faults. They are drawn, shortened and replayed as those of an application, but by KNFLINK_SCENARIO_PAIR_SCRIPT.

// pairModes are the kinds of pair that a run can have, in the order that scripts number them.
var pairModes = []struct {
	name     string
	moves    bool
	template []change
	options  map[string]any
}{
	{"handover, savepoint", true, []change{stateful("savepoint")}, nil},
	{"handover, last-state", true, []change{stateful("last-state"), retained}, nil},
	{"handover, standalone", true, []change{stateful("savepoint"), standaloneMode}, nil},
	{
		"handover, without a plan", true, []change{stateful("savepoint")},
		map[string]any{"handover.preflight": "false", "handover.deadline": "30 s"},
	},
	{
		"handover, upgraded where there is no room", true, []change{stateful("savepoint")},
		map[string]any{"handover.fallback": "upgrade"},
	},
	{"savepoint", false, []change{stateful("savepoint"), highlyAvailable}, nil},
	{
		"last-state, with a delay", false, []change{stateful("last-state"), highlyAvailable, retained},
		map[string]any{"deployment-deletion.delay": "20 s"},
	},
	{"stateless", false, nil, nil},
	{
		"savepoint, gated", false, []change{stateful("savepoint"), highlyAvailable},
		map[string]any{"gate.checkpoints": "1", "gate.deadline": "5 min"},
	},
}

// pairRun is one random run of one FlinkBlueGreenDeployment.
type pairRun struct {
	*harness
	mode  int
	grace string // abort.grace-period
	sides []*pairSide
	// operation is the change under way, and owed what the side that served had completed when it began.
	operation string
	owed      int64
	// chosen are savepoints that a user named, and no job began from yet, with what they have.
	chosen    map[string]int64
	redeploys int
	// again is how often what was given up was asked for again at the end.
	again int64
	// givenUp says that the spec was stateless in this life.
	givenUp bool
	// excused says why state may be lost, or a user be needed, since excusedAt; empty: neither.
	excused   string
	excusedAt time.Time
	// ended are the jobs that were seen to have ended: high availability may bring one back that was not recorded.
	ended map[string]bool
	// counted are the checkpoints and savepoints that were taken account of, by path.
	counted  map[string]bool
	script   job.Script
	policies policies
}

// newPairRun has an empty world.
func newPairRun(t testing.TB) *pairRun {
	r := &pairRun{
		harness: install(&harness{t: t, direct: true}), grace: "3 min", chosen: map[string]int64{}, ended: map[string]bool{},
		counted: map[string]bool{},
	}
	r.sides = []*pairSide{{r: r, name: demo + "-blue"}, {r: r, name: demo + "-green"}}
	r.policies = policies{
		h: r.harness, name: pairMark + demo, disturbed: func() {}, struck: func() {},
		fault: func(f wire.Fault) { r.w.Tap.Inject(f) },
	}
	r.w.Kube.Policy = r.policies.judge
	r.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "Insufficient cpu"})
	r.w.Kube.AddNode("node-2")
	never := wire.Fault{
		Match: func(q wire.Request) bool { return q.System == "flink" && q.IsWrite() }, Effective: true, After: true,
		Do: r.neverTwo,
	}
	r.standing = append(r.standing, never)
	r.w.Tap.Inject(never)
	return r
}

// spec is that of a pair of the run's mode.
func (r *pairRun) options() map[string]any {
	mode := pairModes[r.mode]
	all := map[string]any{"abort.grace-period": r.grace}
	if mode.moves {
		all["handover.enabled"] = "true"
	}
	for name, value := range mode.options {
		all[name] = value
	}
	configuration := map[string]any{}
	for name, value := range all {
		configuration["kubernetes.operator.bluegreen."+name] = value
	}
	return configuration
}

func (r *pairRun) template() map[string]any {
	mode := pairModes[r.mode]
	if mode.moves {
		return movable(mode.template...)
	}
	return application(mode.template...)
}

func (r *pairRun) stateful() bool { return !strings.HasPrefix(pairModes[r.mode].name, "stateless") }

func (r *pairRun) there() bool {
	u := r.resource(pairMark + demo)
	return u != nil && u.GetDeletionTimestamp() == nil
}

func (r *pairRun) excuse(why string) {
	r.excusedAt = r.w.Clock.Now()
	if r.excused == "" {
		r.excused = why
	}
}

func (r *pairRun) steps(n int) {
	for range n {
		r.step()
		r.look()
	}
}

// do carries one line out and looks at everything.
func (r *pairRun) do(line string) {
	r.t.Helper()
	verb, number, _ := strings.Cut(strings.TrimSpace(line), " ")
	n, err := strconv.Atoi(number)
	do := pairVerbs[verb]
	if do == nil || err != nil {
		r.t.Fatalf("%q is no command", line)
	}
	r.names()
	do(r, n)
	r.look()
	r.afterPass()
	r.flush()
	r.look()
	if err := r.watch.finish(); err != nil {
		r.t.Fatalf("after %q: %v\n%s", line, err, r.describe())
	}
}

// calm takes all faults away.
func (r *pairRun) calm() {
	r.w.Tap.Revive()
	r.watch.arm()
	for _, f := range r.standing {
		r.w.Tap.Inject(f)
	}
	r.policies.ungoverned()
	r.disorder = inOrder
	if r.w.Nodes.IsDown("node-1") {
		r.w.Nodes.NodeUp("node-1")
	}
	r.script = job.Script{}
	for _, s := range r.sides {
		r.w.Flink.ScriptJob(s.name, r.script)
		r.w.Flink.Script(namespace, s.name, process.Script{})
	}
}

// conclude takes all faults away: then the pair comes to rest with one side, the world is quiet, and its deletion ends.
func (r *pairRun) conclude() {
	r.t.Helper()
	r.calm()
	if r.there() {
		r.comesToRest()
	}
	r.rest()
	r.settles()
	r.look()
	if r.there() {
		if r.excused == "" || r.rests() {
			r.hasOneSide()
			r.quiet()
		}
		r.remove(pairMark + demo)
	}
	r.untilGone(pairMark + demo)
	for _, s := range r.sides {
		r.untilSideGone(s.name)
	}
	r.rest()
	r.names()
	expect(r.t, "what is left", r.end(), "\n")
}

// comesToRest holds that a pair whose spec can run serves from one side in the end. What was given up while the faults
// lasted may be asked for again; only where an excuse says so may it need a savepoint that a user names.
func (r *pairRun) comesToRest() {
	r.t.Helper()
	r.changeOptions()
	r.change(
		field("image", "flink:1.20"), jobState("running"), parallelism(2), field("restartNonce", int64(1000)), settled,
		func(spec map[string]any) {
			if r.stateful() && spec["job"].(map[string]any)["upgradeMode"] == "stateless" {
				upgradeMode("savepoint")(spec)
			}
		},
	)
	edited, begun := r.w.Clock.Now(), r.w.Clock.Now()
	r.until("the pair comes to rest", func() bool {
		r.look()
		if r.w.Clock.Now().Sub(edited) > 2*seenBy && r.helped() {
			edited = r.w.Clock.Now()
		}
		return r.rests() || r.excused != "" && r.w.Clock.Now().Sub(begun) > mostHelped
	})
}

// mostHelped is how long a pair is helped whose state a fault may have lost. One that does not rest by then is deleted.
const mostHelped = 30 * time.Minute

// rests says that status tells of a job that runs for the newest spec, with nothing under way.
func (r *pairRun) rests() bool {
	u, s := r.w.Kube.Peek(kubesim.FlinkBlueGreenDeployments, namespace, demo), r.pair(demo)
	return u != nil && s.ObservedGeneration == u.GetGeneration() && s.Transition == nil &&
		s.JobStatus.State == "RUNNING" && strings.HasPrefix(string(s.BlueGreenState), "ACTIVE_") && s.Situation == "Steady"
}

// hasOneSide holds, at rest, that the side that status names runs the job of the newest spec, and that nothing is there
// of the other one.
func (r *pairRun) hasOneSide() {
	r.t.Helper()
	state := r.pair(demo).BlueGreenState
	for _, s := range r.sides {
		serves := strings.EqualFold("active_"+strings.TrimPrefix(s.name, demo+"-"), string(state))
		live, runs := r.w.Flink.Live(namespace, s.name, s.name), s.job()
		switch {
		case serves && (len(live) != 1 || runs == nil || runs.State != job.Running || runs.Parallelism != 2):
			r.t.Errorf("%s serves, and %q run on it: %v\n%s", s.name, live, runs, r.describe())
		case !serves && (len(live) > 0 || s.isThere()):
			r.t.Errorf("%s does not serve, and is there; %q run on it\n%s", s.name, live, r.describe())
		}
	}
}

func attemptPair(t testing.TB, script []string) string { return attemptPairWith(t, script, nil) }

// attemptPairWith carries a script out, with a fault planted unless plant is nil, and returns its first failure.
func attemptPairWith(t testing.TB, script []string, plant func(*pairRun)) string {
	return tried(t, func(one *trial) {
		r := newPairRun(one)
		if plant != nil {
			plant(r)
		}
		for _, line := range script {
			if r.do(line); one.Failed() {
				return
			}
		}
		r.conclude()
	})
}

// replayPair carries out the lines of a file. With -v it shows the transcript, too.
func replayPair(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := newPairRun(t)
	if told := newTranscript(r.harness); testing.Verbose() {
		t.Cleanup(func() { t.Log("\n" + strings.Join(told.lines, "\n")) })
	}
	for line := range strings.Lines(string(text)) {
		r.transcript.add("does", strings.TrimSpace(line))
		r.do(line)
	}
	r.conclude()
}

// TestPairRunsFoundByChance is TestFoundByChance for blue/green deployments.
func TestPairRunsFoundByChance(t *testing.T) {
	files, err := filepath.Glob("testdata/foundpair/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { replayPair(t, file) })
	}
}

// drawPair is run number n of a seed.
func drawPair(seed, n uint64) []string {
	r := rand.New(rand.NewPCG(seed, n))
	script := []string{fmt.Sprintf("apply %d", r.IntN(len(pairModes))), "wait-long 0"}
	for range shortest + r.IntN(longest/2) {
		script = append(script, fmt.Sprintf("%s %d", pairLots[r.IntN(len(pairLots))], r.IntN(13)))
	}
	return script
}

// shareOfPairs is the share of the steps that is drawn for pairs: each has two clusters, and takes three times as long.
const shareOfPairs = 4

// TestRandomPairRuns is TestRandomRuns for blue/green deployments, half of them with handover.
func TestRandomPairRuns(t *testing.T) {
	if path := os.Getenv("KNFLINK_SCENARIO_PAIR_SCRIPT"); path != "" {
		replayPair(t, path)
		return
	}
	b, seed := newBudget(t), uint64(setting("KNFLINK_SCENARIO_SEED", 1))
	b.steps /= shareOfPairs
	t.Cleanup(func() {
		b.report(t)
		t.Logf("seed %d: %d of %d steps, %d failing runs, in %s", seed, b.drawn.Load(), b.steps, b.failures.Load(),
			b.passed().Round(time.Second))
	})
	for worker := range 2 {
		t.Run(fmt.Sprintf("worker %d", worker+1), func(t *testing.T) {
			t.Parallel()
			for n, more := b.next(); more; n, more = b.next() {
				script := drawPair(seed, n)
				failure := attemptPair(t, script)
				b.drawn.Add(int64(len(script)))
				if failure == "" {
					continue
				}
				b.failures.Add(1)
				script = shortened(script, func(without []string) bool { return attemptPair(t, without) != "" })
				if again := attemptPair(t, script); again != "" {
					failure = again
				}
				t.Errorf("run %d of seed %d: %s\nto replay: KNFLINK_SCENARIO_PAIR_SCRIPT=<file with these lines>\n%s", n,
					seed, failure, strings.Join(script, "\n"))
			}
		})
	}
}
