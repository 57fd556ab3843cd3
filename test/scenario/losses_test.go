package scenario

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// loss is what Flink itself let go of as a JobManager went: what begins after it has less, and a user must be told.
type loss struct {
	progress int64
	runs     int // until then
	on       time.Time
	// from are the states of then that hold no less: a job that begins from one of them has lost nothing.
	from map[string]bool
	// unseen is true when nobody knows that the run was lost, and its JobManager's crash is told: it began so lately that
	// no status had to show it.
	unseen bool
	// finished is the job, if it had done its work: only Flink runs it again with less, what a person starts next may
	// begin from nothing.
	finished string
	// told is the first report of it in status; nil while there is none.
	told *v1beta1.LostProgress
}

// runID is one run of a job, fail-overs included.
type runID struct {
	job string
	at  int64
}

func idOf(start process.Start) runID { return runID{start.JobID, start.At.UnixMilli()} }

// rerun is a job that Flink may run again in the Deployment of then.
type rerun struct {
	job        string
	deployment types.UID
}

// noticed is when the functions have seen what is there, unless faults strike: the safety sweep comes each five
// minutes.
const noticed = 6 * time.Minute

// runs are the starts of processes with a job. A fail-over goes on with a run.
func runs(starts []process.Start) []process.Start {
	return slices.DeleteFunc(slices.Clone(starts), func(start process.Start) bool { return start.How == "fail-over" })
}

// recent reports whether something is so new, or faults struck so lately, that the functions may not know of it.
func (s *states) recent(since time.Time) bool {
	now := s.h.w.Clock.Now()
	return since.IsZero() || now.Sub(since) < noticed || now.Sub(time.Unix(0, s.hindered.Load())) < noticed
}

// watchHindrances notes a JobManager that does not answer, and a status that cannot grow: one that says more is
// refused.
func (s *states) watchHindrances() {
	now := s.h.w.Clock.Now().UnixNano()
	known, ready := s.h.w.Flink.Reach(flinksim.Host(namespace, demo))
	if !known || !ready || s.h.w.Kube.ObjectLimit != 0 {
		s.hindered.Store(now)
	}
	if s.h.w.Kube.ObjectLimit != 0 {
		s.refused.Store(now)
	}
}

// struck notes that a fault strikes the functions now.
func (s *states) struck() {
	now := s.h.w.Clock.Now().UnixNano()
	s.hindered.Store(now)
	s.refused.Store(now)
}

// watchRun notes when the newest run began, and how far its job came.
func (s *states) watchRun(j *job.Job, all []process.Start) {
	if len(all) == 0 || j == nil {
		return
	}
	newest, now := all[len(all)-1], s.h.w.Clock.Now()
	if id := idOf(newest); s.since.run != id {
		s.since.run, s.since.begun = id, now
	}
	for _, c := range j.Checkpoints {
		if c.Status != job.Completed || c.Savepoint {
			continue
		}
		s.completed[j.ID] = max(s.completed[j.ID], c.Progress)
	}
}

// crash is a JobManager that dies without high availability, or after Flink has removed that of its job: the job begins
// again from what it was first started from. A run whose end is recorded is none to lose: the job goes on from there,
// and if Flink runs it again, that is stopped.
func (s *states) crash() {
	all := runs(s.h.w.Flink.Starts(namespace, demo))
	progress := max(s.floor, s.done)
	if len(all) == 0 {
		return
	}
	newest, status := all[len(all)-1], s.status()
	if status.JobStatus.State.IsTerminal() && !status.JobStatus.LastStateUnread && shows(status, newest) {
		s.rerun = rerun{newest.JobID, s.deployment()}
		return
	}
	if progress == 0 {
		return // it had nothing
	}
	l := &loss{
		progress: progress, runs: len(all), on: s.h.w.Clock.Now().Truncate(time.Second), from: map[string]bool{},
		unseen: !shows(status, newest) && s.recent(s.since.begun),
	}
	if s.floor == 0 {
		l.finished = newest.JobID
	}
	for _, snapshot := range s.h.w.Storage.Snapshots() {
		if snapshot.Progress >= progress {
			l.from[snapshot.Path] = true
		}
	}
	s.losses, s.gone[idOf(newest)] = append(s.losses, l), true
	s.forget()
}

func (s *states) deployment() types.UID {
	if u := s.h.w.Kube.Peek(kubesim.Deployments, namespace, demo); u != nil {
		return u.GetUID()
	}
	return ""
}

// isRerun reports whether Flink itself began a job again, then by Flink's clock, whose end is recorded: in the
// Deployment that had it, and not in one that was made later.
func (s *states) isRerun(jobID string, began time.Time) bool {
	if jobID == "" || s.rerun.job != jobID {
		return false
	}
	u := s.h.w.Kube.Peek(kubesim.Deployments, namespace, demo)
	return u == nil || u.GetUID() == s.rerun.deployment ||
		!began.Add(-s.ahead(jobID)).Truncate(time.Second).After(u.GetCreationTimestamp().Time)
}

// ahead is how much the clock of the machine was ahead that began a job last.
func (s *states) ahead(jobID string) time.Duration {
	for _, start := range slices.Backward(s.h.w.Flink.Starts(namespace, demo)) {
		if start.JobID == jobID {
			return start.Ahead
		}
	}
	return 0
}

