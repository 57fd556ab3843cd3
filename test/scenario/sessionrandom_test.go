package scenario

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// Random runs of a session job, etl, and its session cluster, session: commands on both, and faults. They are drawn,
// shortened and replayed as those of an application, but by KNFLINK_SCENARIO_SESSION_SCRIPT.

const etl, host = "etl", "session"

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

// sessionRun is one random run.
type sessionRun struct {
	*harness
	mode  int
	slots int
	seen  int // starts that were looked at
	floor int64
	// latest is where the most that was completed lies.
	latest string
	// begun are the IDs of the jobs that began; again says that one began where it had begun, before its first
	// checkpoint.
	begun map[string]bool
	again bool
	// excused says why the job may need a person; empty: it may not.
	excused string
	script  job.Script
	judge   *sessionJudge
}

func newSessionRun(t testing.TB) *sessionRun {
	r := &sessionRun{harness: install(&harness{t: t, direct: true}), begun: map[string]bool{}}
	r.hosted[etl], r.judge = host, newSessionJudge(r.harness)
	r.apply(host, r.cluster())
	return r
}

func (r *sessionRun) cluster() map[string]any {
	return session(append(slices.Clone(sessionModes[r.mode].cluster), option("taskmanager.numberOfTaskSlots",
		strconv.Itoa(2+r.slots)))...)
}

func (r *sessionRun) there(name string) bool {
	u := r.resource(name)
	return u != nil && u.GetDeletionTimestamp() == nil
}

func (r *sessionRun) stateful() bool {
	return !strings.HasPrefix(sessionModes[r.mode].name, "stateless")
}
func (r *sessionRun) highlyAvailable() bool { return sessionModes[r.mode].cluster != nil }

func (r *sessionRun) change(c ...change) {
	if r.there(etl) {
		r.edit(etl, c...)
	}
}

func (r *sessionRun) excuse(why string) {
	if r.excused == "" {
		r.excused = why
	}
}

// losesProcess is a JobManager that goes: without high availability its jobs do, too. One that has not recorded how its
// job ended runs it again.
func (r *sessionRun) losesProcess() {
	j := r.job(etl)
	if !r.highlyAvailable() || (j != nil && j.State.Ended() && !r.w.Storage.Ended(j.ID)) {
		r.excuse("its JobManager was lost")
	}
	if s := r.status(etl); s.Intent != nil && s.Intent.Step == v1beta1.StepStopping {
		r.excuse("its JobManager was lost while the job was stopped")
	} else if s.Intent != nil && s.Intent.Step == v1beta1.StepReleased && (j == nil || j.ID != s.Intent.JobID) {
		r.excuse("its JobManager was lost while it was asked to run the job: whether it did is not known")
	}
	if j != nil && j.State.Ended() && !r.w.Storage.Ended(j.ID) {
		r.floor = 0
	}
}

func (r *sessionRun) scripts(s job.Script) {
	r.script = s
	r.w.Flink.ScriptJob(etl, s)
}

func (r *sessionRun) runningJob(do func(j *job.Job)) {
	if r.running(etl) == "RUNNING" {
		r.flink(etl, do)
	}
}

