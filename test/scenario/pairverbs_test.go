package scenario

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// oftenOfPairs are the commands that are drawn more often than the others.
var oftenOfPairs = map[string]int{
	"wait": 10, "wait-more": 8, "wait-long": 4, "parallelism": 5, "restart": 4, "apply": 2, "crash": 3, "second-pass": 3,
	"refuse": 2, "lose-answer": 2, "jobs-right": 3, "fix-image": 2, "resume": 2, "crash-jobmanager": 2, "redeploy": 2,
	"take-back": 2,
}

// pairLots are the commands to draw from.
var pairLots = func() []string {
	var all []string
	for _, verb := range names(pairVerbs) {
		all = append(all, slices.Repeat([]string{verb}, max(1, oftenOfPairs[verb]))...)
	}
	return all
}()

// pairVerbs are all commands of random runs of blue/green deployments.
var pairVerbs = func() map[string]func(r *pairRun, n int) {
	all := map[string]func(r *pairRun, n int){}
	for _, some := range []map[string]func(r *pairRun, n int){pairSpecVerbs, pairSideVerbs, pairWorldVerbs} {
		for verb, do := range some {
			all[verb] = do
		}
	}
	for verb, do := range refusalVerbs {
		all[verb] = func(r *pairRun, n int) { do(&r.policies, n) }
	}
	return all
}()

// change changes the template, if the pair is there.
func (r *pairRun) change(changes ...change) {
	if r.there() {
		r.editPair(demo, changes...)
	}
}

// changeOptions has the pair have the options of the run.
func (r *pairRun) changeOptions() {
	if r.there() {
		r.changePairOptions(demo, r.options())
	}
}

// pairSpecVerbs are what a user does with the pair.
var pairSpecVerbs = map[string]func(r *pairRun, n int){
	"apply": func(r *pairRun, n int) {
		if r.resource(pairMark+demo) != nil || slices.ContainsFunc(r.sides, (*pairSide).isThere) {
			return
		}
		r.mode, r.excused, r.givenUp, r.operation, r.owed = n%len(pairModes), "", false, "", 0
		for _, s := range r.sides {
			s.floor, s.latest, s.seen = 0, "", len(r.w.Flink.Starts(namespace, s.name))
		}
		r.applyPair(demo, r.template(), r.options())
	},
	"parallelism": func(r *pairRun, n int) { r.change(parallelism(int64(1 + n%4))) },
	"invalid":     func(r *pairRun, _ int) { r.change(parallelism(0)) },
	"suspend":     func(r *pairRun, _ int) { r.change(jobState("suspended")) },
	"resume":      func(r *pairRun, _ int) { r.change(jobState("running")) },
	"restart":     func(r *pairRun, n int) { r.change(field("restartNonce", int64(n))) },
	"break-image": func(r *pairRun, _ int) { r.change(field("image", "flink:broken")) },
	"fix-image":   func(r *pairRun, _ int) { r.change(field("image", "flink:1.20")) },
	"patch-child": func(r *pairRun, n int) {
		r.change(option("kubernetes.operator.savepoint.history.max.count", fmt.Sprint(5+n)))
	},
	"delete": func(r *pairRun, _ int) {
		if r.there() {
			r.remove(pairMark + demo)
		}
	},
	"grace": func(r *pairRun, n int) {
		r.grace = pick(n, "3 min", "40 s", "10 min")
		r.changeOptions()
	},
	// The spec becomes that of the side that serves.
	"take-back": func(r *pairRun, _ int) {
		recorded, err := v1beta1.ParseReconciledBlueGreen(r.pair(demo).LastReconciledSpec)
		if err != nil || recorded.Template == nil || recorded.Template.Spec == nil || recorded.Template.Spec.Job == nil {
			return
		}
		was := recorded.Template.Spec
		r.change(field("image", was.Image), parallelism(int64(was.Job.Parallelism)), func(spec map[string]any) {
			if delete(spec, "restartNonce"); was.RestartNonce != nil {
				spec["restartNonce"] = *was.RestartNonce
			}
		})
	},
	"redeploy": func(r *pairRun, n int) { r.redeploy(int64(n)) },
	"abort":    func(r *pairRun, _ int) { r.annotate(v1beta1.AnnotationAbort) },
	"promote":  func(r *pairRun, _ int) { r.annotate(v1beta1.AnnotationPromote) },
}

// redeploy has the pair start from a savepoint of a user's.
func (r *pairRun) redeploy(progress int64) {
	if !r.there() {
		return
	}
	r.redeploys++
	path := fmt.Sprintf("s3://mine/savepoint-%06d-%012d", r.redeploys, progress)
	r.w.Storage.Put(job.Snapshot{Path: path, Savepoint: true, Progress: progress})
	r.chosen[path] = progress
	r.change(jobField("initialSavepointPath", path), jobField("savepointRedeployNonce", int64(r.redeploys)))
}

