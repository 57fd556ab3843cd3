package scenario

import (
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
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
	// lost is what Flink itself let go of when its JobManager crashed without high availability: what began since has
	// less, and a user must be told.
	lost   int64
	lostAt int // starts until then
	lostOn time.Time
	// unseen is true when nobody knows what the run that was lost had done, and its JobManager's crash is told: no status
	// ever showed it or, with high availability, a checkpoint of it.
	unseen bool
	// told is the first report of it in status; nil while there is none.
	told *v1beta1.LostProgress
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
	return &states{h: h, chosen: map[string]bool{}, owed: map[string]bool{}}
}

// anew begins with a resource that was just made.
func (s *states) anew() { s.floor, s.before = 0, len(s.h.w.Flink.Starts(namespace, demo)) }

// forget lets go of what was completed: whatever comes next may begin from nothing.
func (s *states) forget() { s.floor = 0 }

// crash is a JobManager that dies without high availability, or after Flink has removed that of its job: the job begins
// again from what it was first started from.
func (s *states) crash(highlyAvailable bool) {
	if s.floor == 0 {
		return // it had nothing
	}
	if ended := s.h.status(demo).JobStatus; s.told != nil && ended.State.IsTerminal() && !ended.LastStateUnread {
		s.lost = 0 // that was told, and what the job ended with since is recorded
	}
	s.lost, s.lostAt = max(s.lost, s.floor), len(s.h.w.Flink.Starts(namespace, demo))
	s.lostOn, s.told = s.h.w.Clock.Now().Truncate(time.Second), nil
	newest := s.h.w.Flink.Starts(namespace, demo)
	status := s.h.status(demo)
	s.unseen = len(newest) > 0 && !shows(status, newest[len(newest)-1]) || highlyAvailable &&
		status.JobStatus.Checkpoint == nil
	s.forget()
}

// stored notes, of each status that is stored, whether it reports the loss.
func (s *states) stored(status v1beta1.FlinkDeploymentStatus) {
	if lost := status.LostProgress; s.told == nil && lost != nil && lost.Seen != nil && !lost.Seen.Time.Before(s.lostOn) {
		s.told = lost
	}
}

// lookWhetherTold holds that no job that began with less than it had is called steady once that begin is seen, unless
// status says that its state is not safe, or somebody chose so. Status says it until a start for a spec that is newer
// than what it said.
func (s *states) lookWhetherTold(status v1beta1.FlinkDeploymentStatus, starts []process.Start) {
	if s.lost == 0 || len(starts) <= s.lostAt || notYet["lost-progress"] != "" {
		return
	}
	newest := starts[len(starts)-1]
	deployed := status.ObservedGeneration
	if status.DeployedGeneration != nil {
		deployed = *status.DeployedGeneration
	}
	if len(starts) > s.lostAt+1 && s.told != nil && deployed > s.told.Generation {
		s.lost = 0
		return
	}
	seen := shows(status, newest) && !s.unseen
	calm := status.Situation == "Steady" && status.JobStatus.State == v1beta1.FlinkJobRunning
	if seen && calm && newest.Progress < s.lost && !meta.IsStatusConditionFalse(status.Conditions, summary.StateSafe) {
		s.h.t.Errorf("called steady with less than it had: %s, and it had completed progress %d", newest, s.lost)
	}
}

// beganAgain reports whether Flink began a job again with no more than what it had begun with before.
func (s *states) beganAgain() bool {
	before := map[string]int64{}
	for _, start := range s.h.w.Flink.Starts(namespace, demo) {
		if progress, again := before[start.JobID]; again && start.How != "fail-over" && start.Progress <= progress {
			return true
		}
		before[start.JobID] = start.Progress
	}
	return false
}

// shows reports whether a status speaks of this run of the job.
func shows(status v1beta1.FlinkDeploymentStatus, start process.Start) bool {
	return status.JobStatus.StartTime == strconv.FormatInt(start.At.UnixMilli(), 10)
}

func (s *states) look() {
	s.lookForFailure()
	starts := s.h.w.Flink.Starts(namespace, demo)
	for _, start := range starts[s.seen:] {
		if s.chosen[start.From] {
			delete(s.chosen, start.From)
			delete(s.owed, start.From)
			s.floor, s.latest, s.lost = start.Progress, start.From, 0
		}
		if start.Progress < s.floor {
			s.h.t.Errorf("began with less than it had: %s, and %s had completed progress %d", start, s.latest, s.floor)
		}
		if start.Progress >= s.lost {
			s.lost = 0
		}
	}
	s.seen = len(starts)
	u := s.h.w.Kube.Peek(kubesim.FlinkDeployments, namespace, demo)
	if u == nil {
		s.floor, s.lost = 0, 0
		return
	}
	stateless := u.Object["spec"].(map[string]any)["job"].(map[string]any)["upgradeMode"] == "stateless"
	if stateless {
		clear(s.owed)
		s.lost = 0
	}
	status := s.h.status(demo)
	s.lookWhetherTold(status, starts)
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
	if s.lost > 0 && len(starts) <= s.lostAt {
		return // Flink let go of what this run had completed
	}
	if j == nil || !slices.ContainsFunc(starts[s.before:], func(start process.Start) bool {
		return start.JobID == j.ID
	}) {
		return
	}
	for _, c := range j.Checkpoints {
		if j.State == job.Finished && !c.Savepoint {
			continue // Flink discards what a job that has done its work could be restored from
		}
		if c.Savepoint && (!c.Stop || j.State != job.Finished) {
			// a copy for somebody, or of a stop that failed: Flink itself goes back to its last checkpoint, and so does
			// last-state
			continue
		}
		if c.Status == job.Completed && c.Progress > s.floor {
			s.floor, s.latest = c.Progress, c.Path
		}
	}
}