var sessionVerbs = map[string]func(r *sessionRun, n int){
	"apply": func(r *sessionRun, n int) {
		if r.resource(etl) != nil || r.resource(host) != nil && !r.there(host) {
			return
		}
		r.excused, r.floor, r.seen, r.again = "", 0, len(r.startsOf(etl)), false
		if r.mode != n%len(sessionModes) && r.there(host) {
			r.excuse("its cluster is changed under it")
		}
		r.mode = n % len(sessionModes)
		r.apply(host, r.cluster())
		r.submit(etl, sessionJob(host, sessionModes[r.mode].job...))
	},
	"parallelism": func(r *sessionRun, n int) { r.change(parallelism(int64(1 + n%5))) },
	"invalid":     func(r *sessionRun, _ int) { r.change(parallelism(0)) },
	"suspend":     func(r *sessionRun, _ int) { r.change(jobState("suspended")) },
	"resume":      func(r *sessionRun, _ int) { r.change(jobState("running")) },
	"restart":     func(r *sessionRun, n int) { r.change(field("restartNonce", int64(n))) },
	"other-jar":   func(r *sessionRun, n int) { r.change(jobField("jarURI", []string{jarURI, otherJar, ""}[n%3])) },
	"delete": func(r *sessionRun, _ int) {
		if r.there(etl) {
			r.remove(etl)
		}
	},
	"delete-cluster": func(r *sessionRun, _ int) {
		if r.there(host) {
			r.remove(host)
		}
	},
	"cluster-slots": func(r *sessionRun, n int) {
		if r.slots = n % 5; r.there(host) {
			r.losesProcess()
			r.apply(host, r.cluster())
		}
	},
	"make-cluster": func(r *sessionRun, _ int) {
		if r.resource(host) == nil {
			r.excuse("its cluster was deleted")
			r.apply(host, r.cluster())
		}
	},
	"wait":      func(r *sessionRun, n int) { r.steps(1 + n/3) },
	"wait-more": func(r *sessionRun, n int) { r.steps(6 + n) },
	"wait-long": func(r *sessionRun, n int) { r.steps(30 + n) },
	"lose-events": func(r *sessionRun, _ int) {
		r.w.Kube.Feed.Take()
		r.takeControl()
		r.late = nil
	},
	"disorder": func(r *sessionRun, n int) {
		r.disorder = append(disorders, inOrder, inOrder)[n%(len(disorders)+2)]
	},
	"crash": func(r *sessionRun, n int) { r.w.Tap.Inject(crashAfter(1 + n)) },
	"second-pass": func(r *sessionRun, n int) {
		r.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("reconcile"), Nth: 1 + n, Do: r.secondPass()})
	},
	"refuse": func(r *sessionRun, n int) {
		r.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("reconcile"), Nth: 1 + n, Status: 500})
	},
	"lose-answer": func(r *sessionRun, n int) {
		r.w.Tap.Inject(wire.Fault{Match: wire.Writes("reconcile"), Nth: 1 + n, After: true, Err: wire.Refused})
	},
	"lose-deployment": func(r *sessionRun, _ int) {
		if r.w.Kube.Get(kubesim.Deployments, namespace, host) != nil {
			r.losesProcess()
			r.loseDeployment(host)
		}
	},
	"crash-jobmanager": func(r *sessionRun, _ int) {
		pods := r.w.Kube.List(kubesim.Pods, namespace, map[string]string{"app": host, "component": "jobmanager"})
		if len(pods) > 0 && r.w.Flink.JobManagers(namespace, host) > 0 {
			r.losesProcess()
			r.w.Nodes.Crash(namespace, pods[0].GetName(), "oom")
		}
	},
	"fail-job": func(r *sessionRun, _ int) {
		r.runningJob(func(j *job.Job) { r.excuse("its job failed"); j.Fail("X", "no such topic", r.w.Clock.Now()) })
	},
	"finish-job": func(r *sessionRun, _ int) {
		r.runningJob(func(j *job.Job) { r.excuse("its job finished"); r.floor = 0; j.Finish(r.w.Clock.Now()) })
	},
	"cancel-job": func(r *sessionRun, _ int) {
		r.runningJob(func(j *job.Job) { r.excuse("somebody cancelled its job"); j.Cancel(r.w.Clock.Now()) })
	},
	"savepoints-fail": func(r *sessionRun, _ int) { r.scripts(job.Script{SnapshotFails: "the store is full"}) },
	"savepoints-slow": func(r *sessionRun, n int) { r.scripts(job.Script{SnapshotSteps: n, CancelSteps: n}) },
	"main-fails":      func(r *sessionRun, _ int) { r.scripts(job.Script{MainFails: "X: no such topic"}) },
	"main-slow":       func(r *sessionRun, n int) { r.scripts(job.Script{MainSteps: 1 + n}) },
	"job-right":       func(r *sessionRun, _ int) { r.scripts(job.Script{}) },
	"runs-time-out": func(r *sessionRun, n int) {
		r.w.Flink.Script(namespace, host, process.Script{RunTimesOut: n%2 == 0, MainSteps: n % 4 * 5})
	},
	"no-jar": func(r *sessionRun, n int) {
		r.jars.refuse([]string{jarURI, otherJar}[n%2], []int{0, http.StatusNotFound, http.StatusBadGateway}[n%3])
	},
}

