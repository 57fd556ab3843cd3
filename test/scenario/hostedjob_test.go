package scenario

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// hostedJob is one session job of a random run, and what must be true of it.
type hostedJob struct {
	r     *sessionRun
	name  string
	mode  int
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
	// redeploys counts the savepoints that a person told the job to start from, chosen has those that it did not start
	// from yet, and owed those of them that it has to, because its spec has kept the state ever since.
	redeploys int
	chosen    map[string]int
	owed      map[string]bool
	// givenUp says that the state may be given up: the spec was stateless, and what it led to may not have ended yet.
	givenUp bool
	// settled is the spec that the job last came to run with: it begins again for another one alone, or when something
	// happens to it.
	settled settledSpec
	// stirred is how many starts there were when something last happened to the job: it is not seen at once.
	stirred int
	// crashes says that the JobManager ends once the job has ended, before it has recorded that.
	crashes bool
}

// settledSpec is one generation of one resource; the zero value is none.
type settledSpec struct {
	resource   types.UID
	generation int64
}

func newHostedJob(r *sessionRun, name string) *hostedJob {
	r.hosted[name] = host
	return &hostedJob{r: r, name: name, begun: map[string]bool{}, chosen: map[string]int{}, owed: map[string]bool{}}
}

// anew begins with a resource that is about to be made.
func (j *hostedJob) anew(mode int) {
	j.mode, j.excused, j.floor, j.again, j.givenUp = mode, "", 0, false, false
	j.seen = len(j.r.startsOf(j.name))
	j.stir()
	if c := j.r.resource(host); c != nil && c.GetGeneration() != j.r.status(host).ObservedGeneration {
		j.excuse("its cluster is about to be changed")
	}
	if strings.Contains(j.r.condition(host, summary.Stalled), fail.ReasonTooLarge) {
		j.excuse("its cluster is changed as soon as there is room for its status")
	}
}

func (j *hostedJob) stateful() bool {
	return !strings.HasPrefix(sessionModes[j.mode].name, "stateless")
}

func (j *hostedJob) change(c ...change) {
	if j.r.there(j.name) {
		j.r.edit(j.name, c...)
	}
}

func (j *hostedJob) excuse(why string) {
	if j.excused == "" {
		j.excused = why
	}
}

// stir is something that happens to the job, or to its cluster: it may begin again.
func (j *hostedJob) stir() { j.settled, j.stirred = settledSpec{}, len(j.r.startsOf(j.name)) }

// losesProcess is a JobManager that goes: without high availability its jobs do, too. One that has not recorded how its
// job ended runs it again.
func (j *hostedJob) losesProcess() {
	j.stir()
	runs := j.r.job(j.name)
	unrecorded := runs != nil && runs.State.Ended() && !j.r.w.Storage.Ended(runs.ID)
	if !j.r.highlyAvailable() || unrecorded {
		j.excuse("its JobManager was lost")
	}
	if i := j.r.status(j.name).Intent; i != nil && i.Step == v1beta1.StepStopping {
		j.excuse("its JobManager was lost while the job was stopped")
	} else if i != nil && i.Step == v1beta1.StepReleased && (runs == nil || runs.ID != i.JobID) {
		j.excuse("its JobManager was lost while it was asked to run the job: whether it did is not known")
	}
	if unrecorded {
		j.floor = 0
	}
	if runs != nil && runs.From != nil && !slices.ContainsFunc(runs.Checkpoints, func(c job.Checkpoint) bool {
		return c.Status == job.Completed
	}) {
		j.excuse("its JobManager was lost before its first checkpoint, so that Flink gives it again what it was given")
	}
}

func (j *hostedJob) rescript(change func(s *job.Script)) {
	change(&j.script)
	j.r.w.Flink.ScriptJob(j.name, j.script)
}

// running does something to the job while it runs.
func (j *hostedJob) running(why string, do func(runs *job.Job)) {
	if j.r.running(j.name) == "RUNNING" {
		j.stir()
		if why != "" {
			j.excuse(why)
		}
		j.r.flink(j.name, do)
	}
}

// look holds that a job whose state is kept never begins with less than it had completed, that it begins again for a
// reason alone, and that nobody is called where nobody is needed.
func (j *hostedJob) look() {
	j.crashesAtEnd()
	starts := j.r.startsOf(j.name)
	for _, start := range starts[j.seen:] {
		j.begins(start)
	}
	j.seen = len(starts)
	s := j.r.status(j.name)
	j.settles(s)
	j.raisesFloor(s)
	j.holdsFiles(s)
	unsafe := meta.FindStatusCondition(s.Conditions, summary.StateSafe)
	began := unsafe != nil && unsafe.Reason == string(plan.ReasonJobRestarted) && j.again
	// what a person chose is kept while the spec that says stateless does not count
	if j.redeploys > 0 && meta.IsStatusConditionFalse(s.Conditions, summary.SpecAccepted) {
		return
	}
	// a second job runs twice what the first one does, whether they keep state or not
	needed := j.excused != "" && (j.stateful() || unsafe != nil && unsafe.Reason == string(plan.ReasonUnaccounted))
	if unsafe != nil && unsafe.Status == metav1.ConditionFalse && !began && !needed {
		j.r.t.Errorf("%s: %s calls for a person: %s: %s\n%s", j.name, s.Situation, unsafe.Reason, unsafe.Message,
			j.r.describe())
	}
}