// mostAgain is how often what was given up may be asked for again.
const mostAgain = 2

// helped does what status asks of a user, and reports whether it asks for something: to try a spec again that was given
// up, to delete the job of a cluster that was deleted, or to name a savepoint.
func (r *pairRun) helped() bool {
	stalled := r.condition(pairMark+demo, "Stalled")
	switch {
	case !strings.HasPrefix(stalled, "True"):
		return false
	case r.pair(demo).FailedAttempt != nil && r.again < mostAgain:
		r.again++
		r.change(field("restartNonce", 1000+r.again))
		return true
	case strings.HasPrefix(stalled, "True "+string(plan.ReasonSideTerminating)):
		for _, s := range r.sides {
			u := r.w.Kube.Peek(kubesim.FlinkDeployments, namespace, s.name)
			if u != nil && u.GetDeletionTimestamp() != nil {
				r.deletes(s, 0)
			}
		}
		return true
	case r.excused != "":
		r.redeploy(1 << 40)
		return true
	}
	return false
}

// annotate decides about the change under way, as a user does.
func (r *pairRun) annotate(annotation string) {
	if r.there() && r.pair(demo).Transition != nil {
		r.decides(demo, annotation)
	}
}

// side is one of the two, by a number.
func (r *pairRun) side(n int) *pairSide { return pick(n, r.sides...) }

// target is the side that a change under way makes; nil where none is.
func (r *pairRun) target() *pairSide {
	t := r.pair(demo).Transition
	if t == nil || t.From == "" {
		return nil
	}
	if t.Target == v1beta1.Blue {
		return r.sides[0]
	}
	return r.sides[1]
}

// runsOn does something to the job of a side while it runs.
func (r *pairRun) runsOn(n int, do func(runs *job.Job)) {
	s := r.side(n)
	if runs := s.job(); runs != nil && runs.State == job.Running {
		r.w.Flink.Do(namespace, s.name, runs.ID, do)
	}
}

// rescript changes what happens to the jobs of one side, or of both.
func (r *pairRun) rescript(n int, script job.Script) {
	for i, s := range r.sides {
		if n%3 == i || n%3 == len(r.sides) {
			r.w.Flink.ScriptJob(s.name, script)
		}
	}
}

// pairSideVerbs are what goes wrong with one side: an even number is blue, an odd one green. A script of three is blue,
// green, or both.
var pairSideVerbs = map[string]func(r *pairRun, n int){
	"crash-jobmanager": func(r *pairRun, n int) {
		s := r.side(n)
		pods := r.w.Kube.List(kubesim.Pods, namespace, map[string]string{"app": s.name, "component": "jobmanager"})
		if len(pods) > 0 && r.w.Flink.JobManagers(namespace, s.name) > 0 {
			s.losesProcess()
			r.w.Nodes.Crash(namespace, pods[0].GetName(), "oom")
		}
	},
	"lose-deployment": func(r *pairRun, n int) {
		if s := r.side(n); r.w.Kube.Get(kubesim.Deployments, namespace, s.name) != nil {
			s.losesProcess()
			r.loseDeployment(s.name)
		}
	},
	"fail-over": func(r *pairRun, n int) {
		r.runsOn(n, func(runs *job.Job) { runs.Restart("X", "no such topic just now", r.w.Clock.Now()) })
	},
	"fail-job": func(r *pairRun, n int) {
		r.excuse("a job failed")
		r.runsOn(n, func(runs *job.Job) { runs.Fail("X", "no such topic", r.w.Clock.Now()) })
	},
	// The target goes by a user's hand. Until something runs on it, it is made again.
	"delete-target": func(r *pairRun, n int) {
		s := r.target()
		if s == nil || !s.isThere() {
			return
		}
		if r.pair(demo).Transition.Step != v1beta1.BlueGreenWarm {
			r.excuse("a user deleted a side")
		}
		r.deletes(s, n)
	},
	"delete-side": func(r *pairRun, n int) {
		if s := r.side(n); n > 8 && s.isThere() {
			r.excuse("a user deleted a side")
			r.deletes(s, n)
		}
	},
	"main-fails":      func(r *pairRun, n int) { r.rescript(n, job.Script{MainFails: "X: no such topic"}) },
	"main-slow":       func(r *pairRun, n int) { r.rescript(n, job.Script{MainSteps: 1 + n}) },
	"tasks-fail":      func(r *pairRun, n int) { r.rescript(n, job.Script{FailAtStart: "no such table"}) },
	"no-checkpoints":  func(r *pairRun, n int) { r.rescript(n, job.Script{NoCheckpoints: true}) },
	"savepoints-fail": func(r *pairRun, n int) { r.rescript(n, job.Script{SnapshotFails: "the store is full"}) },
	"savepoints-slow": func(r *pairRun, n int) { r.rescript(n, job.Script{SnapshotSteps: n, CancelSteps: n}) },
	"finish-slowly":   func(r *pairRun, n int) { r.rescript(n, job.Script{FinishSteps: n}) },
	"jobs-right":      func(r *pairRun, _ int) { r.rescript(2, job.Script{}) },
	"runs-time-out": func(r *pairRun, n int) {
		r.w.Flink.Script(namespace, r.side(n).name, process.Script{RunTimesOut: n%4 < 2, MainSteps: n % 4 * 5})
	},
	"cleaned-up-slowly": func(r *pairRun, n int) {
		r.w.Flink.Script(namespace, r.side(n).name, process.Script{CleanUpSteps: n % 4})
	},
	"no-taskmanagers": func(r *pairRun, n int) {
		r.w.Flink.Script(namespace, r.side(n).name, process.Script{NoTaskManagers: n%4 < 2})
	},
}

