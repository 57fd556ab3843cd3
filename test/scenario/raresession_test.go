package scenario

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// rareSessionVerbs are all rare commands of runs of session jobs.
var rareSessionVerbs = map[string]func(r *sessionRun, n int){
	"wait-hour": func(r *sessionRun, _ int) { letPass(r.w, time.Hour, r.steps) },
	"setting":   (*sessionRun).setting,
	"status-restore": func(r *sessionRun, n int) {
		r.restoreStatus(pick(n, etl, etl, etl2, host), n)
	},
	"refused":        func(r *sessionRun, n int) { r.policies.forGood(n) },
	"hang":           func(r *sessionRun, _ int) { r.losesProcess(); r.w.Flink.Hang(namespace, host) },
	"unwatched":      func(r *sessionRun, n int) { r.unwatched(n) },
	"storage-remove": func(r *sessionRun, n int) { r.jobs[n%2].storageRemove(n / 2) },
	"odd-snapshot":   (*sessionRun).oddSnapshot,
	"few-checkpoints": func(r *sessionRun, n int) {
		r.jobs[0].change(set("execution.checkpointing.interval", "6 h"),
			set("kubernetes.operator.savepoint.history.max.count", "1"),
			set("kubernetes.operator.periodic.savepoint.interval", "2 min"),
			set("kubernetes.operator.savepoint.dispose-on-delete", pick(n, "true", "")),
			set("kubernetes.operator.snapshot.resource.enabled", pick(n/2, "false", "")))
	},
	"twin": (*sessionRun).twin,
	"claim-mode": func(r *sessionRun, n int) {
		r.jobs[0].change(set("execution.state-recovery.claim-mode", pick(n, job.Legacy, job.Claimed, "")))
	},
}

// sessionRarities say how they are drawn.
var sessionRarities = map[string]rarity{
	"wait-hour":       {},
	"setting":         {before: true, then: []string{"cluster-slots", "delete", "setting", "lose-deployment"}},
	"status-restore":  {then: []string{"wait-more", "parallelism", "crash", "suspend"}},
	"refused":         {then: []string{"parallelism", "wait-hour", "snapshot", "savepoint-nonce"}},
	"hang":            {then: []string{"wait-hour", "parallelism"}},
	"unwatched":       {then: []string{"parallelism", "lose-deployment", "delete"}},
	"storage-remove":  {then: []string{"fail-over", "resume", "parallelism"}},
	"odd-snapshot":    {then: []string{"drop-snapshot", "etl2-parallelism"}},
	"few-checkpoints": {then: []string{"wait-hour", "redeploy", "savepoint-nonce"}},
	"claim-mode":      {then: []string{"redeploy", "parallelism"}},
	"twin":            {then: []string{"wait-long", "savepoint-nonce"}},
}

// setting changes what the installation says: a cluster that is made anew may keep its data elsewhere.
func (r *sessionRun) setting(n int) {
	r.losesProcess()
	r.excuse("its cluster may come to keep its data elsewhere")
	r.install(settingsOf[n%len(settingsOf)])
}

// keepsStatus keeps what is stored now, for restoreStatus.
func (r *sessionRun) keepsStatus() {
	for _, name := range []string{etl, etl2, host} {
		if u := r.resource(name); u != nil {
			if status, is := u.Object["status"].(map[string]any); is {
				r.statuses[name] = append(r.statuses[name], earlierStatus{u.GetUID(), runtime.DeepCopyJSON(status)})
			}
		}
	}
}

// restoreStatus stores the status of some commands ago again.
func (r *sessionRun) restoreStatus(name string, n int) {
	u := r.resource(name)
	if u == nil || u.GetDeletionTimestamp() != nil {
		return
	}
	own := slices.DeleteFunc(slices.Clone(r.statuses[name]), func(s earlierStatus) bool { return s.uid != u.GetUID() })
	if len(own) == 0 {
		return
	}
	r.each(func(j *hostedJob) {
		if name == host || j.name == name {
			j.excuse("somebody stored an old status")
		}
	})
	r.watch.restores(u.GetUID())
	old := runtime.DeepCopyJSON(own[max(0, len(own)-2-n)].status)
	if _, err := r.w.Kube.UpdateStatus(r.kindOf(name), namespace, name, old); err != nil {
		r.t.Error(err)
	}
	r.watch.skip(r.resource(name))
}

