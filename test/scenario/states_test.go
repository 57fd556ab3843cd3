package scenario

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// states watches that a job whose state is kept never begins with less than it had completed.
type states struct {
	h      *harness
	seen   int
	before int // starts of resources that are gone: a lost node may still run a job of theirs
	floor  int64
	latest string
	// chosen are the states that a person told the job to start from, and it did not yet.
	chosen map[string]bool
	// owed are those of them that the job has to begin from, because its spec has kept the state ever since.
	owed map[string]bool
	// givenUp says that the state may be given up: the spec was stateless, and what it led to may not have ended yet.
	givenUp bool
}

func newStates(h *harness) *states {
	return &states{h: h, chosen: map[string]bool{}, owed: map[string]bool{}}
}

// anew begins with a resource that was just made.
func (s *states) anew() { s.floor, s.before = 0, len(s.h.w.Flink.Starts(namespace, demo)) }

// forget lets go of what was completed: whatever comes next may begin from nothing.
func (s *states) forget() { s.floor = 0 }

func (s *states) look() {
	starts := s.h.w.Flink.Starts(namespace, demo)
	for _, start := range starts[s.seen:] {
		if s.chosen[start.From] {
			delete(s.chosen, start.From)
			delete(s.owed, start.From)
			s.floor, s.latest = start.Progress, start.From
		}
		if start.Progress < s.floor {
			s.h.t.Errorf("%s, and %s had completed progress %d", start, s.latest, s.floor)
		}
	}
	s.seen = len(starts)
	u := s.h.w.Kube.Peek(kubesim.FlinkDeployments, namespace, demo)
	if u == nil {
		s.floor = 0
		return
	}
	stateless := u.Object["spec"].(map[string]any)["job"].(map[string]any)["upgradeMode"] == "stateless"
	if stateless {
		clear(s.owed)
	}
	status := s.h.status(demo)
	open := status.Intent != nil && status.Intent.Step != v1beta1.StepReleased
	if s.givenUp {
		s.floor = 0
		s.givenUp = open || status.Situation != "Steady" || status.ObservedGeneration != u.GetGeneration()
	}
	j := s.h.w.Flink.Job(namespace, demo, "")
	if s.givenUp {
		return
	}
	if stateless {
		s.floor, s.givenUp = 0, s.givenUp || open // what began under this spec may end under another
		return
	}
	if status.Situation == "Ended" && status.JobStatus.State == v1beta1.FlinkJobFinished {
		return // it has done its work: what runs is a replaced pod's, nobody asked for it and it is stopped once it is seen
	}
	if j == nil || !slices.ContainsFunc(starts[s.before:], func(start process.Start) bool { return start.JobID == j.ID }) {
		return
	}
	for _, c := range j.Checkpoints {
		if j.State == job.Finished && !c.Savepoint {
			continue // Flink discards what a job that has done its work could be restored from
		}
		if c.Savepoint && !c.Stop {
			continue // a copy for somebody: Flink itself goes back to its last checkpoint, and so does last-state
		}
		if c.Status == job.Completed && c.Progress > s.floor {
			s.floor, s.latest = c.Progress, c.Path
		}
	}
}
