package scenario

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// A random run is a list of commands, one a line: a verb and a number. What a command cannot do just now it leaves out,
// so that any list is a script.

// run is one random run over one resource, demo.
type run struct {
	*harness
	states *states
	judge  *judge
	taken  *snapshots
	// policies are of others.
	policies policies
	script   []string
	mode     string // of the spec
	broken   bool   // some image was, since the resource was made
	faults   bool   // there were some
	nodes    int
	// redeploys counts the savepoints that a person told the job to start from.
	redeploys int
	options   map[string]string // that were turned, see dialVerbs
	jobs      job.Script
	stops     []lateStop
	// excused says why the job may end without state that is known: nobody but a person could help. It ends with the next
	// start that comes to run; excusedAt is how many starts there were.
	excused   string
	excusedAt int
	// behind is how late the controllers of Kubernetes hear; lost is when a person deleted the Deployment; zero: nobody
	// did.
	behind time.Duration
	lost   time.Time
	// kubeletDied says that the kubelet of the job's node has died in this run.
	kubeletDied bool
	// statuses are those that were stored after each command.
	statuses []earlierStatus
	calm     calm
	// left says that the finalizer was taken away in this life, or the one before: what it had may still be there.
	left bool
	// unheld says that the finalizer was taken away in any life.
	unheld bool
	// faulted is when a fault of the functions' way was armed last.
	faulted time.Time
	// fellSilent says that a status told that its node fell silent as its job was taken for one that never ran.
	fellSilent bool
}

const demo = "demo"

// modes are the kinds of job that a run can have, in the order that scripts number them.
var modes = []struct {
	name    string
	changes []change
}{
	{"stateless", nil},
	{"savepoint", []change{stateful("savepoint"), retained}},
	{"savepoint, highly available", []change{stateful("savepoint"), retained, highlyAvailable}},
	{"last-state", []change{stateful("last-state"), retained}},
	{"last-state, highly available", []change{stateful("last-state"), retained, highlyAvailable}},
	{"savepoint, on ZooKeeper", []change{stateful("savepoint"), retained, onZooKeeper}},
	{"last-state, on ZooKeeper", []change{stateful("last-state"), retained, onZooKeeper}},
	{"savepoint, highly available, rolled back", []change{stateful("savepoint"), retained, highlyAvailable, rolledBack}},
	{
		"last-state, highly available, rolled back",
		[]change{stateful("last-state"), retained, highlyAvailable, rolledBack},
	},
	{"savepoint, recorded", []change{stateful("savepoint"), retained, recorded}},
	{"last-state, highly available, recorded", []change{stateful("last-state"), retained, highlyAvailable, recorded}},
	{"savepoint, snapshots by the clock", []change{stateful("savepoint"), retained, byTheClock}},
	{"stateless, highly available, rolled back", []change{highlyAvailable, rolledBack}},
	{"stateless, on ZooKeeper out of sight", []change{onZooKeeper, outOfSight}},
	{"stateless, on ZooKeeper", []change{onZooKeeper}},
	{"savepoint, on ZooKeeper out of sight", []change{stateful("savepoint"), retained, onZooKeeper, outOfSight}},
	{"savepoint, standalone", []change{stateful("savepoint"), retained, standaloneMode}},
	{"last-state, highly available, standalone", []change{
		stateful("last-state"), retained, highlyAvailable, standaloneMode,
	}},
	{"stateless, standalone, reactive", []change{standaloneMode, option("scheduler-mode", "reactive")}},
	{"savepoint, highly available, standalone, rolled back", []change{
		stateful("savepoint"), retained, highlyAvailable, rolledBack, standaloneMode,
	}},
}

func standaloneMode(spec map[string]any) { spec["mode"] = "standalone" }

func rolledBack(spec map[string]any) {
	option("kubernetes.operator.deployment.rollback.enabled", "true")(spec)
	option("kubernetes.operator.deployment.readiness.timeout", "30 s")(spec)
}