// made are the snapshots that there are of the job, oldest first.
func (j *hostedJob) made() []string {
	var all []job.Snapshot
	for _, s := range j.r.w.Storage.Snapshots() {
		if j.begun[s.JobID] || strings.HasPrefix(s.Path, "s3://mine/"+j.name+"/") {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b job.Snapshot) int { return a.At.Compare(b.At) })
	var paths []string
	for _, s := range all {
		paths = append(paths, s.Path)
	}
	return paths
}

// storageRemove deletes files of the job's.
func (j *hostedJob) storageRemove(n int) {
	all := j.made()
	if len(all) == 0 {
		return
	}
	path := all[(len(all)-1)-n%len(all)]
	j.excuse("somebody deleted files of its job")
	j.r.removed[path] = true
	j.r.w.Storage.Dispose(path)
}

// oddSnapshot makes a FlinkStateSnapshot of etl, of a savepoint that is there: its own, or one of etl2.
func (r *sessionRun) oddSnapshot(n int) {
	all := r.jobs[n%2].made()
	if len(all) == 0 || r.resource(etl) == nil {
		return
	}
	r.taken.made++
	r.taken.takeOdd("odd-"+string(rune('a'+r.taken.made%26)), map[string]any{
		"jobReference": map[string]any{"kind": v1beta1.KindFlinkSessionJob, "name": etl},
		"savepoint":    map[string]any{"disposeOnDelete": n%3 != 2, "alreadyExists": true, "path": all[len(all)-1]},
	})
}

// holdsFiles holds that no file was disposed of which the job may still read: what it goes back to while it runs, and
// what it is resumed from while it is suspended.
func (j *hostedJob) holdsFiles(s v1beta1.FlinkDeploymentStatus) {
	needed := map[string]string{}
	if runs := j.r.job(j.name); runs != nil && !runs.State.Ended() && runs.State != job.Suspended &&
		runs.ReturnsTo() != nil {
		needed["the running job goes back to"] = runs.ReturnsTo().Path
	}
	if s.Situation == string(plan.Suspended) && j.stateful() && !j.givenUp {
		needed["the next start is from"] = s.JobStatus.UpgradeSavepointPath
	}
	for _, why := range names(needed) {
		if gone := j.r.w.Storage.Lacks(needed[why]); gone != "" && !j.r.removed[gone] {
			j.r.removed[gone] = true
			j.r.t.Errorf("%s: %s %s, and %s was disposed of", j.name, why, needed[why], gone)
		}
	}
}

// twin makes an application of the name of etl, that takes savepoints when etl does.
func (r *sessionRun) twin(int) {
	const each = "kubernetes.operator.periodic.savepoint.interval"
	r.jobs[0].change(set(each, "2 min"))
	if r.w.Kube.Peek(kubesim.FlinkDeployments, namespace, etl) == nil {
		r.applyTo(kubesim.FlinkDeployments, v1beta1.KindFlinkDeployment, etl,
			application(stateful("savepoint"), retained, option(each, "2 min")))
	}
}

// lookAtTwins holds that neither of two resources of one name is in the other's way.
func (r *sessionRun) lookAtTwins() {
	for _, name := range []string{etl, clusterMark + etl} {
		gvr := kubesim.FlinkDeployments
		if name == etl {
			gvr = kubesim.FlinkSessionJobs
		}
		if u := r.w.Kube.Peek(gvr, namespace, etl); u == nil {
			continue
		}
		if stalled := r.condition(name, "Stalled"); strings.HasPrefix(stalled, "True ForeignObject") {
			r.t.Errorf("%s is in the way of its namesake: %s", name, stalled)
		}
	}
}

// removeTwin deletes that application.
func (r *sessionRun) removeTwin() {
	if r.w.Kube.Peek(kubesim.FlinkDeployments, namespace, etl) == nil {
		return
	}
	if err := r.w.Kube.Delete(kubesim.FlinkDeployments, namespace, etl, kubesim.DeleteOptions{}); err != nil {
		r.t.Error(err)
	}
	r.until("the twin is gone", func() bool {
		return r.w.Kube.Peek(kubesim.FlinkDeployments, namespace, etl) == nil
	})
}

// endsHang has somebody delete the pod of a JobManager that answers nobody.
func (r *sessionRun) endsHang() {
	if !r.w.Flink.Hangs(flinksim.Host(namespace, host)) {
		return
	}
	r.losesProcess()
	for _, pod := range r.w.Kube.List(kubesim.Pods, namespace, map[string]string{
		"app": host, "component": "jobmanager",
	}) {
		if err := r.w.Kube.Delete(kubesim.Pods, namespace, pod.GetName(), kubesim.DeleteOptions{}); err != nil {
			r.t.Error(err)
		}
	}
}
