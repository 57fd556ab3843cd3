package bluegreen_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

const template = `
template:
  spec:
    image: flink:1.20
    flinkVersion: v1_20
    serviceAccount: flink
    flinkConfiguration:
      taskmanager.numberOfTaskSlots: "1"
      execution.checkpointing.savepoint-dir: s3://s
      execution.checkpointing.dir: s3://c
    jobManager: {resource: {memory: 1024m, cpu: 0.5}}
    taskManager: {resource: {memory: 1024m, cpu: 0.5}}
    job: {jarURI: "local:///a.jar", parallelism: 2, upgradeMode: stateless}
`

// world is one FlinkBlueGreenDeployment, its sides and what they do. Sides act between passes: see react.
type world struct {
	t        *testing.T
	now      time.Time
	bg       *v1beta1.FlinkBlueGreenDeployment
	sides    map[string]*v1beta1.FlinkDeployment
	left     map[string]bluegreen.Left
	ingress  *networkingv1.Ingress
	operator flinkconf.Config
	// savepoints are those that Flink was asked for, by trigger ID.
	savepoints map[string]snapshots.Operation
	serial     int
	// gates is what a look finds for gates, services those that the installation has.
	gates    bluegreen.Gates
	services []flinkconf.Extension

	// broken are sides whose job never runs, stuck those that never go, slow the sides that do nothing for now.
	broken, stuck, slow map[string]bool
	// savepointState is what becomes of a savepoint; empty is completed.
	savepointState snapshots.OperationState
	// failure is why one failed, stalled what a broken side says; empty are texts of the world.
	failure, stalled string
	// unreachable says that Flink does not answer.
	unreachable bool
	// refuses answers an action with an error; nil refuses none.
	refuses func(plan.Action) error
	// dies says before which effect, and dead after which, counted from 1, the function dies; 0 is never.
	dies, dead int
	// between is before which effect a whole pass of another pod is made; 0 is never.
	between int

	effects []string
	events  []string
	writes  int
	// stored are the statuses that were written.
	stored []v1beta1.FlinkBlueGreenDeploymentStatus
	// putBack says that the status is one that a user has put back: it need not say what is there.
	putBack bool
	// starts are from what each side that was created has started.
	starts []string
}

var errDied = errors.New("the function died")

func newWorld(t *testing.T, changes ...func(spec map[string]any)) *world {
	t.Helper()
	w := &world{
		t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), sides: map[string]*v1beta1.FlinkDeployment{},
		left: map[string]bluegreen.Left{}, savepoints: map[string]snapshots.Operation{},
		broken: map[string]bool{}, stuck: map[string]bool{}, slow: map[string]bool{},
	}
	w.bg = &v1beta1.FlinkBlueGreenDeployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "flink", Name: "demo", UID: "bg-uid", Generation: 1, ResourceVersion: "1",
	}}
	var content map[string]any
	if err := yaml.Unmarshal([]byte(template), &content); err != nil {
		t.Fatal(err)
	}
	w.decode(content)
	if len(changes) > 0 {
		w.edit(changes...)
	}
	return w
}

// decode sets the spec to what a manifest says.
func (w *world) decode(content map[string]any) {
	w.t.Helper()
	b, specErr, err := v1beta1.DecodeBlueGreen(map[string]any{"spec": content})
	if err != nil || specErr != nil {
		w.t.Fatal(err, specErr)
	}
	w.bg.Spec = b.Spec
}

// edit changes the spec as a user does.
func (w *world) edit(changes ...func(spec map[string]any)) {
	w.t.Helper()
	text, err := yaml.Marshal(w.bg.Spec)
	if err != nil {
		w.t.Fatal(err)
	}
	var content map[string]any
	if err := yaml.Unmarshal(text, &content); err != nil {
		w.t.Fatal(err)
	}
	for _, change := range changes {
		change(content)
	}
	w.decode(content)
	w.bg.Generation++
	w.version()
}

func set(value any, path ...string) func(map[string]any) {
	return func(spec map[string]any) {
		if value == nil {
			unstructured.RemoveNestedField(spec, path...)
			return
		}
		at := spec
		for _, name := range path[:len(path)-1] {
			next, is := at[name].(map[string]any)
			if !is {
				next = map[string]any{}
				at[name] = next
			}
			at = next
		}
		at[path[len(path)-1]] = value
	}
}