func (r *sessionRun) steps(n int) {
	for range n {
		r.step()
		r.look()
	}
}

// look holds that a job whose state is kept never begins with less than it had completed, and that nobody is called
// where nobody is needed.
func (r *sessionRun) look() {
	starts := r.startsOf(etl)
	for _, start := range starts[r.seen:] {
		if r.stateful() && start.Progress < r.floor {
			r.t.Errorf("began with less than it had: %s, and %s had progress %d\n%s", start, r.latest, r.floor, r.describe())
		}
		r.again = r.again || (r.begun[start.JobID] && !strings.Contains(start.From, "/chk-"))
		r.begun[start.JobID] = true
	}
	r.seen = len(starts)
	s := r.status(etl)
	if j := r.job(etl); j != nil && r.resource(etl) != nil && s.JobStatus.JobID == j.ID && j.State != job.Finished {
		for _, c := range j.Checkpoints {
			if c.Status == job.Completed && !c.Savepoint && !c.Discarded && c.Progress > r.floor {
				r.floor, r.latest = c.Progress, c.Path
			}
		}
	}
	unsafe := meta.FindStatusCondition(s.Conditions, summary.StateSafe)
	began := unsafe != nil && unsafe.Reason == string(plan.ReasonJobRestarted) && r.again
	if unsafe != nil && unsafe.Status == metav1.ConditionFalse && !began && (r.excused == "" || !r.stateful()) {
		r.t.Errorf("%s calls for a person: %s: %s\n%s", s.Situation, unsafe.Reason, unsafe.Message, r.describe())
	}
}

func (r *sessionRun) do(line string) {
	r.t.Helper()
	verb, number, _ := strings.Cut(strings.TrimSpace(line), " ")
	n, err := strconv.Atoi(number)
	do := sessionVerbs[verb]
	if do == nil || err != nil {
		r.t.Fatalf("%q is no command", line)
	}
	do(r, n)
	r.look()
	r.afterPass()
	r.flush()
	r.look()
	r.runsWhatIsRecorded()
	r.judge.look(etl)
	if err := r.watch.finish(); err != nil {
		r.t.Fatalf("after %q: %v\n%s", line, err, r.describe())
	}
}

// runsWhatIsRecorded holds that what runs is what status says was deployed.
func (r *sessionRun) runsWhatIsRecorded() {
	s, j := r.status(etl), r.job(etl)
	recorded := s.ReconciliationStatus
	text := recorded.LastReconciledSpec
	switch {
	case s.Intent != nil, s.Situation != "Steady", j == nil, j.State != job.Running, j.ID != s.JobStatus.JobID:
		return
	case recorded.State == v1beta1.ReconciliationRolledBack:
		text = recorded.LastStableSpec
	case recorded.State != v1beta1.ReconciliationDeployed:
		return
	}
	record, err := v1beta1.ParseReconciledSessionJob(text)
	if err != nil || record.Spec.Job == nil || int(record.Spec.Job.Parallelism) != j.Parallelism {
		r.t.Errorf("%s, and what runs has parallelism %d: %v\n%s", recorded.State, j.Parallelism, err, r.describe())
	}
}

