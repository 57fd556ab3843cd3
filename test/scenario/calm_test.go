package scenario

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// What must hold while nothing goes wrong just now, for as long as it has not.

// calm watches a run while nothing goes wrong.
type calm struct {
	last time.Time // the last look
	// waits is what status waits for, and waited how long it has.
	waits  string
	waited time.Duration
	// seen is the look before the last, and behind how long status has not said that the job runs,
	// which does.
	seen   time.Time
	behind time.Duration
	// settled is the spec that the job last came to run with, and stirred when something last happened to it.
	settled settledSpec
	stirred time.Time
}

const (
	// longestWait is how long something may be waited for without a call for a person: longer than any timeout that a
	// wait has, and than a JobManager of hours ago is remembered.
	longestWait = settleTimeout
	// longestBehind is how long status may not show what Flink does.
	longestBehind = 2 * noticed
)

// stirs are the commands that nothing may happen to a running job for: those of time, faults of the functions' way, and
// what is asked of the job while it runs.
var stirsNothing = []string{
	"wait", "wait-more", "wait-long", "wait-hour", "wait-window", "crash", "second-pass", "refuse", "lose-answer",
	"lose-events", "disorder", "snapshot", "savepoint-nonce", "checkpoint-nonce", "drop-snapshot", "odd-snapshot",
	"quota", "webhook-denies", "webhook-forbids", "webhook-away", "too-many-requests", "time-out", "refused", "setting",
	"status-restore", "web-refresh", "stop-late", "controllers-late", "garbage-late", "pod-status-late", "label",
	"interval-in-code", "hang",
}

// calmNow reports whether nothing goes wrong now: every machine answers, controllers act, and nothing that a job needs
// is refused.
func (r *run) calmNow() bool {
	silent := r.w.Nodes.IsSilent("node-1") || r.w.Nodes.IsSilent("node-2")
	refuses := slices.ContainsFunc(r.policies.all, func(p policy) bool {
		return !p.forOthers && r.w.Clock.Now().Before(p.until)
	})
	struck := r.w.Clock.Now().Sub(time.Unix(0, r.states.refused.Load())) < noticed
	unwatched := len(r.installed.Namespaces) > 0
	troubled := r.jobs
	troubled.Retain, troubled.Load, troubled.Interval = "", job.Load{}, 0
	kubernetes := !silent && !refuses && !r.w.Nodes.Away() && r.behind == 0 && r.w.Kube.ObjectLimit == 0
	return kubernetes && troubled == (job.Script{}) && !unwatched && (!struck || r.refusesForOthers())
}

// refusesForOthers says whether what is refused is for others alone: their events and FlinkStateSnapshots.
func (r *run) refusesForOthers() bool {
	return len(r.policies.all) > 0 && !slices.ContainsFunc(r.policies.all, func(p policy) bool {
		return !p.forOthers && r.w.Clock.Now().Sub(p.until) < noticed
	}) && !r.faulted.After(r.w.Clock.Now().Add(-noticed))
}

// lookCalmly holds, while nothing goes wrong:
//
//	Reconciling=True    ends, or the resource is Stalled
//	a job that runs     is RUNNING in status
func (r *run) lookCalmly() {
	now, u, s := r.w.Clock.Now(), r.resource(demo), r.states.status()
	passed := now.Sub(r.calm.last)
	r.calm.seen = r.calm.last
	if r.calm.last = now; u == nil || u.GetDeletionTimestamp() != nil || !r.calmNow() {
		r.calm.waits, r.calm.waited, r.calm.behind, r.calm.settled = "", 0, 0, settledSpec{}
		return
	}
	c := meta.FindStatusCondition(s.Conditions, summary.Reconciling)
	waits := ""
	if c != nil && c.Status == metav1.ConditionTrue && !meta.IsStatusConditionTrue(s.Conditions, summary.Stalled) {
		waits = c.Reason
	}
	if waits == "" || waits != r.calm.waits {
		r.calm.waits, r.calm.waited, passed = waits, 0, 0
	}
	if r.calm.waited += passed; r.calm.waited > longestWait && !slices.Contains(waitsOfPeople, waits) {
		r.t.Errorf("waits for %s, and calls for nobody: %s\n%s", r.calm.waited, r.condition(demo, summary.Reconciling),
			r.describe())
	}
	r.followsFlink(s, now)
	r.comesToRun(s, settledSpec{u.GetUID(), u.GetGeneration()})
}

