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
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// Random runs of two session jobs, etl and etl2, and their session cluster, session: commands on all, and faults. They
// are drawn, shortened and replayed as those of an application, but by KNFLINK_SCENARIO_SESSION_SCRIPT.

const etl, etl2, host = "etl", "etl2", "session"

// sessionModes are the kinds of job and cluster that a run can have, in the order that scripts number them.
var sessionModes = []struct {
	name         string
	job, cluster []change
}{
	{"stateless", nil, nil},
	{"stateless, highly available", nil, []change{highlyAvailable}},
	{"savepoint", []change{stateful("savepoint"), retained}, nil},
	{"savepoint, highly available", []change{stateful("savepoint"), retained}, []change{highlyAvailable}},
	{"last-state", []change{stateful("last-state"), retained}, nil},
	{"last-state, highly available", []change{stateful("last-state"), retained}, []change{highlyAvailable}},
	{"savepoint, rolled back", []change{stateful("savepoint"), retained, rolledBack}, []change{highlyAvailable}},
	{"savepoint, recorded", []change{stateful("savepoint"), retained, recorded}, nil},
}

// sessionRun is one random run of two session jobs on one session cluster.
type sessionRun struct {
	*harness
	mode  int
	slots int
	// refresh is the cluster's web.refresh-interval; empty is the default.
	refresh string
	// flipped says that high availability was turned to the other than the mode has.
	flipped bool
	// jobs are etl and etl2.
	jobs  []*hostedJob
	judge *sessionJudge
	// statuses are those that were stored after each command, by resource, and removed the files that a person deleted.
	statuses map[string][]earlierStatus
	removed  map[string]bool
	taken    *snapshots
	policies policies
}

func newSessionRun(t testing.TB) *sessionRun {
	r := &sessionRun{
		harness: install(&harness{t: t, direct: true}), statuses: map[string][]earlierStatus{}, removed: map[string]bool{},
	}
	r.jobs = []*hostedJob{newHostedJob(r, etl), newHostedJob(r, etl2)}
	r.judge, r.taken = newSessionJudge(r.harness), newSnapshots(r.harness, etl, etl2)
	r.policies = policies{
		h: r.harness, name: etl, disturbed: func() {}, struck: func() {}, fault: func(f wire.Fault) { r.w.Tap.Inject(f) },
	}
	r.taken.removed = r.removed
	r.w.Kube.Policy = r.policies.judge
	r.w.Kube.AddNode("node-2")
	r.apply(host, r.cluster())
	return r
}

func (r *sessionRun) cluster() map[string]any {
	changes := []change{option("taskmanager.numberOfTaskSlots", strconv.Itoa(2+r.slots))}
	if r.refresh != "" {
		changes = append(changes, option("web.refresh-interval", r.refresh))
	}
	if r.highlyAvailable() {
		changes = append(changes, highlyAvailable)
	}
	return sessionCluster(changes...)
}

func (r *sessionRun) there(name string) bool {
	u := r.resource(name)
	return u != nil && u.GetDeletionTimestamp() == nil
}

func (r *sessionRun) highlyAvailable() bool {
	return (sessionModes[r.mode].cluster != nil) != r.flipped
}

// each does something with both jobs.
func (r *sessionRun) each(do func(j *hostedJob)) {
	for _, j := range r.jobs {
		do(j)
	}
}

// excuse tells both jobs what happened to their cluster.
func (r *sessionRun) excuse(why string) {
	r.each(func(j *hostedJob) { j.excuse(why); j.stir() })
}

// losesProcess is a JobManager that goes.
func (r *sessionRun) losesProcess() { r.each((*hostedJob).losesProcess) }

func (r *sessionRun) steps(n int) {
	for range n {
		r.step()
		r.look()
	}
}

func (r *sessionRun) look() {
	r.each((*hostedJob).look)
	r.lookAtTwins()
}

func (r *sessionRun) do(line string) {
	r.t.Helper()
	verb, number, _ := strings.Cut(strings.TrimSpace(line), " ")
	n, err := strconv.Atoi(number)
	do := sessionVerbs[verb]
	if do == nil || err != nil {
		r.t.Fatalf("%q is no command", line)
	}
	r.keepsStatus()
	do(r, n)
	r.look()
	r.afterPass()
	r.flush()
	r.look()
	r.taken.look()
	r.each((*hostedJob).runsWhatIsRecorded)
	r.judge.look(etl)
	r.judge.look(etl2)
	if err := r.watch.finish(); err != nil {
		r.t.Fatalf("after %q: %v\n%s", line, err, r.describe())
	}
}