// stored notes, of each status that is stored, whether it reports a loss. A report speaks of a run that began where
// its job had begun before, or with less than that had completed: nobody is called for another one.
func (s *states) stored(status v1beta1.FlinkDeploymentStatus) {
	if s.eyes != nil {
		s.eyes(&status)
	}
	for _, start := range runs(s.h.w.Flink.Starts(namespace, demo)) {
		if shows(status, start) {
			s.shown[idOf(start)] = true
		}
	}
	told := status.LostProgress
	for _, l := range s.losses {
		if l.told == nil && told != nil && (reports(told.Seen, l) || reports(told.Unknown, l)) {
			l.told = told
		}
	}
	if told != nil && told.Unknown != nil && !s.hasBegunAgain(status) {
		s.h.t.Errorf("%s is told, and the job has not begun again", plan.ReasonRestoreNotShown)
	}
	if told == nil || told.Seen == nil || told.Seen.Time.Equal(s.reported) {
		return
	}
	if status.JobStatus.StartTime == "" {
		return // told while a start is prepared: held to the run that it leads to
	}
	s.reported = told.Seen.Time
	if !s.beganAgain(status) {
		s.h.t.Errorf("%s is told of the run that began at %s, and it had lost nothing", plan.ReasonJobRestarted,
			status.JobStatus.StartTime)
	}
}

// reports says whether a report of that time, nil for none, may be about a loss.
func reports(at *metav1.Time, l *loss) bool { return at != nil && !at.Time.Before(l.on) }

// toldUnknown reports whether status tells that nobody saw what the newest state was of, and nobody did: a JobManager
// that began its job as it was taken down, and failed for good as its TaskManagers left.
func (s *states) toldUnknown() bool {
	told := s.status().LostProgress
	return told != nil && told.Unknown != nil && !s.shown[s.holder] &&
		told.Unknown.Unix() >= time.UnixMilli(s.holder.at).Unix()
}

// hasBegunAgain reports whether a status tells of lost progress, which stored holds it to, or a job began again since
// the resource was made: the one of the status, one that it replaced, or maybe one that nobody saw.
func (s *states) hasBegunAgain(status v1beta1.FlinkDeploymentStatus) bool {
	unseen := s.h.w.Flink.Launched(namespace, demo) > len(s.shown)
	if told := status.LostProgress; told != nil && (told.Seen != nil || told.Before == "" && unseen) {
		return true
	}
	times := map[string]int{}
	for _, start := range runs(s.h.w.Flink.Starts(namespace, demo)[s.before:]) {
		if times[start.JobID]++; times[start.JobID] > 1 {
			return true
		}
	}
	return false
}

// beganAgain reports whether the run that a status shows, or one before it that no report was about, began with no more
// than the run before had begun with, or with less than what the job of that had completed. A JobManager that came
// after the end of a run tells of it with a start time of its own.
func (s *states) beganAgain(status v1beta1.FlinkDeploymentStatus) bool {
	lost, all := false, runs(s.h.w.Flink.Starts(namespace, demo)[s.before:])
	for i, start := range all {
		if i == 0 {
			continue
		}
		last := all[i-1]
		lost = lost || i >= s.toldOf && start.Progress <= max(last.Progress, s.completed[last.JobID]-1)
		over := i == len(all)-1 && status.JobStatus.State.IsTerminal()
		if shows(status, start) || over {
			s.toldOf = i + 1
			return lost
		}
	}
	return false
}

// deployedBy is the generation of the spec that runs.
func deployedBy(status v1beta1.FlinkDeploymentStatus) int64 {
	if status.DeployedGeneration != nil {
		return *status.DeployedGeneration
	}
	return status.ObservedGeneration
}

// cameAndWent reports whether the run that began with less is over, and nobody can have known of it: no status showed
// it, and it was so short, or nobody could be asked, or faults kept statuses from being stored. Of a job that had
// finished, each pass knows that it began again: only a status that could not be stored excuses that.
func (s *states) cameAndWent(l *loss, all []process.Start) bool {
	if len(all) <= l.runs+1 || s.shown[idOf(all[l.runs])] {
		return false
	}
	began, ended := all[l.runs].Began(), all[l.runs+1].Began()
	if l.finished != "" {
		return s.refused.Load() >= began.UnixNano()
	}
	return ended.Sub(began) < noticed || s.hindered.Load() >= began.UnixNano()
}

// lookWhetherTold holds that no job that began with less than it had is called steady, or ended, once that begin is
// seen, unless status says that its state is not safe, or somebody chose so. Status says it until a start for a spec
// that is newer than what it said. A job that has finished needs no state until somebody changes it: while status says
// FINISHED of one that Flink runs again, and that is being stopped, nothing is called steady.
func (s *states) lookWhetherTold(status v1beta1.FlinkDeploymentStatus, all []process.Start) {
	deployed := deployedBy(status)
	s.losses = slices.DeleteFunc(s.losses, func(l *loss) bool {
		if len(all) <= l.runs {
			return false
		}
		if l.told != nil && deployed > l.told.Generation {
			return true
		}
		newest := all[len(all)-1]
		if s.cameAndWent(l, all) {
			return true
		}
		if l.finished != "" && l.finished != newest.JobID {
			return true
		}
		seen := shows(status, newest) || !s.recent(s.since.begun) && s.since.run == idOf(newest)
		finished := l.finished != "" && status.JobStatus.State == v1beta1.FlinkJobFinished
		calm := status.Situation == string(plan.Steady) && status.JobStatus.State == v1beta1.FlinkJobRunning ||
			status.Situation == string(plan.Ended) && !finished
		condition := meta.FindStatusCondition(status.Conditions, summary.StateSafe)
		safe := condition == nil || condition.Status == metav1.ConditionTrue
		if seen && !l.unseen && calm && safe {
			s.h.t.Errorf("called steady with less than it had: %s, and it had completed progress %d", newest, l.progress)
		}
		return false
	})
}
