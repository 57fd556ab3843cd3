package scenario

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// A random run is a list of commands, one a line: a verb and a number. What a command cannot do just now it leaves out, so that any
// list is a script.

// run is one random run over one resource, demo.
type run struct {
	*harness
	states *states
	judge  *judge
	script []string
	mode   string // of the spec
	broken bool   // some image was, since the resource was made
	faults bool   // there were some
	nodes  int
	// excused says why the job may end without state that is known: nobody but a person could help.
	excused string
}

const demo = "demo"

// modes are the kinds of job that a run can have.
var modes = []struct {
	name    string
	changes []change
}{
	{"stateless", nil},
	{"savepoint", []change{stateful("savepoint"), retained}},
	{"savepoint, highly available", []change{stateful("savepoint"), retained, highlyAvailable}},
	{"last-state", []change{stateful("last-state"), retained}},
	{"last-state, highly available", []change{stateful("last-state"), retained, highlyAvailable}},
}

var retained = option("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION")

func newRun(t testing.TB) *run {
	r := &run{harness: newHarness(t), nodes: 1}
	r.states, r.judge = newStates(r.harness), newJudge(r.harness)
	r.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
	r.w.Kube.AddNode("node-2")
	return r
}

func (r *run) there() bool {
	u := r.resource(demo)
	return u != nil && u.GetDeletionTimestamp() == nil
}

func (r *run) highlyAvailable() bool { return strings.HasSuffix(r.mode, "highly available") }

func (r *run) excuse(why string) {
	if r.excused == "" && r.mode != "stateless" {
		r.excused = why
	}
}

// verbs are all commands.
var verbs = map[string]func(r *run, n int){
	"apply": func(r *run, n int) {
		if r.resource(demo) != nil {
			return
		}
		r.mode, r.broken, r.excused = modes[n%len(modes)].name, false, ""
		r.states.forget()
		r.apply(demo, application(modes[n%len(modes)].changes...))
	},
	"parallelism": func(r *run, n int) { r.editIfThere(parallelism(int64(1 + n%5))) },
	"invalid":     func(r *run, _ int) { r.editIfThere(parallelism(0)) },
	"suspend":     func(r *run, _ int) { r.editIfThere(jobState("suspended")) },
	"resume":      func(r *run, _ int) { r.editIfThere(jobState("running")) },
	"restart":     func(r *run, n int) { r.editIfThere(field("restartNonce", int64(n))) },
	"break-image": func(r *run, _ int) {
		r.broken = true
		r.editIfThere(field("image", "flink:broken"))
		r.excuseLateStart()
	},
	"mend-image": func(r *run, _ int) { r.editIfThere(field("image", "flink:1.20")) },
	"version": func(r *run, n int) {
		r.editIfThere(field("flinkVersion", []string{"v1_20", "v2_0"}[n%2]))
	},
	"delete": func(r *run, _ int) {
		if r.there() {
			r.remove(demo)
		}
	},
	"wait":      func(r *run, n int) { r.steps(1 + n/3) },
	"wait-more": func(r *run, n int) { r.steps(6 + n) },
	"wait-long": func(r *run, n int) { r.steps(30 + n) },
	"lose-events": func(r *run, _ int) {
		r.faults = true
		r.excuseLateStart()
		r.w.Kube.Feed.Take()
		r.takeControl()
		r.late = nil
	},
	"disorder": func(r *run, n int) {
		r.faults = true
		r.excuseLateStart()
		r.disorder = append(disorders, inOrder, inOrder)[n%(len(disorders)+2)]
	},
	"crash": func(r *run, n int) {
		r.fault(crashAfter(1 + n))
	},
	"second-pass": func(r *run, n int) {
		r.fault(wire.Fault{Match: wire.ByAgent("reconcile"), Nth: 1 + n, Do: r.secondPass()})
	},
	"refuse": func(r *run, n int) {
		r.fault(wire.Fault{Match: wire.ByAgent("reconcile"), Nth: 1 + n, Status: 500})
	},
	"lose-answer": func(r *run, n int) {
		r.fault(wire.Fault{Match: wire.Writes("reconcile"), Nth: 1 + n, After: true, Err: wire.Refused})
	},
	"lose-deployment": func(r *run, _ int) {
		if r.w.Kube.Get(kubesim.Deployments, namespace, demo) == nil {
			return
		}
		if i := r.status(demo).Intent; !r.highlyAvailable() || r.running(demo) != "RUNNING" || (i != nil && i.Step == v1beta1.StepStopping) {
			r.excuse("its Deployment was deleted")
		}
		r.loseDeployment(demo)
	},
	"crash-jobmanager": func(r *run, _ int) {
		pods := r.w.Kube.List(kubesim.Pods, namespace, map[string]string{"app": demo, "component": "jobmanager"})
		if len(pods) == 0 || len(r.w.Kube.List(kubesim.Nodes, "", nil)) == 0 || r.running(demo) == "-" {
			return
		}
		if !r.highlyAvailable() {
			r.excuse("its JobManager crashed")
			r.states.forget()
		} else if i := r.status(demo).Intent; i != nil && i.Step == v1beta1.StepStopping {
			r.excuse("its JobManager crashed while it was being stopped")
		}
		r.w.Nodes.Crash(namespace, pods[0].GetName(), "oom")
	},
	"fail-job": func(r *run, _ int) {
		if r.running(demo) == "RUNNING" {
			r.excuse("its job failed")
			r.flink(demo, func(j *job.Job) { j.Fail("java.lang.IllegalStateException", "no such topic", r.w.Clock.Now()) })
		}
	},
	"finish-job": func(r *run, _ int) {
		if r.running(demo) == "RUNNING" {
			r.excuse("its job finished")
			r.states.forget()
			r.flink(demo, func(j *job.Job) { j.Finish(r.w.Clock.Now()) })
		}
	},
	"savepoints-fail":  func(r *run, _ int) { r.w.Flink.ScriptJob(demo, job.Script{SnapshotFails: "the store is full"}) },
	"savepoints-slow":  func(r *run, n int) { r.w.Flink.ScriptJob(demo, job.Script{SnapshotSteps: n, CancelSteps: n}) },
	"savepoints-right": func(r *run, _ int) { r.w.Flink.ScriptJob(demo, job.Script{}) },
	"node-down":        func(r *run, _ int) { r.nodeDown() },
	"node-up":          func(r *run, _ int) { r.nodeUp() },
}

