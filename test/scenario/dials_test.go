package scenario

import (
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

// dialVerbs turn what differs from one real Flink to the next, or from one machine to the next. A run turns some before
// it makes its resource, and may turn them again at any time. A new value of an option is an edit of the spec.
var dialVerbs = map[string]func(r *run, n int){
	"retention": func(r *run, n int) {
		r.turn("execution.checkpointing.externalized-checkpoint-retention",
			pick(n, job.RetainedOnCancellation, job.DeletedOnCancellation, job.NeverRetained, ""))
	},
	"retention-in-code": func(r *run, n int) {
		r.rescript(func(s *job.Script) {
			s.Retain = pick(n, "", job.RetainedOnCancellation, job.DeletedOnCancellation, job.NeverRetained)
		})
	},
	"restart-strategy": func(r *run, n int) {
		r.turn("restart-strategy.type", pick(n, "", "none", "fixed-delay", "exponential-delay"))
		r.turn("restart-strategy.fixed-delay.attempts", pick(n/4, "", "2"))
	},
	"web-refresh": func(r *run, n int) { r.turn("web.refresh-interval", pick(n, "", "3 s", "20 s", "0 s")) },
	// Only before the first process starts: a clock that jumps is another story.
	"skew": func(r *run, n int) {
		if len(r.w.Flink.Starts(namespace, demo)) == 0 {
			r.w.Flink.Skew(pick(n, 0, 3*time.Second, -3*time.Second, 40*time.Second, -40*time.Second))
		}
	},
	"adaptive": func(r *run, n int) {
		r.turn("jobmanager.scheduler", pick(n, "", "adaptive"))
		r.rescript(func(s *job.Script) { s.StopRestarts = n%4 == 3 })
	},
	// With a load, the autoscaler changes the parallelism of single vertices now and then, as nobody edits anything.
	"load": func(r *run, n int) {
		r.rescript(func(s *job.Script) { s.Load = job.Load{Rate: pick(n, 3500.0, 400, 1500, 0), Capacity: 1000} })
	},
	"autoscale": func(r *run, n int) {
		for _, name := range names(briefly) {
			r.turn(name, briefly[name])
		}
		r.turn("job.autoscaler.enabled", pick(n, "true", "true", "true", "true", "true", "false", ""))
		r.rescript(func(s *job.Script) {
			if s.Load.Rate == 0 {
				s.Load = job.Load{Rate: 3500, Capacity: 1000}
			}
		})
	},
	// until a window has filled, if nothing else happens
	"wait-window": func(r *run, n int) {
		if r.options["job.autoscaler.enabled"] == "true" {
			r.steps(100 + n)
		}
	},
	"autoscaler-nonce":  func(r *run, n int) { r.editIfThere(jobField("autoscalerResetNonce", int64(n))) },
	"stop-fails":        func(r *run, _ int) { r.rescript(func(s *job.Script) { s.StopFails = true }) },
	"finish-slowly":     func(r *run, n int) { r.rescript(func(s *job.Script) { s.FinishSteps = n }) },
	"cleaned-up-slowly": func(r *run, n int) { r.w.Flink.Script(namespace, demo, process.Script{CleanUpSteps: n % 4}) },
	"fail-over": func(r *run, _ int) {
		if r.running(demo) == "RUNNING" {
			r.flink(demo, func(j *job.Job) {
				j.Restart("java.lang.IllegalStateException", "no such topic just now", r.w.Clock.Now())
			})
			if r.running(demo) == string(job.Failed) { // it may not restart
				r.hasFailed()
			}
		}
	},
	"jobmanagers-end-slowly": func(r *run, n int) {
		r.image("flink:1.20@jobmanager", controllers.Script{StopSteps: n % 6})
	},
	"taskmanagers-end-slowly": func(r *run, n int) {
		r.image("flink:1.20@taskmanager", controllers.Script{StopSteps: n % 6})
	},
	"pod-status-late": func(r *run, n int) { r.w.Nodes.StatusLate(n % 4) },
	"controllers-late": func(r *run, n int) {
		r.faults, r.behind = true, delays[n%len(delays)]
		r.w.Nodes.ControllersLate(r.behind)
	},
	"garbage-late":     func(r *run, n int) { r.w.Nodes.GarbageLate(10 * delays[n%len(delays)]) },
	"controllers-away": func(r *run, _ int) { r.faults = true; r.w.Nodes.ControllersAway() },
	"controllers-back": func(r *run, _ int) { r.w.Nodes.ControllersBack() },
	"kubelet-dead": func(r *run, _ int) {
		r.kubeletDied = true
		r.w.Nodes.KubeletDown("node-1")
	},
	"kubelet-back": func(r *run, _ int) { r.w.Nodes.KubeletUp("node-1") },
}

// prologue are the dials that a run may begin with.
var prologue = []string{
	"adaptive", "autoscale", "retention", "retention-in-code", "restart-strategy", "web-refresh", "skew",
	"jobmanagers-end-slowly",
	"taskmanagers-end-slowly", "pod-status-late",
	"cleaned-up-slowly", "controllers-late", "garbage-late",
}

// briefly is how the autoscaler is set to decide within a run.
var briefly = map[string]string{
	"job.autoscaler.metrics.window": "1 min", "job.autoscaler.stabilization.interval": "10 s",
	"job.autoscaler.scale-down.interval": "0 s", "job.autoscaler.restart.time": "5 s",
	"job.autoscaler.utilization.max": "0.8", "job.autoscaler.vertex.max-parallelism": "8",
}

// delays are how much later than others controllers may hear of something.
var delays = []time.Duration{0, time.Second, 3 * time.Second, 6 * time.Second}

// controllersHear lets controllers that are late, or away, hear of what was deleted. Where somebody deletes the
// Deployment and, within seconds, its resource, they may make a JobManager when nobody removes its high-availability
// data any more; and a resource that is applied again within seconds of its deletion may meet a pod that they make of
// the one before, see docs/trust/state-safety.md.
func (r *run) controllersHear() {
	r.w.Nodes.ControllersBack()
	for since := r.w.Clock.Now(); r.w.Clock.Now().Sub(since) < 2*r.behind; {
		r.steps(1)
	}
}

func pick[T any](n int, from ...T) T { return from[n%len(from)] }

// turn sets an option of this run: of its resource, if there is one, and of those that it makes from now on. Empty: not
// set.
func (r *run) turn(key, value string) {
	r.options[key] = value
	r.editIfThere(set(key, value))
}

// turned are the options that this run has turned.
func (r *run) turned(spec map[string]any) {
	for _, key := range names(r.options) {
		set(key, r.options[key])(spec)
	}
}

// set sets an option, or with an empty value takes it away.
func set(key, value string) change {
	return func(spec map[string]any) {
		if value == "" {
			delete(spec["flinkConfiguration"].(map[string]any), key)
			return
		}
		option(key, value)(spec)
	}
}

// rescript changes what happens to the job and leaves the rest of its script.
func (r *run) rescript(change func(s *job.Script)) {
	change(&r.jobs)
	r.w.Flink.ScriptJob(demo, r.jobs)
}