func byTheClock(spec map[string]any) {
	option("kubernetes.operator.periodic.savepoint.interval", "1 min")(spec)
	option("kubernetes.operator.periodic.checkpoint.interval", "2 min")(spec)
	option("kubernetes.operator.savepoint.history.max.count", "2")(spec)
}

var retained = option("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION")

func newRun(t testing.TB) *run {
	r := &run{harness: install(&harness{t: t, direct: true}), nodes: 1, options: map[string]string{}}
	r.states, r.judge, r.taken = newStates(r.harness), newJudge(r.harness), newSnapshots(r.harness, demo)
	r.states.failed, r.states.begins = r.excuseFailure, r.begins
	r.watch.stored = r.callsNobody
	r.policies = policies{
		h: r.harness, name: demo, disturbed: r.disturbed, struck: r.states.struck, fault: r.fault,
	}
	r.taken.removed = r.states.removed
	r.w.Kube.Policy = r.policies.judge
	r.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
	r.w.Kube.AddNode("node-2")
	return r
}

// callsNobody holds that no status calls for a person, not for a moment, where none is needed. A spec that is invalid
// may be one that wants its state kept; that nothing leads back is told also of a start that may still succeed, on a
// node that comes back. A job that Flink began again where it had begun before is a person's, whoever is to blame.
func (r *run) callsNobody(d *v1beta1.FlinkDeployment) {
	unsafe := meta.FindStatusCondition(d.Status.Conditions, summary.StateSafe)
	invalid := meta.IsStatusConditionFalse(d.Status.Conditions, summary.SpecAccepted) && !r.stateful()
	r.states.lookForFailure()
	if d.Name == demo {
		r.holdsFiles(d)
		r.holdsAdvice(d)
		r.endsExcuse(d)
	}
	r.excuseSilentNode(d.Status.Intent, unsafe)
	r.excuseBegan(d)
	if d.Name == demo {
		r.states.stored(d.Status)
	}
	restart := []string{string(plan.ReasonJobRestarted), string(plan.ReasonRestoreNotShown)}
	began := unsafe != nil && slices.Contains(restart, unsafe.Reason) && r.states.hasBegunAgain(d.Status)
	mayStart := unsafe != nil && unsafe.Reason == "RollbackImpossible" && d.Status.Situation == string(plan.Waiting)
	if unsafe != nil && unsafe.Status != metav1.ConditionTrue && r.excused == "" && !invalid && !mayStart && !began {
		r.t.Errorf("%s calls for a person: %s: %s", d.Status.Situation, unsafe.Reason, unsafe.Message)
	}
}

func (r *run) there() bool {
	u := r.resource(demo)
	return u != nil && u.GetDeletionTimestamp() == nil
}

// highlyAvailable says whether the job is, by the spec, by what was deployed, and after a rollback by what runs
// instead: in between it counts as if it were not.
func (r *run) highlyAvailable() bool {
	u := r.w.Kube.Peek(kubesim.FlinkDeployments, namespace, demo)
	if u == nil {
		return false
	}
	d, err := r.decode(u)
	if err != nil {
		r.t.Fatal(err)
	}
	recorded := d.Status.ReconciliationStatus
	rolls := recorded.State == v1beta1.ReconciliationRollingBack || recorded.State == v1beta1.ReconciliationRolledBack
	return r.hasHighAvailability(d.Spec) && r.recordsHighAvailability(recorded.LastReconciledSpec) && (!rolls ||
		r.recordsHighAvailability(recorded.LastStableSpec))
}

func (r *run) hasHighAvailability(spec v1beta1.FlinkDeploymentSpec) bool {
	configuration, err := flinkconf.Flatten(spec.FlinkConfiguration)
	if err != nil {
		r.t.Error(err)
	}
	return configuration.Has(key.HighAvailability)
}

// recordsHighAvailability is true also where nothing is recorded.
func (r *run) recordsHighAvailability(text string) bool {
	if text == "" {
		return true
	}
	record, err := v1beta1.ParseReconciledDeployment(text)
	if err != nil {
		r.t.Error(err)
	}
	return r.hasHighAvailability(record.Spec)
}

// stateful says whether the job can keep its state.
func (r *run) stateful() bool { return !strings.HasPrefix(r.mode, "stateless") }