// excuseLateStart: a start that a fault delayed cannot be told from one that ran, once its image is broken.
func (r *run) excuseLateStart() {
	if r.broken && r.faults {
		r.excuse("a start that was late has a broken image")
	}
}

// fault arms a fault.
func (r *run) fault(f wire.Fault) {
	r.faults = true
	r.excuseLateStart()
	r.w.Tap.Inject(f)
}

func (r *run) editIfThere(c change) {
	if r.there() {
		r.edit(demo, c)
	}
}

func (r *run) nodeDown() {
	if !r.w.Nodes.IsDown("node-1") {
		r.w.Nodes.NodeDown("node-1")
	}
}

func (r *run) nodeUp() {
	if r.w.Nodes.IsDown("node-1") {
		r.w.Nodes.NodeUp("node-1")
	}
}

func (r *run) steps(n int) {
	for range n {
		r.step()
		r.states.look()
	}
}

// do carries one line out and looks at everything.
func (r *run) do(line string) {
	r.t.Helper()
	verb, number, _ := strings.Cut(strings.TrimSpace(line), " ")
	n, err := strconv.Atoi(number)
	do := verbs[verb]
	if do == nil || err != nil {
		r.t.Fatalf("%q is no command", line)
	}
	r.script = append(r.script, line)
	do(r, n)
	r.states.look()
	r.afterPass()
	r.flush()
	r.states.look()
	r.judge.look(demo)
	if err := r.watch.finish(); err != nil {
		r.t.Fatalf("after %q: %v\n%s", line, err, r.describe())
	}
}

// seenBy is when an edit has been looked at, with every event of it lost.
const seenBy = 3 * time.Minute

// conclude takes all faults away: then the resource comes to rest, the world is quiet, and a deletion ends.
func (r *run) conclude() {
	r.t.Helper()
	r.w.Tap.Revive()
	r.watch.arm()
	r.disorder = inOrder
	r.nodeUp()
	r.w.Flink.ScriptJob(demo, job.Script{})
	if r.there() {
		r.edit(demo, field("image", "flink:1.20"), jobState("running"), parallelism(2), r.versionThatMayRun())
		edited := r.w.Clock.Now()
		r.until("it comes to rest", func() bool {
			r.states.look()
			s := r.status(demo)
			return s.ObservedGeneration == r.resource(demo).GetGeneration() && (s.Situation == "Steady" || s.Situation == "Ended") ||
				r.excused != "" && strings.HasPrefix(r.condition(demo, "Stalled"), "True") && r.w.Clock.Now().Sub(edited) > seenBy
		})
	}
	r.rest()
	r.quiet()
	if r.there() {
		r.remove(demo)
	}
	r.untilGone(demo)
	r.rest()
	expect(r.t, "what is left", r.end(), "\n")
}

// versionThatMayRun is the Flink version that was deployed last: after a suspension by last-state no other one can be resumed.
func (r *run) versionThatMayRun() change {
	last, err := v1beta1.ParseReconciledDeployment(r.status(demo).ReconciliationStatus.LastReconciledSpec)
	if err != nil || last.Spec.FlinkVersion == "" {
		return func(map[string]any) {}
	}
	return field("flinkVersion", string(last.Spec.FlinkVersion))
}

// states watches that a job whose state is kept never begins with less than it had completed.
type states struct {
	h      *harness
	seen   int
	floor  int64
	latest string
}

func newStates(h *harness) *states { return &states{h: h} }

// forget begins anew: whatever comes next may begin from nothing.
func (s *states) forget() { s.floor = 0 }

func (s *states) look() {
	starts := s.h.w.Flink.Starts(namespace, demo)
	for _, start := range starts[s.seen:] {
		if start.Progress < s.floor {
			s.h.t.Errorf("%s, and %s had completed progress %d", start, s.latest, s.floor)
		}
	}
	s.seen = len(starts)
	u := s.h.resource(demo)
	if u == nil {
		s.floor = 0
		return
	}
	j := s.h.w.Flink.Job(namespace, demo, "")
	if mode := u.Object["spec"].(map[string]any)["job"].(map[string]any)["upgradeMode"]; mode == "stateless" || j == nil {
		return
	}
	for _, c := range j.Checkpoints {
		if j.State == job.Finished && !c.Savepoint {
			continue // Flink discards what a job that has done its work could be restored from
		}
		if c.Status == job.Completed && c.Progress > s.floor {
			s.floor, s.latest = c.Progress, c.Path
		}
	}
}