// conclude takes all faults away: then both come to rest, the world is quiet, and their deletion ends.
func (r *sessionRun) conclude() {
	r.t.Helper()
	r.w.Tap.Revive()
	r.watch.arm()
	r.disorder = inOrder
	r.scripts(job.Script{})
	r.w.Flink.Script(namespace, host, process.Script{})
	r.jars.refuse(jarURI, 0)
	r.jars.refuse(otherJar, 0)
	if r.there(etl) && r.resource(host) == nil {
		r.excuse("its cluster was deleted")
		r.apply(host, r.cluster())
	}
	if r.there(etl) && r.there(host) {
		r.edit(etl, jobState("running"), parallelism(2))
		edited := r.w.Clock.Now()
		r.until("it comes to rest", func() bool {
			r.look()
			s := r.status(etl)
			return s.ObservedGeneration == r.resource(etl).GetGeneration() && (s.Situation == "Steady" ||
				s.Situation == "Ended") ||
				r.excused != "" && strings.HasPrefix(r.condition(etl, "Stalled"), "True") &&
					r.w.Clock.Now().Sub(edited) > seenBy
		})
	}
	if r.resource(etl) != nil && !r.there(etl) {
		r.untilGone(etl)
	}
	r.rest()
	r.rest()
	if r.there(host) || r.resource(host) == nil {
		r.quiet()
	}
	r.look()
	r.runsWhatIsRecorded()
	for _, name := range []string{etl, host} {
		if r.there(name) {
			r.remove(name)
		}
	}
	r.untilGone(etl)
	r.untilGone(host)
	for _, u := range r.w.Kube.List(kubesim.FlinkStateSnapshots, namespace, nil) {
		r.deletes(kubesim.FlinkStateSnapshots, u.GetName())
		r.untilEnded(kubesim.FlinkStateSnapshots, u.GetName())
	}
	r.rest()
	expect(r.t, "what is left", r.end(), "\n")
}

func attemptSession(t testing.TB, script []string) string {
	return tried(t, func(one *trial) {
		r := newSessionRun(one)
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

// sessionLots are the commands to draw from.
var sessionLots = func() []string {
	var all []string
	for _, verb := range names(sessionVerbs) {
		all = append(all, slices.Repeat([]string{verb}, max(1, often[verb]))...)
	}
	return all
}()

// drawSession is run number n of a seed.
func drawSession(seed, n uint64) []string {
	r := rand.New(rand.NewPCG(seed, n))
	script := []string{fmt.Sprintf("apply %d", r.IntN(len(sessionModes)))}
	for range shortest + r.IntN(longest/2) {
		script = append(script, fmt.Sprintf("%s %d", sessionLots[r.IntN(len(sessionLots))], r.IntN(13)))
	}
	return script
}

// TestRandomSessionRuns is TestRandomRuns for session jobs.
//
// R1, R9, R10, R12, R13
func TestRandomSessionRuns(t *testing.T) {
	if path := os.Getenv("KNFLINK_SCENARIO_SESSION_SCRIPT"); path != "" {
		replaySession(t, path)
		return
	}
	steps, seed := int64(setting("KNFLINK_SCENARIO_STEPS", fewSteps)), uint64(setting("KNFLINK_SCENARIO_SEED", 1))
	most := int64(setting("KNFLINK_SCENARIO_FAILURES", 1))
	var run, drawn, failures atomic.Int64
	started, limit := time.Now(), timeFor(t)
	t.Cleanup(func() {
		t.Logf("seed %d: %d of %d steps, %d failing runs, in %s", seed, drawn.Load(), steps, failures.Load(),
			time.Since(started).Round(time.Second))
	})
	for worker := range 2 {
		t.Run(fmt.Sprintf("worker %d", worker+1), func(t *testing.T) {
			t.Parallel()
			for drawn.Load() < steps && failures.Load() < most && (limit == 0 || time.Since(started) < limit) {
				n := uint64(run.Add(1))
				script := drawSession(seed, n)
				failure := attemptSession(t, script)
				drawn.Add(int64(len(script)))
				if failure == "" {
					continue
				}
				failures.Add(1)
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
