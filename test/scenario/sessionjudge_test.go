package scenario

import (
	"reflect"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// sessionJudge decides for a session job in whatever world a run is in, and looks at the decision, as judge does for a
// FlinkDeployment. It changes nothing.
type sessionJudge struct {
	h       *harness
	gather  *gather.Gatherer
	needs   *needs
	moments int
	hidden  int
}

func newSessionJudge(h *harness) *sessionJudge {
	return &sessionJudge{h: h, gather: newJudge(h).gather, needs: &sessionNeeded}
}

// look holds of each decision: one disruptive action at the most; an equal snapshot gives an equal plan, to the byte;
// not to know a part leads to nothing final that would not be done if it were known; and nothing that was not asked for
// would have led to another plan.
func (j *sessionJudge) look(name string) {
	t := j.h.t
	if j.moments++; j.moments%judgedMoments != 0 {
		return
	}
	resource := j.h.resource(name)
	if resource == nil {
		return
	}
	looked, err := j.gather.SessionJob(t.Context(), resource)
	if err != nil {
		t.Errorf("look at %s: %v", name, err)
		return
	}
	p, s := looked.Plan(), *looked.Seen
	if len(disruptive(p)) > 1 {
		t.Errorf("more than one disruptive action: %s", p)
	}
	if first, again := printed(p), printed(sessionjob.Make(s)); first != again {
		t.Errorf("equal snapshots gave\n%s\nand\n%s", first, again)
	}
	j.agrees(s, p)
	known := finalOfJob(p)
	parts := append(partsOf(reflect.ValueOf(&s).Elem()), observedPart{"Flink", reflect.ValueOf(&s.Flink).Elem()})
	hide(&j.hidden, parts, func() plan.Plan { return sessionjob.Make(s) }, func(part string, blind plan.Plan) {
		j.needs.judge(parts, part, p, blind)
		for _, action := range finalOfJob(blind) {
			if !slices.Contains(known, action) {
				t.Errorf("not knowing %s leads to %q, knowing it to %q", part, blind, p)
			}
		}
	})
}

// agrees holds the decision to what was asked for it.
func (j *sessionJudge) agrees(s session.Snapshot, p plan.Plan) {
	all := *j.gather
	all.Revise = everything
	full, err := all.SessionJob(j.h.t.Context(), j.h.resource(s.Resource.Name))
	if err != nil {
		j.h.t.Error(err)
		return
	}
	inquiry{
		t: j.h.t, what: s.Resource.Name, asked: partsOf(reflect.ValueOf(&s).Elem()),
		all: partsOf(reflect.ValueOf(full.Seen).Elem()), status: s.Resource.Status,
		job: s.Resource.Spec.Job, before: p,
		decide: func() plan.Plan { return sessionjob.Make(s) },
	}.agrees()
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
