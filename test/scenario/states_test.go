package scenario

import (
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
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
	done   int64 // what the newest run had completed when it finished
	latest string
	// holder is the run that completed latest.
	holder runID
	// chosen are the states that a person told the job to start from, in that order, and it did not yet.
	chosen map[string]int
	// owed are those of them that the job has to begin from, because its spec has kept the state ever since.
	owed map[string]bool
	// givenUp says that the state may be given up: the spec was stateless, and what it led to may not have ended yet.
	givenUp bool
	// losses are what Flink itself let go of, and a user must still be told.
	losses []*loss
	// gone are the runs whose progress Flink let go of: what they had completed is not expected any more.
	gone map[runID]bool
	// shown are the runs that a stored status spoke of.
	shown map[runID]bool
	// rerun is what Flink may begin again by itself although its end is recorded: it is stopped once it is seen.
	rerun rerun
	// completed is the most that each job is known to have completed in a checkpoint.
	completed map[string]int64
	// since is when the judge first saw the newest run.
	since struct {
		run   runID
		begun time.Time
	}
	// hindered is when a fault last struck the functions, or a JobManager could not be asked, and refused when a fault
	// did, in nanoseconds of the epoch.
	hindered, refused atomic.Int64
	// reported is the last report of lost progress that was looked at.
	reported time.Time
	// toldOf is how many runs the reports until then were about.
	toldOf int
	// eyes, unless nil, change what the judge reads of a status: a test of the judge plants faults of the product so.
	eyes func(*v1beta1.FlinkDeploymentStatus)
	// named are the paths that a person told the job to start from, removed those whose files a person deleted, and
	// lacked those that somebody needs and that were disposed of, each told once.
	named, removed, lacked map[string]bool
	// begins is called for each start.
	begins func(start process.Start)
	// failed is called when the job has failed for good.
	failed func()
}

// lookForFailure looks whether the job has failed for good: what its retention does not keep is lost then, and may need
// a person.
func (s *states) lookForFailure() {
	if j := s.h.w.Flink.Job(namespace, demo, ""); j != nil && j.State == job.Failed && s.failed != nil {
		s.failed()
	}
}

func newStates(h *harness) *states {
	return &states{
		h: h, chosen: map[string]int{}, owed: map[string]bool{}, gone: map[runID]bool{}, shown: map[runID]bool{},
		completed: map[string]int64{}, named: map[string]bool{}, removed: map[string]bool{}, lacked: map[string]bool{},
	}
}

// anew begins with a resource that was just made.
func (s *states) anew() {
	s.floor, s.losses, s.rerun, s.before = 0, nil, rerun{}, len(s.h.w.Flink.Starts(namespace, demo))
	s.reported, s.toldOf = time.Time{}, 0
}

// forget lets go of what was completed: whatever comes next may begin from nothing.
func (s *states) forget() { s.floor, s.done = 0, 0 }

// finish is a job that has done its work: what a person starts next may begin from nothing. What Flink runs again by
// itself does the work twice.
func (s *states) finish() { s.floor, s.done = 0, s.floor }

// status is the stored status as the judge reads it.
func (s *states) status() v1beta1.FlinkDeploymentStatus {
	status := s.h.status(demo)
	if s.eyes != nil {
		s.eyes(&status)
	}
	return status
}

// shows reports whether a status speaks of this run of the job.
func shows(status v1beta1.FlinkDeploymentStatus, start process.Start) bool {
	return status.JobStatus.StartTime == strconv.FormatInt(start.At.UnixMilli(), 10)
}

func (s *states) look() {
	s.lookForFailure()
	u := s.h.w.Kube.Peek(kubesim.FlinkDeployments, namespace, demo)
	if u == nil || u.GetDeletionTimestamp() != nil {
		s.floor = 0 // nothing is started any more, and what a replaced pod runs until it ends is nobody's
	}
	starts := s.h.w.Flink.Starts(namespace, demo)
	for _, start := range starts[s.seen:] {
		s.done = 0
		if u != nil && u.GetDeletionTimestamp() == nil {
			s.comesFrom(start)
			if s.begins != nil {
				s.begins(start)
			}
		}
		if chosen := s.chosen[start.From]; chosen > 0 {
			maps.DeleteFunc(s.chosen, func(_ string, number int) bool { return number <= chosen })
			delete(s.owed, start.From)
			s.floor, s.latest, s.losses = start.Progress, start.From, nil
		}
		if start.Progress < s.floor && s.toldUnknown() {
			s.forget()
		}
		if start.Progress < s.floor && !s.isRerun(start.JobID, start.At) {
			s.h.t.Errorf("began with less than it had: %s, and %s had completed progress %d", start, s.latest, s.floor)
		}
		s.losses = slices.DeleteFunc(s.losses, func(l *loss) bool { return l.from[start.From] })
	}
	s.seen = len(starts)
	j, all := s.h.w.Flink.Job(namespace, demo, ""), runs(starts)
	s.watchHindrances()
	s.watchRun(j, all)
	if u == nil {
		s.floor, s.losses = 0, nil
		return
	}
	stateless := u.Object["spec"].(map[string]any)["job"].(map[string]any)["upgradeMode"] == "stateless"
	if stateless {
		clear(s.owed)
		s.losses = nil
	}
	status := s.status()
	s.lookWhetherTold(status, all)
	open := status.Intent != nil && status.Intent.Step != v1beta1.StepReleased
	if s.givenUp {
		s.floor = 0
		s.givenUp = open || status.Situation != "Steady" || status.ObservedGeneration != u.GetGeneration()
	}
	if s.givenUp {
		return
	}
	if stateless {
		// what began under this spec may end under another, and what it suspended is resumed empty
		s.floor, s.givenUp = 0, s.givenUp || open || status.Situation == string(plan.Suspended)
		return
	}
	if status.Situation == "Ended" && status.JobStatus.State == v1beta1.FlinkJobFinished {
		return // it has done its work: what runs is a replaced pod's, nobody asked for it and it is stopped once it is seen
	}
	if j != nil && (s.gone[runID{j.ID, j.Start.UnixMilli()}] || s.isRerun(j.ID, j.Start)) {
		return // Flink let go of what this run had completed, or it is one that is stopped
	}
	if j == nil || len(starts) == s.before || starts[len(starts)-1].JobID != j.ID {
		return // or one that a JobManager on a silent node had, where nobody may look for the newest any more
	}
	last := lastStop(j)
	for i, c := range j.Checkpoints {
		if j.State == job.Finished && !c.Savepoint {
			continue // Flink discards what a job that has done its work could be restored from
		}
		if c.Savepoint && i != last {
			// a copy for somebody, or of a stop that failed: Flink itself goes back to its last checkpoint, and so does
			// last-state
			continue
		}
		if c.Status == job.Completed && c.Progress > s.floor {
			s.floor, s.latest, s.holder = c.Progress, c.Path, runID{j.ID, j.Start.UnixMilli()}
		}
	}
}

// lastStop is the index of the savepoint that a job was stopped with; -1 when it was not. Nothing follows it: a
// checkpoint or savepoint that does is of a job that went on after a stop that failed, and finished by itself.
func lastStop(j *job.Job) int {
	last := -1
	for i, c := range j.Checkpoints {
		switch {
		case c.Status != job.Completed || j.State != job.Finished:
		case c.Stop:
			last = i
		default:
			last = -1
		}
	}
	return last
}