// disturbed notes that something goes wrong.
func (r *run) disturbed() {
	r.faults = true
	r.excuseLateStart()
}

// fault arms a fault.
func (r *run) fault(f wire.Fault) {
	r.disturbed()
	r.faulted = r.w.Clock.Now()
	do := f.Do
	f.Do = func() {
		r.states.struck()
		if do != nil {
			do()
		}
	}
	r.w.Tap.Inject(f)
}

func (r *run) editIfThere(c change) {
	if r.there() {
		r.edit(demo, c)
	}
}

func (r *run) nodeDown() {
	if !r.w.Nodes.IsDown("node-1") {
		r.losesEnd()
		r.kubeletDied = true
		r.w.Nodes.NodeDown("node-1")
	}
}

// losesEnd is a JobManager that goes before it has recorded how its job ended, or before a status has: Flink runs the
// job again, or who starts it does not know that it ended, and its checkpoints have left the high-availability data.
func (r *run) losesEnd() {
	j, known := r.w.Flink.Job(namespace, demo, ""), r.status(demo).JobStatus.State.IsTerminal()
	if j != nil && j.State.Ended() && (!r.w.Storage.Ended(j.ID) || !known) {
		r.excuse("its JobManager was lost before it had recorded how its job ended")
		r.states.crash()
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
		r.postStops()
		r.states.look()
		r.lookCalmly()
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
	r.stir(verb)
	r.keepsStatus()
	do(r, n)
	r.states.look()
	r.afterPass()
	r.flush()
	r.states.look()
	r.taken.look()
	r.runsWhatIsRecorded()
	r.judge.look(demo)
	if err := r.watch.finish(); err != nil {
		r.t.Fatalf("after %q: %v\n%s", line, err, r.describe())
	}
}

// seenBy is when an edit has been looked at, with every event of it lost.
const seenBy = 3 * time.Minute

// conclude takes all faults away: then the resource comes to rest, the world is quiet, and a deletion ends, also where
// the resource is as large as etcd takes.
func (r *run) conclude() {
	r.t.Helper()
	r.w.Tap.Revive()
	r.watch.arm()
	limit := r.w.Kube.ObjectLimit
	r.policies.ungoverned()
	if !r.there() {
		r.w.Kube.ObjectLimit = limit
	}
	r.disorder = inOrder
	r.nodeUp()
	r.w.Nodes.KubeletUp("node-1")
	r.w.Nodes.InTime()
	if r.installed.Namespaces != nil {
		r.installed.Namespaces = nil
		r.restart()
	}
	r.rescript(func(s *job.Script) { *s = job.Script{Retain: s.Retain, Load: s.Load} })
	if r.there() {
		r.edit(demo, field("image", "flink:1.20"), jobState("running"), parallelism(2), r.versionThatMayRun(), settled,
			r.enoughTaskManagers())
		edited := r.w.Clock.Now()
		r.until("it comes to rest", func() bool {
			if r.w.Clock.Now().Sub(edited) > time.Minute { // what has just come back may start its JobManager again
				r.removesJobGraph()
			}
			r.endsHang()
			if r.w.Clock.Now().Sub(edited) > seenBy && r.cannotRun() {
				verbs["redeploy"](r, 0)
				edited = r.w.Clock.Now()
			}
			r.states.look()
			r.taken.look()
			s := r.status(demo)
			return s.ObservedGeneration == r.resource(demo).GetGeneration() && (s.Situation == "Steady" ||
				s.Situation == "Ended") ||
				r.excused != "" && strings.HasPrefix(r.condition(demo, "Stalled"), "True") &&
					r.w.Clock.Now().Sub(edited) > seenBy
		})
	}
	r.callsForFiles()
	r.followsAdvice()
	if !r.there() {
		r.goes()
		r.w.Kube.ObjectLimit = 0
	}
	r.rest()
	r.taken.atRest()
	r.settles() // a snapshot that was given up just now kept the clock fast
	r.quiet()
	r.states.look() // what was stalled for a while may have begun since
	r.runsWhatIsRecorded()
	if r.there() {
		r.remove(demo)
		r.full(demo)
	}
	r.goes()
	r.w.Kube.ObjectLimit = 0
	r.taken.removeAll()
	r.rest()
	expect(r.t, "what is left", r.leftover(), "\n")
	expect(r.t, "JobManagers of a resource that is gone", r.w.Flink.JobManagers(namespace, demo), 0)
}

// cannotRun reports whether status asks a person to say what to start from, of a job that does not get what it needs to
// run, and whose checkpoints a cancellation would delete.
func (r *run) cannotRun() bool {
	return strings.Contains(r.condition(demo, "Reconciling"), string(plan.ReasonCheckpointsNotRetained))
}

// goes lets the resource go. Where there is no room to store that a savepoint is asked for first, it says so and waits
// for a person, who does without.
func (r *run) goes() {
	r.t.Helper()
	begun := r.w.Clock.Now()
	r.until("demo is gone, or has no room for its savepoint", func() bool {
		u := r.resource(demo)
		if u == nil {
			return true
		}
		_, asked, _ := unstructured.NestedString(u.Object, "spec", "flinkConfiguration", key.JobSavepointOnDeletion.Key)
		return asked && strings.HasPrefix(r.condition(demo, summary.Stalled), "True "+fail.ReasonTooLarge) &&
			r.w.Clock.Now().Sub(begun) > seenBy
	})
	if r.resource(demo) != nil {
		r.edit(demo, func(spec map[string]any) {
			delete(spec["flinkConfiguration"].(map[string]any), key.JobSavepointOnDeletion.Key)
		})
	}
	r.untilGone(demo)
}

// removesJobGraph does what status asks of a person, of a job whose graph may be left where only Flink can look.
func (r *run) removesJobGraph() {
	if !strings.Contains(r.condition(demo, "Stalled"), string(plan.ReasonJobGraphUnreadable)) ||
		r.w.Flink.JobManagers(namespace, demo) > 0 {
		return
	}
	r.w.Flink.ForgetNodes("/flink/" + demo)
	if _, err := r.w.Kube.Update(kubesim.FlinkDeployments, namespace, demo, func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{v1beta1.AnnotationIgnoreState: "true"})
	}); err != nil {
		r.t.Error(err)
	}
}

