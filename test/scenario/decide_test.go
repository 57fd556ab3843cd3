package scenario

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// judge decides for whatever world a run is in, and looks at the decision. It changes nothing.
type judge struct {
	h       *harness
	gather  *gather.Gatherer
	needs   *needs
	moments int
	turn    int
	hidden  int
	decided int
}

// judgedMoments is at each how many moments of a run a decision is judged; in a long draw, one of several is enough.
var judgedMoments = max(1, setting("KNFLINK_SCENARIO_JUDGED", 1))

func newJudge(h *harness) *judge {
	const agent = "judge"
	return &judge{h: h, needs: &needed, gather: &gather.Gatherer{
		Kube: h.kube(agent), Flink: h.connect(agent), ZooKeeper: h.w.ZooKeeper(agent), Operator: h.installed.Operator,
		Now: h.w.Clock.Now,
	}}
}

// look holds what must be true of every decision:
//
//	any                        one disruptive action at the most
//	equal snapshots            equal plans, to the byte, of one look and made anew (each second time)
//	a part that is not known   nothing final that would not be done if it were (the other times)
//	a part not asked for       no other plan if it had been, see mayAdd
//
// But for two: A job that has just ended, and does not answer, is stopped by its high-availability data as one that
// runs. It goes on from that data, which is its newest state; only a JobManager that answers could tell that it has
// ended. And so is one that runs and answered, while its status could not be written for longer than a JobManager may
// stay silent: nothing says that it ever answered. One that is recorded as ended, and that a JobManager without
// high-availability data began again since, is replaced as one that has ended. And a deletion ends without
// high-availability data that could not be read for as long as a clean-up may take, if it tells so. And what is lost
// comes back as it was, and what does not become stable is rolled back, while a change waits that gives up what the
// autoscaler keeps.
func (j *judge) look(name string) {
	t := j.h.t
	if j.moments++; j.moments%judgedMoments != 0 {
		return
	}
	resource := j.h.resource(name)
	if resource == nil {
		return
	}
	looked, err := j.gather.Deployment(t.Context(), gather.Read{Resource: resource})
	if err != nil {
		t.Errorf("look at %s: %v", name, err)
		return
	}
	j.decided++
	p, s := looked.Plan(), *looked.Seen
	if len(disruptive(p)) > 1 {
		t.Errorf("more than one disruptive action: %s", p)
	}
	j.agrees(s, p)
	j.turn++
	if j.turn%2 == 0 {
		if first, again := printed(p), printed(deployment.Make(s)); first != again {
			t.Errorf("equal snapshots gave\n%s\nand\n%s", first, again)
		}
		return
	}
	open := s.Resource.Status.Intent
	known := slices.Concat(final(p, open), within(p))
	start := startOf(p)
	missed := hasEnded(s) || begunUnheard(s) || j.h.refused && runsUnheard(s)
	parts := observedParts(&s)
	hide(&j.hidden, parts, func() plan.Plan { return deployment.Make(s) }, func(part string, blind plan.Plan) {
		j.needs.judge(parts, part, p, blind)
		how, ended := stopOf(blind), s.Resource.Status.JobStatus.State.IsTerminal()
		switch {
		case missed && asks[part] && (takesNothing[how] || ended && how == v1beta1.StopNone):
			return
		case how == v1beta1.StopLastState && stopOf(p) == v1beta1.StopCancel: // either goes on from its newest checkpoint
			return
		case part == "Autoscaled" && p.Rule == "change" && (blind.Rule == "recover" || blind.Rule == "rollBack"):
			return
		case part == "HANodes" && tellsOf(blind, plan.ReasonHighAvailabilityDataLeft):
			return
		}
		allowed := known
		if blindly := startOf(blind); start != nil && blindly != nil && reflect.DeepEqual(start.From, blindly.From) {
			// one that has to remove other data first is prepared in the round after
			allowed = append(slices.Clone(known), plan.PrepareStart{Operation: start.OperationID}.String())
		}
		for _, action := range final(blind, open) {
			if !slices.Contains(allowed, action) {
				t.Errorf(
					"not knowing %s leads to %q by %s, knowing it to %q by %s", part, blind, blind.Rule, p, p.Rule,
				)
			}
		}
	})
}

