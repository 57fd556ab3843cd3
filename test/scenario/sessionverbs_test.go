package scenario

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
)

// sessionVerbs are all commands of random runs of session jobs. One about etl2 has its name before it.
var sessionVerbs = func() map[string]func(r *sessionRun, n int) {
	all := maps.Clone(clusterVerbs)
	for verb, do := range hostedVerbs {
		all[verb] = func(r *sessionRun, n int) { do(r.jobs[0], n) }
		all[etl2+"-"+verb] = func(r *sessionRun, n int) { do(r.jobs[1], n) }
	}
	for verb, do := range refusalVerbs {
		all[verb] = func(r *sessionRun, n int) { do(&r.policies, n) }
	}
	maps.Copy(all, rareSessionVerbs)
	return all
}()

// sessionLots are the commands to draw from. Of those about etl2 these are drawn: two jobs that everything happens to
// would hardly ever both run.
var sessionLots = func() []string {
	var all []string
	for _, verb := range names(sessionVerbs) {
		if _, rarely := sessionRarities[verb]; rarely {
			continue
		}
		all = append(all, slices.Repeat([]string{verb}, max(1, often[verb]))...)
	}
	return slices.DeleteFunc(all, func(verb string) bool {
		_, ofEtl2 := hostedVerbs[verb[min(len(etl2)+1, len(verb)):]]
		return ofEtl2 && verb[:len(etl2)] == etl2 && !slices.Contains(drawnOfEtl2, verb)
	})
}()

var drawnOfEtl2 = []string{
	"etl2-apply", "etl2-parallelism", "etl2-suspend", "etl2-resume", "etl2-restart", "etl2-delete", "etl2-fail-job",
	"etl2-savepoint-nonce", "etl2-snapshot", "etl2-redeploy",
}

// hostedVerbs are what a person does with one session job, and what goes wrong with it.
var hostedVerbs = map[string]func(j *hostedJob, n int){
	"apply":         (*hostedJob).apply,
	"parallelism":   func(j *hostedJob, n int) { j.change(parallelism(int64(1 + n%5))) },
	"invalid":       func(j *hostedJob, _ int) { j.change(parallelism(0)) },
	"suspend":       func(j *hostedJob, _ int) { j.change(jobState("suspended")) },
	"resume":        func(j *hostedJob, _ int) { j.change(jobState("running")) },
	"restart":       func(j *hostedJob, n int) { j.change(field("restartNonce", int64(n))) },
	"other-cluster": func(j *hostedJob, n int) { j.change(field("deploymentName", pick(n, "other", host))) },
	"other-jar":     func(j *hostedJob, n int) { j.change(jobField("jarURI", []string{jarURI, otherJar, ""}[n%3])) },
	"delete": func(j *hostedJob, _ int) {
		if j.r.there(j.name) {
			j.r.remove(j.name)
		}
	},
	"switch": func(j *hostedJob, n int) {
		s := switches[n%len(switches)]
		j.change(func(spec map[string]any) {
			if configuration := spec["flinkConfiguration"].(map[string]any); configuration[s.key] != nil {
				delete(configuration, s.key)
				return
			}
			option(s.key, s.value)(spec)
		})
	},
	"upgrade-mode": func(j *hostedJob, n int) {
		if j.stateful() && j.r.there(j.name) {
			mode := pick(n, "savepoint", "last-state", "stateless")
			j.givenUp = j.givenUp || mode == "stateless"
			j.change(upgradeMode(mode))
		}
	},
	"retention": func(j *hostedJob, n int) {
		j.change(set("execution.checkpointing.externalized-checkpoint-retention",
			pick(n, job.RetainedOnCancellation, job.DeletedOnCancellation, job.NeverRetained, "")))
	},
	"retention-in-code": func(j *hostedJob, n int) {
		j.rescript(func(s *job.Script) {
			s.Retain = pick(n, "", job.RetainedOnCancellation, job.DeletedOnCancellation, job.NeverRetained)
		})
	},
	"redeploy": (*hostedJob).redeploy,
	"savepoint-nonce": func(j *hostedJob, n int) {
		if j.stateful() { // without a directory for savepoints it is refused
			j.change(nonce(int64(n)))
		}
	},
	"checkpoint-nonce": func(j *hostedJob, n int) { j.change(jobField("checkpointTriggerNonce", int64(n))) },
	"snapshot":         func(j *hostedJob, n int) { j.r.taken.ask(j.name, n) },
	"fail-job": func(j *hostedJob, _ int) {
		j.running("its job failed", func(runs *job.Job) { runs.Fail("X", "no such topic", j.r.w.Clock.Now()) })
	},
	"fail-over": func(j *hostedJob, _ int) {
		j.running("", func(runs *job.Job) {
			if runs.Restart("X", "no such topic just now", j.r.w.Clock.Now()); runs.State.Ended() {
				j.excuse("its job failed") // it may not restart
			}
		})
	},
	"restart-strategy": func(j *hostedJob, n int) {
		j.change(set("restart-strategy.type", pick(n, "", "none", "fixed-delay", "exponential-delay")),
			set("restart-strategy.fixed-delay.attempts", pick(n/4, "", "2")))
	},
	"web-refresh": func(j *hostedJob, n int) { // that of its cluster counts
		j.change(set("web.refresh-interval", pick(n, "", "1 s", "40 s")))
	},
	"finish-job": func(j *hostedJob, _ int) {
		j.running("its job finished", func(runs *job.Job) { j.floor = 0; runs.Finish(j.r.w.Clock.Now()) })
	},
	"cancel-job": func(j *hostedJob, _ int) {
		j.running("somebody cancelled its job", func(runs *job.Job) { runs.Cancel(j.r.w.Clock.Now()) })
	},
	"savepoints-fail": func(j *hostedJob, _ int) {
		j.rescript(func(s *job.Script) { *s = job.Script{SnapshotFails: "the store is full", Retain: s.Retain} })
	},
	"savepoints-slow": func(j *hostedJob, n int) {
		j.rescript(func(s *job.Script) { *s = job.Script{SnapshotSteps: n, CancelSteps: n, Retain: s.Retain} })
	},
	"stop-fails":    func(j *hostedJob, _ int) { j.rescript(func(s *job.Script) { s.StopFails = true }) },
	"finish-slowly": func(j *hostedJob, n int) { j.rescript(func(s *job.Script) { s.FinishSteps = n }) },
	"main-fails": func(j *hostedJob, _ int) {
		j.rescript(func(s *job.Script) { *s = job.Script{MainFails: "X: no such topic", Retain: s.Retain} })
	},
	"main-slow": func(j *hostedJob, n int) {
		j.rescript(func(s *job.Script) { *s = job.Script{MainSteps: 1 + n, Retain: s.Retain} })
	},
	"main-slower": func(j *hostedJob, n int) { // than a request may be on its way
		j.rescript(func(s *job.Script) { *s = job.Script{MainSteps: 16 + 3*n, Retain: s.Retain} })
	},
	"main-hangs": func(j *hostedJob, _ int) { // for good
		j.rescript(func(s *job.Script) { *s = job.Script{MainSteps: 1 << 20, Retain: s.Retain} })
	},
	"crash-at-end": func(j *hostedJob, _ int) {
		j.r.w.Flink.Script(namespace, host, process.Script{CleanUpSteps: 3})
		j.crashes = true
	},
	"job-right": func(j *hostedJob, _ int) { j.rescript(func(s *job.Script) { *s = job.Script{Retain: s.Retain} }) },
}