// runsWhatIsRecorded holds that what runs is what status says was deployed: the newest spec, or after a rollback the
// last stable one; and that one that keeps its state began from where a person told it to.
func (r *run) runsWhatIsRecorded() {
	r.t.Helper()
	s, j := r.status(demo), r.w.Flink.Job(namespace, demo, "")
	recorded := s.ReconciliationStatus
	open := s.Intent != nil && s.Intent.Step != v1beta1.StepReleased
	done := recorded.State == v1beta1.ReconciliationDeployed || recorded.State == v1beta1.ReconciliationRolledBack
	if open || !done || j == nil || j.State != job.Running || s.JobStatus.State != v1beta1.FlinkJobRunning {
		return
	}
	text := recorded.LastReconciledSpec
	if recorded.State == v1beta1.ReconciliationRolledBack {
		text = recorded.LastStableSpec
	}
	deployed, err := v1beta1.ParseReconciledDeployment(text)
	if err != nil || deployed.Spec.Job == nil {
		r.t.Errorf("%s with a record that cannot be read: %v", recorded.State, err)
		return
	}
	r.actsOnEdits(s, recorded.State, deployed.Spec)
	want, parallelism := deployed.Spec.Job, int(deployed.Spec.Job.Parallelism)
	if n := deployed.Spec.TaskManager.Replicas; n != nil {
		parallelism = 2 * int(*n) // slots
	} else if highest := highestOverride(deployed.Spec); highest > 0 {
		parallelism = highest
	}
	reactive := strings.HasSuffix(r.mode, "reactive") // it runs with what there is
	if !reactive && j.Parallelism != parallelism {
		r.t.Errorf(
			"%s, and what runs has parallelism %d instead of %d\n%s", recorded.State, j.Parallelism, want.Parallelism,
			r.describe(),
		)
	}
	for _, vertex := range j.Vertices() {
		if p := j.WantedOf(vertex); !reactive && len(overridesOf(deployed.Spec)) == 0 && p != j.Parallelism {
			r.t.Errorf(
				"%s, and a vertex is to run with %d instead of %d\n%s", recorded.State, p, j.Parallelism, r.describe(),
			)
		}
	}
	if s.Situation == "Steady" && r.states.owed[want.InitialSavepointPath] {
		r.t.Errorf(
			"%s from %s, and the job never began from there\n%s", recorded.State, want.InitialSavepointPath, r.describe(),
		)
	}
}

