package scenario

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// verbs are all commands.
var verbs = func() map[string]func(r *run, n int) {
	all := maps.Clone(worldVerbs)
	maps.Copy(all, settingVerbs)
	maps.Copy(all, snapshotVerbs)
	maps.Copy(all, dialVerbs)
	maps.Copy(all, taskManagerVerbs)
	for name, do := range refusalVerbs {
		all[name] = func(r *run, n int) { do(&r.policies, n) }
	}
	maps.Copy(all, rareVerbs)
	return all
}()

// worldVerbs are what a person does and what goes wrong.
var worldVerbs = map[string]func(r *run, n int){
	"apply": func(r *run, n int) {
		if r.resource(demo) != nil {
			return
		}
		if r.mode != "" {
			r.controllersHear()
		}
		r.mode, r.broken, r.excused, r.fellSilent = modes[n%len(modes)].name, false, "", false
		if len(r.w.Flink.Nodes("/flink/"+demo)) > 0 && strings.HasSuffix(r.mode, "on ZooKeeper") {
			r.excuse("an earlier life left data where only Flink could look") // which was told when it ended
		}
		if r.left {
			r.excused, r.left = "an earlier life went without its clean-up", false // which what is left tells
		}
		r.states.anew()
		r.apply(demo, application(append(slices.Clone(modes[n%len(modes)].changes), r.turned)...))
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
	"fix-image": func(r *run, _ int) { r.editIfThere(field("image", "flink:1.20")) },
	"version": func(r *run, n int) {
		r.editIfThere(field("flinkVersion", []string{"v1_20", "v2_0"}[n%2]))
	},
	"delete": func(r *run, _ int) {
		if r.there() {
			if r.w.Clock.Now().Sub(r.lost) <= 2*r.behind {
				r.controllersHear()
			}
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
		r.fault(wire.Fault{Match: wire.Writes("reconcile"), Nth: 1 + n, After: true, Err: wire.Reset})
	},
	"lose-deployment": func(r *run, _ int) {
		if r.w.Kube.Get(kubesim.Deployments, namespace, demo) == nil {
			return
		}
		i, j := r.status(demo).Intent, r.w.Flink.Job(namespace, demo, "")
		onlySaved := j != nil && j.Latest(true) != nil && j.Latest(false) == nil // high-availability data names no savepoint
		if r.unseen() || !r.highlyAvailable() || r.running(demo) != "RUNNING" || onlySaved ||
			(i != nil && i.Step == v1beta1.StepStopping) {
			r.excuse("its Deployment was deleted")
		}
		r.losesEnd()
		r.loseDeployment(demo)
		r.lost = r.w.Clock.Now()
	},
	"crash-jobmanager": func(r *run, _ int) { r.crashJobManager() },
	// ZooKeeper refuses reads, writes or both for a while.
	"zookeeper-refuses": func(r *run, n int) {
		until := r.w.Clock.Now().Add(aWhile(n))
		r.fault(wire.Fault{Status: 403, Match: func(q wire.Request) bool {
			return q.System == "zookeeper" && r.w.Clock.Now().Before(until) && (n%4 == 0 || q.IsWrite() == (n%4 == 1))
		}})
	},
	"stop-late": func(r *run, n int) { r.freezeStop(n) },
	"fail-job":  func(r *run, _ int) { r.failJob() },
	// TaskManagers and JobManager are told to end in the same moment, as on a drained node.
	"fail-as-it-ends": func(r *run, _ int) {
		r.failJob()
		r.crashJobManager()
	},
	"finish-job": func(r *run, _ int) {
		if r.running(demo) == "RUNNING" {
			r.excuse("its job finished")
			r.states.finish()
			r.flink(demo, func(j *job.Job) { j.Finish(r.w.Clock.Now()) })
		}
	},
	"savepoints-fail": func(r *run, _ int) {
		r.rescript(func(s *job.Script) {
			*s = job.Script{SnapshotFails: "the store is full", Retain: s.Retain, Load: s.Load}
		})
	},
	"savepoints-slow": func(r *run, n int) {
		r.rescript(func(s *job.Script) {
			*s = job.Script{SnapshotSteps: n, CancelSteps: n, Retain: s.Retain, Load: s.Load}
		})
	},
	"savepoints-right": func(r *run, _ int) {
		r.rescript(func(s *job.Script) { *s = job.Script{Retain: s.Retain, Load: s.Load} })
	},
	"pods-end-slowly": func(r *run, n int) { r.image("flink:1.20", controllers.Script{StopSteps: n}) },
	"node-down":       func(r *run, _ int) { r.nodeDown() },
	"node-up":         func(r *run, _ int) { r.nodeUp() },
}

func (r *run) crashJobManager() {
	pods := r.w.Kube.List(kubesim.Pods, namespace, map[string]string{"app": demo, "component": "jobmanager"})
	pods = slices.DeleteFunc(pods, func(u *unstructured.Unstructured) bool {
		phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
		return phase == string(corev1.PodFailed) || phase == string(corev1.PodSucceeded) // it has no process to lose
	})
	if len(pods) == 0 || len(r.w.Kube.List(kubesim.Nodes, "", nil)) == 0 || r.running(demo) == "-" {
		return
	}
	if !r.highlyAvailable() {
		r.excuse("its JobManager crashed")
		r.states.crash()
	} else if i := r.status(demo).Intent; i != nil && i.Step == v1beta1.StepStopping {
		r.excuse("its JobManager crashed while it was being stopped")
	}
	r.losesEnd()
	r.w.Nodes.Crash(namespace, pods[0].GetName(), "oom")
}

// failJob lets the job fail for good.
func (r *run) failJob() {
	if r.running(demo) != "RUNNING" {
		return
	}
	r.flink(demo, func(j *job.Job) { j.Fail("java.lang.IllegalStateException", "no such topic", r.w.Clock.Now()) })
	r.hasFailed()
}

// hasFailed is a job that failed for good just now. A JobManager that is told to end already may end before it has
// recorded that.
func (r *run) hasFailed() {
	r.excuse("its job failed")
	if u := r.w.Kube.Peek(kubesim.Deployments, namespace, demo); u == nil || u.GetDeletionTimestamp() != nil {
		r.losesEnd()
	}
}