// apply makes the session job, and before etl its cluster. etl2 is of a kind that the cluster there is suits.
func (j *hostedJob) apply(n int) {
	r := j.r
	if r.resource(j.name) != nil || r.resource(host) != nil && !r.there(host) {
		return
	}
	mode := n % len(sessionModes)
	if j.name != etl {
		for sessionModes[mode].cluster == nil == r.highlyAvailable() {
			mode = (mode + 1) % len(sessionModes)
		}
		j.anew(mode)
		deployed := r.there(host) && r.status(host).ReconciliationStatus.LastReconciledSpec != ""
		ready := meta.IsStatusConditionTrue(r.status(host).Conditions, summary.Ready)
		seen := deployed && r.status(host).ObservedGeneration == r.resource(host).GetGeneration()
		if deployed && (!seen || !ready || !r.settled(host, v1beta1.LifecycleStable)()) {
			j.excuse("its cluster may be changed under it") // the change may have been refused up to now
		}
		r.submit(j.name, sessionJob(host, sessionModes[mode].job...))
		return
	}
	j.anew(mode)
	if (r.mode != mode || r.flipped) && r.there(host) {
		r.losesProcess()
		r.excuse("its cluster is changed under it")
	}
	r.mode, r.flipped = mode, false
	r.apply(host, r.cluster())
	r.submit(j.name, sessionJob(host, sessionModes[mode].job...))
}

// redeploy tells the job to start from a savepoint of somebody's.
func (j *hostedJob) redeploy(n int) {
	if !j.r.there(j.name) {
		return
	}
	path := fmt.Sprintf("s3://mine/%s/savepoint-%d-%d", j.name, j.redeploys, n)
	j.r.w.Storage.Put(job.Snapshot{Path: path, Savepoint: true, Progress: int64(n)})
	j.redeploys++
	j.chosen[path], j.owed[path] = j.redeploys, true
	j.change(jobField("initialSavepointPath", path), jobField("savepointRedeployNonce", int64(j.redeploys)))
}

// noJar has one of the jars refused, or given again.
func (r *sessionRun) noJar(n int) {
	r.jars.refuse([]string{jarURI, otherJar}[n%2], []int{0, http.StatusNotFound, http.StatusBadGateway}[n%3])
}
