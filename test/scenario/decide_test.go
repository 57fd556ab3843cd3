package scenario

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment"
)

// judge decides for whatever world a run is in, and looks at the decision. It changes nothing.
type judge struct {
	h       *harness
	gather  *gather.Gatherer
	turn    int
	decided int
}

func newJudge(h *harness) *judge {
	const agent = "judge"
	return &judge{h: h, gather: &gather.Gatherer{
		Kube: h.kube(agent), Flink: h.connect(agent), ZooKeeper: h.w.ZooKeeper(agent), Operator: installation.Operator,
		Now: h.w.Clock.Now,
	}}
}

// look holds what must be true of every decision:
//
//	any                        one disruptive action at the most
//	equal snapshots            equal plans, to the byte (each second time)
//	a part that is not known   nothing disruptive that would not be done if it were (the other times)
//
// But for three: a disposal waits until nothing else is to be stored, so that it comes a look earlier when it is not
// known that there is something to tell. A job that has just ended, and does not answer, is stopped by its
// high-availability data as one that runs. It goes on from that data, which is its newest state; only a JobManager that
// answers could tell that it has ended. And so is one that runs and answered, while its status could not be written for
// longer than a JobManager may stay silent: nothing says that it ever answered.
func (j *judge) look(name string) {
	t := j.h.t
	resource := j.h.resource(name)
	if resource == nil {
		return
	}
	s, err := j.gather.Deployment(t.Context(), gather.Read{Resource: resource})
	if err != nil {
		t.Errorf("look at %s: %v", name, err)
		return
	}
	j.decided++
	p := deployment.Make(s)
	known := disruptive(p)
	if len(known) > 1 {
		t.Errorf("more than one disruptive action: %s", p)
	}
	j.turn++
	if j.turn%2 == 0 {
		if first, again := printed(p), printed(deployment.Make(s)); first != again {
			t.Errorf("equal snapshots gave\n%s\nand\n%s", first, again)
		}
		return
	}
	parts := observedParts(&s)
	part := parts[j.turn/2%len(parts)]
	missed := hasEnded(s) || j.h.refused && runsUnheard(s)
	part.value.SetZero()
	blind := deployment.Make(s)
	if status, ok := blind.Status.(*v1beta1.FlinkDeploymentStatus); ok && missed && part.name == "Flink.Jobs" &&
		status.Intent != nil && takesNothing[status.Intent.Stop] {
		return
	}
	for _, action := range disruptive(blind) {
		if !slices.Contains(known, action) {
			t.Errorf("not knowing %s leads to %q, knowing it to %q", part.name, blind, p)
		}
	}
}

// takesNothing are the stops that need no word of the job: it goes on from its high-availability data, or from nothing
// as its spec says.
var takesNothing = map[v1beta1.StopKind]bool{v1beta1.StopLastState: true, v1beta1.StopStateless: true}

// hasEnded tells whether Flink says that the job has ended, and the status does not know it yet.
func hasEnded(s deployment.Snapshot) bool {
	status := s.Resource.Status.JobStatus
	jobs, _ := s.Flink.Jobs.Get()
	job, found := deployment.FindJob(jobs, status.JobID)
	return found && job.State.IsTerminal() && !status.State.IsTerminal()
}

// runsUnheard tells whether Flink says that the job runs, and the status has heard nothing of it.
func runsUnheard(s deployment.Snapshot) bool {
	status := s.Resource.Status.JobStatus
	jobs, _ := s.Flink.Jobs.Get()
	job, found := deployment.FindJob(jobs, status.JobID)
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

// observedPart is a part of a snapshot that may be Unknown.
type observedPart struct {
	name  string
	value reflect.Value
}

func observedParts(s *deployment.Snapshot) []observedPart {
	var parts []observedPart
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			field, name := v.Field(i), prefix+v.Type().Field(i).Name
			switch {
			case v.Type().Field(i).Anonymous: // what is seen of the job, and the objects of its cluster
				walk(prefix, field)
			case strings.HasPrefix(field.Type().Name(), "Observed["):
				parts = append(parts, observedPart{name, field})
			case name == "Flink":
				walk("Flink.", field)
			}
		}
	}
	walk("", reflect.ValueOf(s).Elem())
	return parts
}

// What the judge hides, one at a time, is all that a decision sees: a part that it misses is one that nothing holds.
func TestTheJudgeHidesEveryPart(t *testing.T) {
	var names []string
	for _, part := range observedParts(&deployment.Snapshot{}) {
		names = append(names, part.name)
	}
	for _, name := range []string{
		"JobManager", "Pods", "TaskManagers", "HAData", "HANodes", "Owned", "Snapshots", "SessionJobs", "Flink.Jobs",
		"Flink.Stop",
		"Flink.Checkpoints", "Flink.Retention", "Flink.Exceptions",
	} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among them: %q", name, names)
		}
	}
}