func job(field string, value any) func(map[string]any) {
	return set(value, "template", "spec", "job", field)
}
func image(tag string) func(map[string]any) { return set("flink:"+tag, "template", "spec", "image") }
func flink(key, value string) func(map[string]any) {
	return set(value, "template", "spec", "flinkConfiguration", key)
}
func option(name, value string) func(map[string]any) {
	return set(value, "configuration", "kubernetes.operator.bluegreen."+name)
}

var (
	stateful  = job("upgradeMode", "savepoint")
	suspended = job("state", "suspended")
	running   = job("state", "running")
	delay     = func(text string) func(map[string]any) { return option("deployment-deletion.delay", text) }
	grace     = func(text string) func(map[string]any) { return option("abort.grace-period", text) }
)

func (w *world) version() {
	w.serial++
	w.bg.ResourceVersion = strconv.Itoa(1000 + w.serial)
}

func (w *world) name(colour string) string { return "demo-" + colour }

func (w *world) side(colour string) *v1beta1.FlinkDeployment { return w.sides[w.name(colour)] }

func (w *world) observed(name string) plan.Observed[*v1beta1.FlinkDeployment] {
	if d := w.sides[name]; d != nil {
		return plan.Present(d.DeepCopy())
	}
	return plan.Absent[*v1beta1.FlinkDeployment]()
}

// look is what a pass sees.
func (w *world) look() bluegreen.Snapshot {
	s := bluegreen.Snapshot{Now: w.now, Operator: flinkconf.NewOperator(w.operator), Resource: w.bg.DeepCopy()}
	if !bluegreen.AskSides(s) {
		return s
	}
	s.Blue, s.Green = w.observed("demo-blue"), w.observed("demo-green")
	if bluegreen.AskIngress(s) {
		s.Ingress = plan.Absent[*networkingv1.Ingress]()
		if w.ingress != nil {
			s.Ingress = plan.Present(w.ingress.DeepCopy())
		}
	}
	if name := bluegreen.AskLeft(s); name != "" {
		s.Left = plan.Present(w.left[name])
	}
	if bluegreen.AskGates(s, w.services) != nil {
		s.Gates = w.gates
	}
	if q := bluegreen.AskFlink(s); q != nil {
		switch operation, known := w.savepoints[q.Request.TriggerID]; {
		case w.unreachable:
			s.Savepoint = plan.Unknown[snapshots.Operation]("connection refused")
		case known:
			s.Savepoint = plan.Present(operation)
		default:
			s.Savepoint = plan.Present(snapshots.Operation{State: snapshots.OperationNotKnown})
		}
	}
	return s
}

// pass is one pass: rounds until none asks for another. It reports whether the function died.
func (w *world) pass() (died bool) {
	w.t.Helper()
	for range 16 {
		s := w.look()
		p := bluegreen.Make(s)
		version := s.Resource.ResourceVersion
		failed, err := w.apply(p, &version)
		switch {
		case errors.Is(err, errDied):
			return true
		case err != nil:
			left := w.bg.Status
			shown, shows := bluegreen.MakeFailed(s, left, failed, err)
			if shows {
				if _, err := w.apply(shown, &version); errors.Is(err, errDied) {
					return true
				}
			}
			return false
		case p.Requeue != plan.RequeueNow:
			return false
		}
		w.invariants()
	}
	w.t.Fatalf("a pass made 16 rounds: %s", bluegreen.Make(w.look()))
	return false
}

// apply carries a plan out that was made over a version of the resource, and keeps the newest one.
func (w *world) apply(p plan.Plan, version *string) (plan.Action, error) {
	w.t.Helper()
	for _, e := range p.Events {
		w.events = append(w.events, string(e.Reason)+": "+e.Message)
	}
	for _, a := range p.Actions {
		act := func() error { return w.act(a) }
		if r, records := a.(plan.Record); records {
			act = func() error { return w.store(r.Status, version) }
		}
		if err := w.effect(a.String(), act); err != nil {
			return a, err
		}
	}
	stored := slices.ContainsFunc(p.Actions, func(a plan.Action) bool {
		r, records := a.(plan.Record)
		return records && r.Status == p.Status
	})
	if p.Status != nil && !stored {
		if err := w.effect("status", func() error { return w.store(p.Status, version) }); err != nil {
			return nil, err
		}
	}
	for _, a := range p.Finish {
		if err := w.effect(a.String(), func() error { return w.act(a) }); err != nil {
			return a, err
		}
	}
	return nil, nil
}