// agrees holds the decision to what was asked for it.
func (j *judge) agrees(s cluster.Snapshot, p plan.Plan) {
	all := *j.gather
	all.Revise = everything
	full, err := all.Deployment(j.h.t.Context(), gather.Read{Resource: j.h.resource(s.Resource.Name)})
	if err != nil {
		j.h.t.Error(err)
		return
	}
	inquiry{
		t: j.h.t, what: s.Resource.Name, asked: observedParts(&s), all: observedParts(full.Seen), status: s.Resource.Status,
		job: s.Resource.Spec.Job, before: p,
		decide: func() plan.Plan { return deployment.Make(s) },
	}.agrees()
}

// hide decides without one part, then without another, and hands over what that leads to. turn says which come next.
func hide(turn *int, parts []observedPart, decide func() plan.Plan, judge func(part string, blind plan.Plan)) {
	for range hidden {
		*turn++
		part := parts[*turn%len(parts)]
		kept := reflect.New(part.value.Type()).Elem()
		kept.Set(part.value)
		part.value.SetZero()
		blind := decide()
		part.value.Set(kept)
		judge(part.name, blind)
	}
}

// stopOf is how the open stop of a plan stops the job; empty when there is none.
func stopOf(p plan.Plan) v1beta1.StopKind {
	status, ok := p.Status.(*v1beta1.FlinkDeploymentStatus)
	if !ok || status.Intent == nil {
		return ""
	}
	return status.Intent.Stop
}

// tellsOf reports whether a plan has an event with a reason.
func tellsOf(p plan.Plan, reason plan.Reason) bool {
	return slices.ContainsFunc(p.Events, func(e plan.Event) bool { return e.Reason == reason })
}

// hidden is how many parts are hidden, one after the other, in one look.
const hidden = 4

// asks are the parts that say how the job is.
var asks = map[string]bool{"Flink": true, "Flink.Jobs": true}

// takesNothing are the stops that need no word of the job: it goes on from its high-availability data, or from nothing
// as its spec says.
var takesNothing = map[v1beta1.StopKind]bool{v1beta1.StopLastState: true, v1beta1.StopStateless: true}

// hasEnded tells whether Flink says that the job has ended, and the status does not know it yet.
func hasEnded(s cluster.Snapshot) bool {
	status := s.Resource.Status.JobStatus
	jobs, _ := s.Flink.Jobs.Get()
	job, found := world.FindJob(jobs, status.JobID)
	return found && job.State.IsTerminal() && !status.State.IsTerminal()
}

// begunUnheard tells whether Flink says that the job has begun again, and the status does not know it yet.
func begunUnheard(s cluster.Snapshot) bool {
	status := s.Resource.Status.JobStatus
	jobs, _ := s.Flink.Jobs.Get()
	job, found := world.FindJob(jobs, status.JobID)
	return found && status.StartTime != "" && job.StartTime != status.StartTime
}

// runsUnheard tells whether Flink says that the job runs, and the status has heard nothing of it.
func runsUnheard(s cluster.Snapshot) bool {
	status := s.Resource.Status.JobStatus
	jobs, _ := s.Flink.Jobs.Get()
	job, found := world.FindJob(jobs, status.JobID)
	unheard := status.State == v1beta1.FlinkJobReconciling || status.State == v1beta1.FlinkJobCreated
	return found && job.State == v1beta1.FlinkJobRunning && unheard
}

func printed(p plan.Plan) string {
	status, err := json.Marshal(p.Status)
	if err != nil {
		return err.Error()
	}
	return p.String() + string(status) + strings.Join(p.Notes, "\n")
}

func disruptive(p plan.Plan) []string {
	var all []string
	for _, a := range p.Effects() {
		if a.Disruptive() {
			all = append(all, a.String())
		}
	}
	return all
}

// final are the actions that cannot be taken back: those that disrupt, and what only a decision of its own may do. To
// prepare the start of an open intent once more changes nothing. With it the job graphs of the job before are dropped,
// in the version that was seen: that is another one as soon as a JobManager runs.
func final(p plan.Plan, open *v1beta1.Intent) []string {
	prepares := func(a plan.Action) bool {
		start, is := a.(plan.PrepareStart)
		return is && open != nil && start.Operation == open.OperationID
	}
	again, all := slices.ContainsFunc(p.Effects(), prepares), disruptive(p)
	for _, a := range p.Effects() {
		_, drops := a.(plan.DropJobGraphs)
		switch a.(type) {
		case plan.PrepareStart, plan.DropJobGraphs, plan.CancelJob, plan.Release, plan.RemoveFinalizer:
			if !prepares(a) && !(drops && again) {
				all = append(all, a.String())
			}
		}
	}
	return all
}