// crashesAtEnd ends the JobManager once a job has ended and that is not recorded, while somebody is there to see the
// job come back.
func (j *hostedJob) crashesAtEnd() {
	if !j.crashes || !j.r.there(j.name) {
		return
	}
	for id := range j.begun {
		one := j.r.w.Flink.Job(namespace, host, id)
		if one != nil && one.State.Ended() && !j.r.w.Storage.Ended(id) {
			j.crashes, j.floor = false, 0
			j.excuse("its JobManager was lost before it had stored the end of the job")
			j.r.crash()
			return
		}
	}
}

// begins looks at one start.
func (j *hostedJob) begins(start process.Start) {
	if j.begun[start.JobID] && start.JobID != j.r.status(j.name).JobStatus.JobID {
		return // a former one, which is ended again
	}
	if number := j.chosen[start.From]; number > 0 {
		maps.DeleteFunc(j.chosen, func(_ string, other int) bool { return other <= number })
		delete(j.owed, start.From)
		j.floor, j.latest = start.Progress, start.From
	}
	if j.stateful() && !j.givenUp && start.Progress < j.floor {
		j.r.t.Errorf("began with less than it had: %s, and %s had progress %d\n%s", start, j.latest, j.floor,
			j.r.describe())
	}
	if start.How == "fail-over" {
		return
	}
	if byUs := start.How != "high-availability data"; byUs && j.settled != (settledSpec{}) && j.settled == j.spec() {
		j.r.t.Errorf("began again, and nobody asked for that: %s\n%s", start, j.r.describe())
	}
	j.again = j.again || (j.begun[start.JobID] && !strings.Contains(start.From, "/chk-"))
	j.begun[start.JobID] = true
}

// spec is what the resource asks for now.
func (j *hostedJob) spec() settledSpec {
	if u := j.r.resource(j.name); u != nil {
		return settledSpec{u.GetUID(), u.GetGeneration()}
	}
	return settledSpec{}
}

// settles notes the spec of a job that runs as asked, and that began since something last happened to it.
func (j *hostedJob) settles(s v1beta1.FlinkDeploymentStatus) {
	runs, spec, cluster := j.r.job(j.name), j.spec(), j.r.resource(host)
	if cluster == nil || j.r.status(host).ObservedGeneration != cluster.GetGeneration() ||
		!meta.IsStatusConditionTrue(j.r.status(host).Conditions, summary.Ready) {
		return // a change of the cluster may still come
	}
	if runs != nil && runs.State == job.Running && runs.ID == s.JobStatus.JobID && s.Intent == nil &&
		s.Situation == string(plan.Steady) && s.LifecycleState == v1beta1.LifecycleStable &&
		s.ObservedGeneration == spec.generation && j.seen > j.stirred &&
		meta.IsStatusConditionTrue(s.Conditions, summary.Ready) {
		j.settled = spec
	}
}

// raisesFloor takes what the job has completed as the least that it begins with from now on.
func (j *hostedJob) raisesFloor(s v1beta1.FlinkDeploymentStatus) {
	u := j.r.resource(j.name)
	if u == nil {
		return
	}
	open := s.Intent != nil && s.Intent.Step != v1beta1.StepReleased
	if u.Object["spec"].(map[string]any)["job"].(map[string]any)["upgradeMode"] == "stateless" {
		clear(j.owed)
		// what began under this spec may end under another, and what it suspended is resumed empty
		j.floor, j.givenUp = 0, j.givenUp || open || s.Situation == string(plan.Suspended)
		return
	}
	if j.givenUp {
		j.floor = 0
		j.givenUp = s.Intent != nil || s.Situation != string(plan.Steady) || s.ObservedGeneration != u.GetGeneration()
		return
	}
	runs := j.r.job(j.name)
	if runs == nil || s.JobStatus.JobID != runs.ID {
		return
	}
	i := j.r.status(host).Intent
	ends := i != nil && i.Step == v1beta1.StepStopping || j.r.w.Kube.Peek(kubesim.Deployments, namespace, host) == nil
	if ends && runs.State == job.Failed && !j.r.w.Storage.Ended(runs.ID) {
		j.floor = 0 // its JobManager is told to end, and may be killed before it has stored that end
		return
	}
	if began := strconv.FormatInt(runs.Start.UnixMilli(), 10); s.JobStatus.State.IsTerminal() &&
		s.JobStatus.StartTime != "" && s.JobStatus.StartTime != began {
		return // it had ended, and is run again until somebody ends it again
	}
	for _, c := range runs.Checkpoints {
		ofStop := c.Savepoint && c.Stop && runs.State == job.Finished
		counts := ofStop || !c.Savepoint && runs.State != job.Finished
		if counts && c.Status == job.Completed && !c.Discarded && c.Progress > j.floor {
			j.floor, j.latest = c.Progress, c.Path
		}
	}
}