// effect is one change of the world, before or after which the function may die.
func (w *world) effect(text string, do func() error) error {
	if text == (plan.WakeClock{}).String() {
		return nil
	}
	n := len(w.effects) + 1
	if w.dies == n {
		w.dies = 0
		return errDied
	}
	if w.between == n {
		w.between = 0
		w.pass()
		n = len(w.effects) + 1
	}
	if err := do(); err != nil {
		return err
	}
	w.effects = append(w.effects, text)
	if w.dead == n {
		w.dead = 0
		return errDied
	}
	return nil
}

// store writes the status, if the resource is as it was read.
func (w *world) store(status any, version *string) error {
	if *version != w.bg.ResourceVersion {
		return fail.Conflictf("write status", "Conflict", "it was changed")
	}
	next := *status.(*v1beta1.FlinkBlueGreenDeploymentStatus)
	if err := summary.CheckConditions(next.Conditions, w.bg.Generation); err != nil {
		w.t.Errorf("conditions: %v", err)
	}
	if err := summary.CheckEnds(next.Conditions); err != nil {
		w.t.Errorf("conditions: %v: %+v", err, next.Conditions)
	}
	w.bg.Status = *next.DeepCopy()
	w.stored = append(w.stored, *next.DeepCopy())
	w.writes++
	w.version()
	*version = w.bg.ResourceVersion
	return nil
}

func (w *world) act(a plan.Action) error {
	if w.refuses != nil {
		if err := w.refuses(a); err != nil {
			return err
		}
	}
	switch a := a.(type) {
	case plan.CreateSide:
		return w.create(a)
	case plan.ReplaceSide:
		d := w.sides[a.Name]
		if d == nil || d.UID != a.UID || d.Generation != a.Generation {
			return fail.Conflictf(a.String(), "SideChanged", "it was changed")
		}
		replaced := w.typed(map[string]any{"spec": a.Spec})
		if d.Annotations == nil {
			d.Annotations = map[string]string{}
		}
		d.Annotations[v1beta1.AnnotationSideSpec] = a.Hash
		d.Spec = replaced.Spec
		d.Generation++
	case plan.SuspendSide:
		d := w.sides[a.Name]
		if d == nil || d.UID != a.UID || d.Generation != a.Generation {
			return fail.Conflictf(a.String(), "SideChanged", "it was changed")
		}
		d.Spec.Job.State = v1beta1.JobStateSuspended
		d.Generation++
	case plan.DeleteSide:
		if d := w.sides[a.Name]; d != nil && d.UID == a.UID {
			w.delete(d)
		}
	case plan.LabelSide:
		maps.Copy(w.sides[a.Name].Labels, a.Labels)
	case plan.ApplyIngress:
		w.ingress = a.Ingress.DeepCopy()
		w.ingress.UID = "ingress"
	case plan.DeleteIngress:
		w.ingress = nil
	case plan.DeleteHAData:
		for name, l := range w.left {
			l.HAData = nil
			w.left[name] = l
		}
	case plan.TriggerSavepoint:
		if _, known := w.savepoints[a.TriggerID]; !known {
			state := w.savepointState
			if state == "" {
				state = snapshots.OperationCompleted
			}
			w.savepoints[a.TriggerID] = snapshots.Operation{
				State: state, Location: fmt.Sprintf("s3://s/sp-%d", len(w.savepoints)+1), Failure: or(w.failure, "disk full"),
			}
		}
	case plan.RemoveFinalizer:
		w.bg.Finalizers = nil
	default:
		w.t.Fatalf("unknown action %T", a)
	}
	return nil
}

func (w *world) delete(d *v1beta1.FlinkDeployment) {
	if d.DeletionTimestamp == nil {
		now := metav1.NewTime(w.now)
		d.DeletionTimestamp = &now
	}
}

func (w *world) typed(content map[string]any) *v1beta1.FlinkDeployment {
	w.t.Helper()
	d, specErr, err := v1beta1.DecodeDeployment(content)
	if err != nil || specErr != nil {
		w.t.Fatal(err, specErr)
	}
	return &d
}