// conclude takes all faults away: then all come to rest, the world is quiet, and their deletion ends.
func (r *sessionRun) conclude() {
	r.t.Helper()
	r.calm()
	r.removeTwin()
	if r.resource(host) == nil && (r.there(etl) || r.there(etl2)) {
		r.excuse("its cluster was deleted")
		r.apply(host, r.cluster())
	}
	r.each((*hostedJob).comesToRest)
	r.each(func(j *hostedJob) {
		if r.resource(j.name) != nil && !r.there(j.name) {
			r.untilGone(j.name)
		}
	})
	r.rest()
	r.taken.atRest()
	r.settles()
	if r.there(host) || r.resource(host) == nil {
		r.quiet()
	}
	r.look()
	r.each((*hostedJob).runsWhatIsRecorded)
	r.each((*hostedJob).isAlone)
	for _, names := range [][]string{{etl, etl2}, {host}} {
		r.each((*hostedJob).endsLeft)
		for _, name := range names {
			if r.there(name) {
				r.remove(name)
			}
		}
		r.full(etl, etl2, host)
		for _, name := range names {
			r.untilGone(name)
		}
		r.w.Kube.ObjectLimit = 0
		r.rest()
		r.each((*hostedJob).isAlone)
	}
	r.taken.removeAll()
	r.rest()
	expect(r.t, "what is left", r.end(), "\n")
}

// calm takes all faults away.
func (r *sessionRun) calm() {
	r.w.Tap.Revive()
	r.watch.arm()
	r.policies.ungoverned()
	r.disorder = inOrder
	if r.w.Nodes.IsDown("node-1") {
		r.w.Nodes.NodeUp("node-1")
	}
	r.w.Nodes.KubeletUp("node-1")
	r.w.Nodes.InTime()
	if r.installed.Namespaces != nil {
		r.installed.Namespaces = nil
		r.restart()
	}
	r.endsHang()
	r.each(func(j *hostedJob) { j.rescript(func(s *job.Script) { *s = job.Script{Retain: s.Retain} }) })
	r.w.Flink.Script(namespace, host, process.Script{})
	r.each(func(j *hostedJob) { j.crashes = false })
	r.jars.refuse(jarURI, 0)
	r.jars.refuse(otherJar, 0)
}

func attemptSession(t testing.TB, script []string) string { return attemptSessionWith(t, script, nil) }

// attemptSessionWith carries a script out, with a fault planted unless plant is nil, and returns its first failure.
func attemptSessionWith(t testing.TB, script []string, plant func(*sessionRun)) string {
	return tried(t, func(one *trial) {
		r := newSessionRun(one)
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

// replaySession carries out the lines of a file. With -v it shows the transcript, too.
func replaySession(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := newSessionRun(t)
	if told := newTranscript(r.harness); testing.Verbose() {
		t.Cleanup(func() { t.Log("\n" + strings.Join(told.lines, "\n")) })
	}
	for line := range strings.Lines(string(text)) {
		r.transcript.add("does", strings.TrimSpace(line))
		r.do(line)
	}
	r.conclude()
}

// TestSessionRunsFoundByChance is TestFoundByChance for session jobs.
func TestSessionRunsFoundByChance(t *testing.T) {
	files, err := filepath.Glob("testdata/foundsession/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { replaySession(t, file) })
	}
}

// drawSession is run number n of a seed.
func drawSession(seed, n uint64) []string {
	r := rand.New(rand.NewPCG(seed, n))
	script := []string{fmt.Sprintf("apply %d", r.IntN(len(sessionModes)))}
	for range shortest + r.IntN(longest/2) {
		script = append(script, fmt.Sprintf("%s %d", sessionLots[r.IntN(len(sessionLots))], r.IntN(13)))
	}
	return withRare(script, seed, n, sessionRarities)
}

// TestRandomSessionRuns is TestRandomRuns for session jobs.
func TestRandomSessionRuns(t *testing.T) {
	if path := os.Getenv("KNFLINK_SCENARIO_SESSION_SCRIPT"); path != "" {
		replaySession(t, path)
		return
	}
	b, seed := newBudget(t), uint64(setting("KNFLINK_SCENARIO_SEED", 1))
	t.Cleanup(func() {
		sessionNeeded.report(t)
		b.report(t)
		t.Logf("seed %d: %d of %d steps, %d failing runs, in %s", seed, b.drawn.Load(), b.steps, b.failures.Load(),
			b.passed().Round(time.Second))
	})
	for worker := range 2 {
		t.Run(fmt.Sprintf("worker %d", worker+1), func(t *testing.T) {
			t.Parallel()
			for n, more := b.next(); more; n, more = b.next() {
				script := drawSession(seed, n)
				failure := attemptSession(t, script)
				b.drawn.Add(int64(len(script)))
				if failure == "" {
					continue
				}
				b.failures.Add(1)
				script = shortened(script, func(without []string) bool { return attemptSession(t, without) != "" })
				if again := attemptSession(t, script); again != "" {
					failure = again
				}
				t.Errorf("run %d of seed %d: %s\nto replay: KNFLINK_SCENARIO_SESSION_SCRIPT=<file with these lines>\n%s", n,
					seed, failure, strings.Join(script, "\n"))
			}
		})
	}
}
