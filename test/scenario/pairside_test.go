package scenario

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// pairSide is one side of the pair of a random run, and what must be true of it.
type pairSide struct {
	r    *pairRun
	name string
	uid  types.UID // of its FlinkDeployment
	seen int       // starts that were looked at
	// floor is the least that its job begins with, and latest where that lies. Where the job moves, both sides have the
	// same.
	floor  int64
	latest string
}

// split says that it is a session cluster, and the job a FlinkSessionJob.
func (s *pairSide) split() bool {
	return s.r.w.Kube.Peek(kubesim.FlinkSessionJobs, namespace, s.name) != nil
}

func (s *pairSide) isThere() bool {
	return s.split() || s.r.w.Kube.Peek(kubesim.FlinkDeployments, namespace, s.name) != nil
}

// job is a copy of its newest job at Flink; nil when nobody knows one. The job that warms it does not count.
func (s *pairSide) job() *job.Job { return s.r.w.Flink.Named(namespace, s.name, s.name) }

// names has the harness know which sides are session jobs by now.
func (r *pairRun) names() {
	for _, s := range r.sides {
		if delete(r.hosted, s.name); s.split() {
			r.hosted[s.name] = s.name
		}
	}
}

func (r *pairRun) moves() bool { return pairModes[r.mode].moves }

// neverTwo holds that never two jobs run where changes move the job. One that high availability brought back, because
// its JobManager was lost before it had stored the end of the job, is ended by its own passes.
func (r *pairRun) neverTwo() {
	if !r.moves() {
		return
	}
	var live []string
	for _, s := range r.sides {
		for _, id := range r.w.Flink.Live(namespace, s.name, s.name) {
			if !r.ended[id] {
				live = append(live, s.name+" "+id)
				break
			}
		}
	}
	if len(live) > 1 && r.excused == "" {
		r.t.Errorf("two jobs run: %s", strings.Join(live, ", "))
	}
}

// look holds that no job begins with less than the one before it had completed, and that never two run where the job
// moves.
func (r *pairRun) look() {
	r.names()
	pair := r.pair(demo)
	if t := pair.Transition; t != nil && t.OperationID != r.operation {
		r.operation, r.owed = t.OperationID, 0
		for _, s := range r.sides {
			if t.From != "" && strings.HasSuffix(s.name, strings.ToLower(string(t.From))) {
				r.owed = s.floor
			}
		}
	}
	for _, s := range r.sides { // what ended precedes what it was followed by
		if runs := s.job(); runs != nil && runs.State.Ended() {
			s.raises(runs)
		}
	}
	for _, s := range r.sides {
		s.look()
	}
	r.neverTwo()
	r.forgives(pair)
}

// forgives ends an excuse when what it is for has been seen, and the pair has come to run again, with a checkpoint.
func (r *pairRun) forgives(pair v1beta1.FlinkBlueGreenDeploymentStatus) {
	if r.excused == "" || !r.rests() || r.w.Clock.Now().Sub(r.excusedAt) <= seenBy {
		return
	}
	for _, s := range r.sides {
		serves := strings.EqualFold("active_"+strings.TrimPrefix(s.name, demo+"-"), string(pair.BlueGreenState))
		runs := s.job()
		if !serves || runs == nil || runs.State != job.Running || len(r.w.Flink.Live(namespace, s.name, s.name)) != 1 {
			continue
		}
		if newest := runs.Latest(false); newest != nil || !r.stateful() {
			r.excused = ""
			r.setFloor(s, 0, "")
			if newest != nil {
				r.setFloor(s, newest.Progress, newest.Path)
			}
		}
	}
}

// setFloor sets that of a side, or of both where the job moves.
func (r *pairRun) setFloor(of *pairSide, floor int64, latest string) {
	for _, s := range r.sides {
		if s == of || r.moves() {
			s.floor, s.latest = floor, latest
		}
	}
}

func (s *pairSide) look() {
	r := s.r
	if u := r.w.Kube.Peek(kubesim.FlinkDeployments, namespace, s.name); u != nil && u.GetUID() != s.uid {
		if s.uid = u.GetUID(); !r.moves() {
			s.floor, s.latest = r.owed, "the side that served"
		}
	}
	starts := r.w.Flink.Starts(namespace, s.name)
	for _, start := range starts[s.seen:] {
		if start.Name == s.name {
			s.begins(start)
		}
	}
	s.seen = len(starts)
	if runs := s.job(); runs != nil {
		r.ended[runs.ID] = r.ended[runs.ID] || runs.State.Ended()
		s.raises(runs)
	}
}

// begins looks at one start.
func (s *pairSide) begins(start process.Start) {
	r := s.r
	if progress, is := r.chosen[start.From]; is {
		delete(r.chosen, start.From)
		r.setFloor(s, progress, start.From)
	}
	if r.stateful() && !r.givenUp && r.excused == "" && start.Progress < s.floor && !r.ended[start.JobID] {
		r.t.Errorf("began with less than it had: %s, and %s had progress %d\n%s", start, s.latest, s.floor, r.describe())
	}
}

// raises takes what the job has completed as the least that is begun with from now on.
func (s *pairSide) raises(runs *job.Job) {
	for _, c := range runs.Checkpoints {
		ofStop := c.Savepoint && c.Stop && runs.State == job.Finished
		counts := ofStop || !c.Savepoint && runs.State != job.Finished
		if !counts || c.Status != job.Completed || c.Discarded || s.r.counted[c.Path] {
			continue
		}
		s.r.counted[c.Path] = true // once: what a user named since may be older
		if c.Progress > s.floor {
			s.r.setFloor(s, c.Progress, fmt.Sprintf("%s %s", s.name, c.Path))
		}
	}
}

// losesProcess is a JobManager that goes. One that has not recorded how its job ended runs it again, and one that goes
// in the middle of a stop or a start leaves open what came of it.
func (s *pairSide) losesProcess() {
	runs, i := s.job(), s.r.status(s.name).Intent
	switch {
	case runs != nil && runs.State.Ended() && !s.r.w.Storage.Ended(runs.ID):
		s.r.excuse("a JobManager was lost before it had recorded how its job ended")
	case i != nil && i.Step == v1beta1.StepStopping:
		s.r.excuse("a JobManager was lost while its job was stopped")
	case i != nil && i.Step == v1beta1.StepReleased && (runs == nil || runs.ID != i.JobID):
		s.r.excuse("a JobManager was lost while it was asked to run a job: whether it did is not known")
	}
}