// deletes deletes a resource of a side.
func (r *pairRun) deletes(s *pairSide, n int) {
	of := kubesim.FlinkDeployments
	if s.split() && n%4 < 2 {
		of = kubesim.FlinkSessionJobs
	}
	if u := r.w.Kube.Peek(of, namespace, s.name); u == nil || u.GetDeletionTimestamp() != nil {
		return
	}
	if err := r.w.Kube.Delete(of, namespace, s.name, kubesim.DeleteOptions{}); err != nil {
		r.t.Fatal(err)
	}
}

// pairWorldVerbs are time, and what goes wrong for all.
var pairWorldVerbs = map[string]func(r *pairRun, n int){
	"wait":      func(r *pairRun, n int) { r.steps(1 + n/3) },
	"wait-more": func(r *pairRun, n int) { r.steps(6 + n) },
	"wait-long": func(r *pairRun, n int) { r.steps(30 + n) },
	"lose-events": func(r *pairRun, _ int) {
		r.w.Kube.Feed.Take()
		r.takeControl()
		r.late = nil
	},
	"disorder": func(r *pairRun, n int) { r.disorder = append(disorders, inOrder, inOrder)[n%(len(disorders)+2)] },
	"crash":    func(r *pairRun, n int) { r.w.Tap.Inject(crashAfter(1 + n)) },
	"second-pass": func(r *pairRun, n int) {
		r.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("reconcile"), Nth: 1 + n, Do: r.secondPass()})
	},
	"refuse": func(r *pairRun, n int) {
		r.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("reconcile"), Nth: 1 + n, Status: 500})
	},
	"lose-answer": func(r *pairRun, n int) {
		r.w.Tap.Inject(wire.Fault{Match: wire.Writes("reconcile"), Nth: 1 + n, After: true, Err: wire.Reset})
	},
	"flink-refuses": func(r *pairRun, n int) {
		until := r.w.Clock.Now().Add(aWhile(n))
		f := wire.Fault{Match: func(q wire.Request) bool {
			return q.System == "flink" && r.w.Clock.Now().Before(until) && (n%4 == 0 || q.IsWrite() == (n%4 == 1))
		}}
		if f.Status = pick(n/3, http.StatusTooManyRequests, http.StatusServiceUnavailable, 0); f.Status == 0 {
			f.Err = wire.Timeout
		}
		r.w.Tap.Inject(f)
	},
	"pods-end-slowly": func(r *pairRun, n int) { r.image("flink:1.20", controllers.Script{StopSteps: n}) },
	"pod-status-late": func(r *pairRun, n int) { r.w.Nodes.StatusLate(n % 4) },
	"garbage-late":    func(r *pairRun, n int) { r.w.Nodes.GarbageLate(10 * delays[n%len(delays)]) },
	"node-down": func(r *pairRun, _ int) {
		if !r.w.Nodes.IsDown("node-1") {
			for _, s := range r.sides {
				s.losesProcess()
			}
			r.w.Nodes.NodeDown("node-1")
		}
	},
	"node-up": func(r *pairRun, _ int) {
		if r.w.Nodes.IsDown("node-1") {
			for _, s := range r.sides {
				s.losesProcess()
			}
			r.w.Nodes.NodeUp("node-1")
		}
	},
	// An edit of a label of the pair, which its sides follow.
	"label": func(r *pairRun, n int) {
		if !r.there() {
			return
		}
		_, err := r.w.Kube.Update(kubesim.FlinkBlueGreenDeployments, namespace, demo, func(u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{"team": fmt.Sprint(n)})
		})
		if err != nil {
			r.t.Fatal(err)
		}
	},
}