// startOf is the intent of a plan to start something; nil when it starts nothing.
func startOf(p plan.Plan) *v1beta1.Intent {
	status, ok := p.Status.(*v1beta1.FlinkDeploymentStatus)
	if !ok || status.Intent == nil || status.Intent.Step != v1beta1.StepStarting {
		return nil
	}
	return status.Intent
}

// within are final actions that a plan has as a part of others: data that is deleted loses its job graphs, too.
func within(p plan.Plan) []string {
	var parts []string
	for _, a := range p.Effects() {
		if deletes, is := a.(plan.DeleteHAData); is {
			parts = append(parts, plan.DropJobGraphs{HAData: deletes.HAData}.String())
		}
	}
	return parts
}

// observedPart is a part of a snapshot that may be Unknown.
type observedPart struct {
	name  string
	value reflect.Value
}

// observedParts are the parts of a snapshot that may be Unknown, wherever they are: those in a map are one part, and
// without an entry they are Unknown.
func observedParts(s *cluster.Snapshot) []observedPart {
	parts := partsOf(reflect.ValueOf(s).Elem())
	return append(parts, observedPart{"Flink", reflect.ValueOf(&s.Flink).Elem()}) // a JobManager that does not answer
}

func partsOf(snapshot reflect.Value) []observedPart {
	var parts []observedPart
	var walk func(name string, v reflect.Value)
	walk = func(name string, v reflect.Value) {
		switch {
		case isObserved(v.Type()), v.Kind() == reflect.Map && isObserved(v.Type().Elem()):
			parts = append(parts, observedPart{strings.TrimPrefix(name, "."), v})
		case v.Kind() == reflect.Struct && mayHold(v.Type()):
			for i := range v.NumField() {
				if field := v.Type().Field(i); field.Anonymous { // what is seen of the job, and the objects of its cluster
					walk(name, v.Field(i))
				} else if field.IsExported() {
					walk(name+"."+field.Name, v.Field(i))
				}
			}
		}
	}
	walk("", snapshot)
	return parts
}

func isObserved(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[plan.Plan]().PkgPath() && strings.HasPrefix(t.Name(), "Observed[")
}

// mayHold reports whether a type is one of the operator's own for what was seen.
func mayHold(t reflect.Type) bool {
	return slices.ContainsFunc([]string{"/pkg/plan", "/pkg/engine/", "/pkg/host/"}, func(room string) bool {
		return strings.Contains(t.PkgPath(), room)
	})
}

// What the judge hides, one at a time, is all that a decision sees: a part that it misses is one that nothing holds. So
// each part that is anywhere below a snapshot, by its type, is among them, and those that matter most by their names.
func TestTheJudgeHidesEveryPart(t *testing.T) {
	var s cluster.Snapshot
	found := map[string]int{}
	var hidden []string
	for _, part := range observedParts(&s) {
		hidden = append(hidden, part.name)
		of := part.value.Type()
		if part.name == "Flink" {
			continue // all of its parts
		}
		if of.Kind() == reflect.Map {
			of = of.Elem()
		}
		found[of.String()]++
	}
	for _, name := range []string{
		"JobManager", "Pods", "TaskManagers", "Nodes", "HAData", "HANodes", "Owned", "Snapshots", "SessionJobs",
		"Flink.Jobs", "Flink.Stop", "Flink.LateStops", "Flink.Checkpoints", "Flink.Retention", "Flink.Exceptions",
		"Flink.Requests.Savepoint", "Flink.Requests.Checkpoint",
	} {
		if !slices.Contains(hidden, name) {
			t.Errorf("%s is not among them: %q", name, hidden)
		}
	}
	below := map[string]int{}
	countObserved(reflect.TypeOf(s), below, nil)
	for of, n := range below {
		if found[of] != n {
			t.Errorf("a snapshot has %d of %s, and the judge hides %d", n, of, found[of])
		}
	}
}

// countObserved counts the parts that may be Unknown below a type, through whatever leads to them.
func countObserved(t reflect.Type, count map[string]int, above []reflect.Type) {
	switch {
	case isObserved(t):
		count[t.String()]++
	case slices.Contains(above, t):
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			countObserved(t.Field(i).Type, count, append(slices.Clone(above), t))
		}
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Map, t.Kind() == reflect.Array:
		countObserved(t.Elem(), count, append(slices.Clone(above), t))
	}
}