// waitsOfPeople are waits that last until somebody changes what is asked for, and say so.
var waitsOfPeople = []string{string(plan.ReasonCheckpointsNotRetained)}

// followsFlink holds that status shows a job that runs.
func (r *run) followsFlink(s v1beta1.FlinkDeploymentStatus, now time.Time) {
	j := r.w.Flink.Job(namespace, demo, "")
	hangs := r.w.Flink.Hangs(flinksim.Host(namespace, demo))
	_, answers := r.w.Flink.Reach(flinksim.Host(namespace, demo))
	runs := j != nil && j.State == job.Running && answers && !hangs && s.Intent == nil && s.JobStatus.JobID == j.ID
	if !runs || s.JobStatus.State == v1beta1.FlinkJobRunning {
		r.calm.behind = 0
		return
	}
	if r.calm.behind += now.Sub(r.calm.seen); r.calm.behind > longestBehind {
		r.t.Errorf("the job runs, and for %s status says %s\n%s", r.calm.behind, s.JobStatus.State, r.describe())
	}
}

// comesToRun notes the spec of a job that runs as asked, once what happened to it is over.
func (r *run) comesToRun(s v1beta1.FlinkDeploymentStatus, spec settledSpec) {
	j := r.w.Flink.Job(namespace, demo, "")
	over := r.w.Clock.Now().Sub(r.calm.stirred) > 2*noticed
	if over && j != nil && j.State == job.Running && j.ID == s.JobStatus.JobID && s.Situation == string(plan.Steady) &&
		s.LifecycleState == v1beta1.LifecycleStable && s.ObservedGeneration == spec.generation &&
		meta.IsStatusConditionTrue(s.Conditions, summary.Ready) && r.options["job.autoscaler.enabled"] != "true" {
		r.calm.settled = spec
	}
}

// actsOnEdits holds that a resource which is ready for its spec was deployed with that.
func (r *run) actsOnEdits(s v1beta1.FlinkDeploymentStatus, state v1beta1.ReconciliationState,
	deployed v1beta1.FlinkDeploymentSpec,
) {
	u := r.resource(demo)
	if u == nil || state != v1beta1.ReconciliationDeployed || s.ObservedGeneration != u.GetGeneration() ||
		!meta.IsStatusConditionTrue(s.Conditions, summary.Ready) ||
		meta.IsStatusConditionFalse(s.Conditions, summary.SpecAccepted) {
		return
	}
	d, err := r.decode(u)
	if err == nil && d.Spec.Job.Parallelism != deployed.Job.Parallelism {
		r.t.Errorf("ready for generation %d with parallelism %d, and deployed with %d\n%s", s.ObservedGeneration,
			d.Spec.Job.Parallelism, deployed.Job.Parallelism, r.describe())
	}
}

// stir is a command that something may happen to the job for.
func (r *run) stir(verb string) {
	if !slices.Contains(stirsNothing, verb) {
		r.calm.settled, r.calm.stirred = settledSpec{}, r.w.Clock.Now()
	}
}

// begins holds that a job which came to run as asked does not begin again, and do its work twice, unless something
// happened to it.
func (r *run) begins(start process.Start) {
	u := r.w.Kube.Peek(kubesim.FlinkDeployments, namespace, demo)
	if start.How == "fail-over" || u == nil || r.calm.settled == (settledSpec{}) ||
		r.calm.settled != (settledSpec{u.GetUID(), u.GetGeneration()}) || strings.HasSuffix(r.mode, "reactive") {
		return
	}
	r.t.Errorf("began again, and nobody asked for that: %s\n%s", start, r.describe())
}