func (w *world) create(a plan.CreateSide) error {
	if d := w.sides[a.Name]; d != nil {
		if d.Annotations[v1beta1.AnnotationSideOperation] == a.Operation {
			return nil
		}
		return fail.Conflictf(a.String(), "SideOfAnother", "it is there")
	}
	if l := w.left[a.Name]; l.JobManager || len(l.HAData) > 0 {
		w.t.Errorf("I4: %s is created beside what is left of another", a.Name)
	}
	d := w.typed(a.Content)
	w.serial++
	d.UID, d.Generation = types.UID(fmt.Sprintf("uid-%d", w.serial)), 1
	w.sides[a.Name] = d
	from := or(d.Spec.Job.InitialSavepointPath, "nothing")
	w.starts = append(w.starts, strings.TrimPrefix(a.Name, "demo-")+" from "+from)
	return nil
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// react is what the sides do by themselves between two passes.
func (w *world) react() {
	for name, d := range w.sides {
		switch {
		case w.slow[name]:
		case d.DeletionTimestamp != nil:
			if !w.stuck[name] {
				delete(w.sides, name)
			}
		case d.Spec.Job.DesiredState() == v1beta1.JobStateSuspended:
			d.Status.LifecycleState, d.Status.ObservedGeneration = v1beta1.LifecycleSuspended, d.Generation
			d.Status.JobStatus.State = v1beta1.FlinkJobFinished
			w.reconciled(d)
		case w.broken[name]:
			d.Status.LifecycleState, d.Status.ObservedGeneration = v1beta1.LifecycleDeployed, d.Generation
			d.Status.JobStatus.State = v1beta1.FlinkJobRestarting
			if w.stalled != "" {
				d.Status.Conditions = []metav1.Condition{{
					Type: summary.Stalled, Status: metav1.ConditionTrue, Reason: "JobFailed", Message: w.stalled,
				}}
			}
			w.reconciled(d)
		case !isReady(d):
			w.runs(d)
		}
	}
}

func isReady(d *v1beta1.FlinkDeployment) bool {
	return d.Status.LifecycleState == v1beta1.LifecycleStable && d.Status.ObservedGeneration == d.Generation
}

// runs has a side run its job.
func (w *world) runs(d *v1beta1.FlinkDeployment) {
	if d.Status.JobStatus.JobID == "" || d.Status.LifecycleState != v1beta1.LifecycleDeployed {
		w.serial++
		d.Status.JobStatus.JobID = fmt.Sprintf("%032d", w.serial)
		d.Status.JobStatus.StartTime = strconv.FormatInt(w.now.UnixMilli(), 10)
	}
	d.Status.LifecycleState, d.Status.JobStatus.State = v1beta1.LifecycleStable, v1beta1.FlinkJobRunning
	d.Status.ObservedGeneration = d.Generation
	d.Status.JobManagerDeploymentStatus = v1beta1.JobManagerReady
	w.reconciled(d)
}

func (w *world) reconciled(d *v1beta1.FlinkDeployment) {
	text, err := v1beta1.ReconciledDeployment{Spec: d.Spec}.Text()
	if err != nil {
		w.t.Fatal(err)
	}
	d.Status.ReconciliationStatus.LastReconciledSpec = text
	d.Status.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
}

// tick lets two seconds pass, and what the clock brings: sides act, and a pass looks. A function that died comes again.
func (w *world) tick() {
	w.t.Helper()
	w.now = w.now.Add(2 * time.Second)
	w.react()
	w.invariants()
	w.pass()
	w.invariants()
}

// until ticks until something is so.
func (w *world) until(what string, is func() bool) {
	w.t.Helper()
	for range 2000 {
		if is() {
			return
		}
		w.tick()
	}
	w.t.Fatalf("never %s: %s\n%s %s %q transition %+v\nsides %v\neffects %v", what, w.why(), w.bg.Status.BlueGreenState,
		w.bg.Status.JobStatus.State, w.bg.Status.Error, w.bg.Status.Transition, w.shown(),
		w.effects[max(0, len(w.effects)-12):])
}

// why is what the conditions say.
func (w *world) why() string {
	var all []string
	for _, c := range w.bg.Status.Conditions {
		all = append(all, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
	}
	return strings.Join(all, "\n")
}

// rests ticks until nothing is under way and another look changes nothing.
func (w *world) rests() {
	w.t.Helper()
	w.tick()
	w.tick()
	w.until("at rest", func() bool {
		p := bluegreen.Make(w.look())
		return w.bg.Status.Transition == nil && w.bg.Status.BlueGreenState != "" && p.IsQuiet() && p.Status == nil &&
			w.bg.Status.Retry == nil
	})
}

// state waits until the resource is in a state.
func (w *world) state(state string) {
	w.t.Helper()
	w.until("in state "+state, func() bool { return string(w.bg.Status.BlueGreenState) == state })
}

// active is a world whose first side serves.
func active(t *testing.T, changes ...func(map[string]any)) *world {
	t.Helper()
	w := newWorld(t, changes...)
	w.rests()
	w.sees("ACTIVE_BLUE", "RUNNING", "blue")
	w.starts, w.effects, w.events, w.writes = nil, nil, nil, 0
	return w
}

// shown are the sides that are there, with what they do.
func (w *world) shown() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(w.sides)) {
		d := w.sides[name]
		text := strings.TrimPrefix(name, "demo-")
		switch {
		case d.DeletionTimestamp != nil:
			text += " going"
		case d.Spec.Job.DesiredState() == v1beta1.JobStateSuspended:
			text += " suspended"
		case !isReady(d):
			text += " not ready"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// sees compares what a user sees.
func (w *world) sees(state, jobState, sides string) {
	w.t.Helper()
	s := w.bg.Status
	if got := string(s.BlueGreenState); got != state {
		w.t.Errorf("blueGreenState is %s, want %s", got, state)
	}
	if got := string(s.JobStatus.State); got != jobState {
		w.t.Errorf("jobStatus.state is %s, want %s (error %q)", got, jobState, s.Error)
	}
	if got := w.shown(); got != sides {
		w.t.Errorf("sides: %s, want %s", got, sides)
	}
}

func (w *world) started(want ...string) {
	w.t.Helper()
	if !slices.Equal(w.starts, want) {
		w.t.Errorf("started %q, want %q", w.starts, want)
	}
}

func (w *world) condition(name string) metav1.Condition {
	for _, c := range w.bg.Status.Conditions {
		if c.Type == name {
			return c
		}
	}
	return metav1.Condition{}
}

func (w *world) stalls(reason string, words ...string) {
	w.t.Helper()
	c := w.condition(summary.Stalled)
	if c.Reason != reason {
		w.t.Errorf("Stalled %q (%s), want %q", c.Reason, c.Message, reason)
	}
	for _, word := range words {
		if !strings.Contains(c.Message, word) {
			w.t.Errorf("Stalled says %q, want %q in it", c.Message, word)
		}
	}
}

func (w *world) told(reason string) int {
	n := 0
	for _, e := range w.events {
		if strings.HasPrefix(e, reason+": ") {
			n++
		}
	}
	return n
}

// invariants are I1 to I3 and I5 of the specification; I4 is held where a side is created, I7 by rests.
func (w *world) invariants() {
	w.t.Helper()
	if w.putBack {
		return
	}
	s := w.bg.Status
	mayRun := 0
	for _, d := range w.sides {
		if d.UID != "stranger" && d.DeletionTimestamp == nil && d.Spec.Job.DesiredState() == v1beta1.JobStateRunning {
			mayRun++
		}
	}
	if s.Situation != "" && s.Transition == nil && mayRun > 1 { // the Java operator stores nothing of the kind
		w.t.Errorf("I2: %d sides may run and nothing is under way: %s", mayRun, w.shown())
	}
	wanted := w.bg.Spec.Template.Spec.Job.DesiredState() == v1beta1.JobStateRunning
	if colour := strings.TrimPrefix(string(s.BlueGreenState), "ACTIVE_"); wanted && colour != string(s.BlueGreenState) {
		d := w.side(strings.ToLower(colour))
		if d != nil && d.DeletionTimestamp != nil && w.ours(d) {
			w.t.Errorf("I1: the side that serves, %s, is deleted", colour)
		}
	}
}

// ours reports whether it was us who deleted a side.
func (w *world) ours(d *v1beta1.FlinkDeployment) bool {
	return slices.Contains(w.effects, plan.DeleteSide{Name: d.Name, UID: d.UID}.String())
}
