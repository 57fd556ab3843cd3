package scenario

import (
	"reflect"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/sessionjob"
)

// sessionJudge decides for a session job in whatever world a run is in, and looks at the decision, as judge does for a
// FlinkDeployment. It changes nothing.
type sessionJudge struct {
	h      *harness
	gather *gather.Gatherer
	hidden int
}

func newSessionJudge(h *harness) *sessionJudge {
	return &sessionJudge{h: h, gather: newJudge(h).gather}
}

// look holds of each decision: one disruptive action at the most; an equal snapshot gives an equal plan, to the byte;
// and not to know a part leads to nothing final that would not be done if it were known.
func (j *sessionJudge) look(name string) {
	t := j.h.t
	resource := j.h.resource(name)
	if resource == nil {
		return
	}
	s, err := j.gather.SessionJob(t.Context(), resource)
	if err != nil {
		t.Errorf("look at %s: %v", name, err)
		return
	}
	p := sessionjob.Make(s)
	if len(disruptive(p)) > 1 {
		t.Errorf("more than one disruptive action: %s", p)
	}
	if first, again := printed(p), printed(sessionjob.Make(s)); first != again {
		t.Errorf("equal snapshots gave\n%s\nand\n%s", first, again)
	}
	known := finalOfJob(p)
	parts := append(partsOf(reflect.ValueOf(&s).Elem()), observedPart{"Flink", reflect.ValueOf(&s.Flink).Elem()})
	hide(&j.hidden, parts, func() plan.Plan { return sessionjob.Make(s) }, func(part string, blind plan.Plan) {
		for _, action := range finalOfJob(blind) {
			if !slices.Contains(known, action) {
				t.Errorf("not knowing %s leads to %q, knowing it to %q", part, blind, p)
			}
		}
	})
}

// finalOfJob are the actions that cannot be taken back.
func finalOfJob(p plan.Plan) []string {
	all := disruptive(p)
	for _, a := range p.Effects() {
		switch a := a.(type) {
		case plan.CancelJob, plan.StopWithSavepoint, plan.RunJar, plan.RemoveFinalizer, plan.DeleteJar, plan.DisposeSavepoint:
			all = append(all, a.String())
		}
	}
	return all
}