// runsWhatIsRecorded holds that what runs is what status says was deployed, and that it began from where a person told
// it to.
func (j *hostedJob) runsWhatIsRecorded() {
	s, runs := j.r.status(j.name), j.r.job(j.name)
	recorded := s.ReconciliationStatus
	text := recorded.LastReconciledSpec
	switch {
	case s.Intent != nil, s.Situation != "Steady", runs == nil, runs.State != job.Running, runs.ID != s.JobStatus.JobID:
		return
	case recorded.State == v1beta1.ReconciliationRolledBack:
		text = recorded.LastStableSpec
	case recorded.State != v1beta1.ReconciliationDeployed:
		return
	}
	record, err := v1beta1.ParseReconciledSessionJob(text)
	if err != nil || record.Spec.Job == nil || int(record.Spec.Job.Parallelism) != runs.Parallelism {
		j.r.t.Errorf("%s: %s, and what runs has parallelism %d: %v\n%s", j.name, recorded.State, runs.Parallelism, err,
			j.r.describe())
		return
	}
	if j.owed[record.Spec.Job.InitialSavepointPath] {
		j.r.t.Errorf("%s: %s from %s, and the job never began from there\n%s", j.name, recorded.State,
			record.Spec.Job.InitialSavepointPath, j.r.describe())
	}
}

// comesToRest holds that a job that is there does, with a spec that can.
func (j *hostedJob) comesToRest() {
	r := j.r
	if !r.there(j.name) || !r.there(host) {
		return
	}
	r.edit(j.name, jobState("running"), parallelism(2), withoutUnrest, field("deploymentName", host))
	edited := r.w.Clock.Now()
	r.until(j.name+" comes to rest", func() bool {
		r.look()
		r.taken.look()
		s := r.status(j.name)
		stalled := strings.HasPrefix(r.condition(j.name, "Stalled"), "True") && r.w.Clock.Now().Sub(edited) > seenBy
		return s.ObservedGeneration == r.resource(j.name).GetGeneration() &&
			slices.Contains([]string{"Steady", "Ended"}, s.Situation) || j.excused != "" && stalled
	})
}

// withoutUnrest takes back what would keep a job busy for ever, and an option that needs another one.
func withoutUnrest(spec map[string]any) {
	configuration := spec["flinkConfiguration"].(map[string]any)
	delete(configuration, "kubernetes.operator.periodic.savepoint.interval")
	delete(configuration, "kubernetes.operator.periodic.checkpoint.interval")
	delete(configuration, "kubernetes.operator.job.restart.failed")
	if configuration["execution.checkpointing.savepoint-dir"] == nil {
		delete(configuration, "kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age")
	}
}

// endsLeft ends, as a person would, jobs that were left running, of a resource that is gone: that was told.
func (j *hostedJob) endsLeft() {
	if j.r.resource(j.name) != nil || !strings.Contains(j.r.reasons(j.name), string(plan.ReasonJobLeftRunning)) {
		return
	}
	if len(j.r.w.Flink.Live(namespace, host, j.name)) > 0 {
		j.r.flink(j.name, func(left *job.Job) { left.Cancel(j.r.w.Clock.Now()) })
	}
}

// isAlone holds, at rest, that no job of the resource runs but the one that status names, unless it waits for the user
// to say whose that is, and none of a resource that is gone unless that was told.
func (j *hostedJob) isAlone() {
	live := j.r.w.Flink.Live(namespace, host, j.name)
	if u := j.r.resource(j.name); u != nil {
		status := j.r.status(j.name)
		live = slices.DeleteFunc(live, func(id string) bool {
			return id == status.JobStatus.JobID || status.Situation == string(plan.Unaccounted)
		})
	} else if strings.Contains(j.r.reasons(j.name), string(plan.ReasonJobLeftRunning)) {
		return
	}
	if len(live) > 0 {
		j.r.t.Errorf("%s: runs, and no resource has it: %q\n%s", j.name, live, j.r.describe())
	}
}