// highestOverride is the most that a vertex of a standalone cluster's job is asked to run with; 0 where the spec asks
// that of none. It is the parallelism of the job there, also below that of the spec, unless the spec counts its
// TaskManagers.
func highestOverride(spec v1beta1.FlinkDeploymentSpec) (highest int) {
	if spec.DesiredMode() != v1beta1.ModeStandalone {
		return 0
	}
	for _, text := range overridesOf(spec) {
		if n, err := strconv.Atoi(text); err == nil {
			highest = max(highest, n)
		}
	}
	return highest
}

// overridesOf are the vertices whose parallelism a spec asks for; none if it cannot be read.
func overridesOf(spec v1beta1.FlinkDeploymentSpec) map[string]string {
	flat, err := flinkconf.Flatten(spec.FlinkConfiguration)
	if err != nil {
		return nil
	}
	overrides, _ := store.ReadParallelism(flat["pipeline.jobvertex-parallelism-overrides"])
	return overrides
}

// settled takes back what would keep a job busy for ever, and options that its spec cannot have.
func settled(spec map[string]any) {
	configuration := spec["flinkConfiguration"].(map[string]any)
	delete(configuration, "kubernetes.operator.periodic.savepoint.interval")
	delete(configuration, "kubernetes.operator.periodic.checkpoint.interval")
	delete(configuration, "kubernetes.operator.job.restart.failed")
	delete(configuration, "kubernetes.operator.cluster.health-check.enabled")
	if configuration["job.autoscaler.enabled"] != nil {
		configuration["job.autoscaler.enabled"] = "false"
	}
	if configuration["execution.checkpointing.savepoint-dir"] == nil {
		delete(configuration, "kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age")
	}
	if configuration["high-availability.type"] == nil {
		delete(configuration, "kubernetes.operator.deployment.rollback.enabled")
		spec["jobManager"].(map[string]any)["replicas"] = int64(1)
	}
}

// enoughTaskManagers takes back how many TaskManagers the spec gives to a job that an autoscaler has scaled: with
// too few of them it waits for slots without end.
func (r *run) enoughTaskManagers() change {
	last, err := v1beta1.ParseReconciledDeployment(r.status(demo).ReconciliationStatus.LastReconciledSpec)
	if err != nil || highestOverride(last.Spec) == 0 {
		return func(map[string]any) {}
	}
	return func(spec map[string]any) {
		tm := maps.Clone(spec["taskManager"].(map[string]any))
		delete(tm, "replicas")
		spec["taskManager"] = tm
	}
}

// versionThatMayRun is the Flink version that was deployed last: after a suspension by last-state no other one can be
// resumed.
func (r *run) versionThatMayRun() change {
	last, err := v1beta1.ParseReconciledDeployment(r.status(demo).ReconciliationStatus.LastReconciledSpec)
	if err != nil || last.Spec.FlinkVersion == "" {
		return func(map[string]any) {}
	}
	return field("flinkVersion", string(last.Spec.FlinkVersion))
}

// leftover is what is left once all resources are gone. What Flink stored for a resource that went without its clean-up
// is told by the next one of its name.
func (r *run) leftover() string {
	if !r.unheld {
		return r.end()
	}
	var all []string
	for line := range strings.Lines(r.end()) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "configmap ") && strings.HasSuffix(line, "-config-map") {
			continue
		}
		all = append(all, line)
	}
	return strings.TrimSpace(strings.Join(all, "\n")) + "\n"
}
