package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// watcher looks at every status that is stored, and at the models' violations.
type watcher struct {
	h  *harness
	mu sync.Mutex

	versions   map[types.UID]string
	operations seen
	jobs       seen
	statuses   int
	violations int
	stopped    int // the newest effect that was looked at by lookAtStop
	// stored, unless nil, is called with each.
	stored func(*v1beta1.FlinkDeployment)
	// judged, unless nil, takes one resource of each kind that is shown: see judged.
	judged map[string]judgedStatus
}

// seen holds identifiers: the newest of each resource, and all that ever were.
type seen struct {
	newest map[types.UID]string
	all    map[string]bool
}

// next takes the identifier that a resource shows now, and says whether it came back after another.
func (s *seen) next(uid types.UID, id string) (repeated bool) {
	if s.newest == nil {
		s.newest, s.all = map[types.UID]string{}, map[string]bool{}
	}
	if id == "" || s.newest[uid] == id {
		return false
	}
	repeated = s.all[id]
	s.newest[uid], s.all[id] = id, true
	return repeated
}

// forget lets a resource show any identifier again. The others still show theirs.
func (s *seen) forget(uid types.UID) {
	delete(s.newest, uid)
	s.all = map[string]bool{}
}

func newWatcher(h *harness) *watcher {
	w := &watcher{h: h, versions: map[types.UID]string{}}
	w.arm()
	return w
}

// arm looks right after each status write, too. Tap.Revive disarms it.
func (w *watcher) arm() {
	w.h.w.Tap.Inject(wire.Fault{
		Match: func(r wire.Request) bool { return r.Subresource == "status" }, Effective: true, After: true, Do: w.look,
	})
	w.armRuns()
	w.h.w.Tap.Inject(wire.Fault{
		Match: func(r wire.Request) bool { return r.System == "flink" && r.IsWrite() }, Effective: true, After: true,
		Do: w.lookAtStop,
	})
}

// armRuns looks right after each run of a jar, too.
func (w *watcher) armRuns() {
	w.h.w.Tap.Inject(wire.Fault{
		Match: func(r wire.Request) bool { return r.Resource == "run" }, Effective: true, After: true, Do: w.lookAtRun,
	})
}

var runsJob = regexp.MustCompile(`^run jar \S+ as job ([0-9a-f]{32}) in (\S+)/(\S+)$`)

// lookAtRun holds, of the job that was just run:
//
//	its resource      had stored the ID, and that Flink is asked to run it, before
//	its cluster       had not stored that it is about to be stopped before the job's release was stored
//
// A job of nobody's resource is a person's.
func (w *watcher) lookAtRun() {
	t, effects := w.h.t, w.h.w.Tap.Effects()
	var run []string
	for i := len(effects) - 1; i >= 0 && run == nil; i-- {
		run = runsJob.FindStringSubmatch(effects[i].Text)
	}
	if run == nil {
		return
	}
	for _, u := range w.h.w.Kube.PeekAll(kubesim.FlinkSessionJobs, run[2], nil) {
		own, err := w.h.decode(u)
		if err != nil || own.Status.JobStatus.JobID != run[1] {
			continue
		}
		intent := own.Status.Intent
		if intent == nil || intent.Step != v1beta1.StepReleased || intent.Release == nil || intent.Release.RunAt == nil {
			t.Errorf("%s: job %s runs, and nothing is stored about it: %+v", own.Name, run[1], intent)
			continue
		}
		host := w.h.w.Kube.Peek(kubesim.FlinkDeployments, run[2], run[3])
		if host == nil {
			continue
		}
		d, err := w.h.decode(host)
		if err != nil {
			continue
		}
		stop := d.Status.Intent
		if stop != nil && stop.Step == v1beta1.StepStopping && stop.StoredAt.Time.Before(intent.Release.At.Time) {
			t.Errorf("%s: job %s runs on a cluster that is about to be stopped since %s, released at %s",
				own.Name, run[1], stop.StoredAt, intent.Release.At)
		}
	}
}

var stopsJob = regexp.MustCompile(`^(?:cancel|trigger ` + string(job.Stop) + ` [0-9a-f]{32} of) job ([0-9a-f]{32}) in `)

// lookAtStop holds, of a job of a session cluster that a function was just told to stop: its own resource is being
// deleted, or had stored before that it is stopped or has ended. A job that nobody's resource speaks of is not ours to
// stop.
func (w *watcher) lookAtStop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	effects := w.h.w.Tap.Effects()
	for _, e := range effects[min(w.stopped, len(effects)):] {
		stop := stopsJob.FindStringSubmatch(e.Text)
		if w.stopped = e.Seq; stop == nil || !strings.HasPrefix(e.Agent, "reconcile") {
			continue
		}
		asked := false
		for _, u := range append(w.h.w.Kube.PeekAll(kubesim.FlinkDeployments, "", nil),
			w.h.w.Kube.PeekAll(kubesim.FlinkSessionJobs, "", nil)...) {
			d, err := w.h.decode(u)
			former := err == nil && slices.Contains(d.Status.FormerJobs, stop[1])
			if err != nil || !former && d.Status.JobStatus.JobID != stop[1] {
				continue
			}
			i := d.Status.Intent
			asked = asked || former || d.Status.JobStatus.State.IsTerminal() ||
				u.GetKind() == v1beta1.KindFlinkDeployment || u.GetDeletionTimestamp() != nil ||
				i != nil && i.Step == v1beta1.StepStopping
		}
		if !asked {
			w.h.t.Errorf("%s: nobody's status says that this job is stopped", e)
		}
	}
}

// restores forgets the identifiers of a resource: somebody stores an old status of it.
func (w *watcher) restores(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range []*seen{&w.operations, &w.jobs} {
		delete(s.newest, uid)
		clear(s.all)
	}
}

// skip leaves out the status that a resource has now.
func (w *watcher) skip(u *unstructured.Unstructured) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.versions[u.GetUID()] = u.GetResourceVersion()
}

// look checks every stored status that is new.
func (w *watcher) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.h.t
	if w.judged != nil {
		w.judge()
	}
	for _, u := range append(w.h.w.Kube.PeekAll(kubesim.FlinkDeployments, "", nil),
		w.h.w.Kube.PeekAll(kubesim.FlinkSessionJobs, "", nil)...) {
		if w.versions[u.GetUID()] == u.GetResourceVersion() {
			continue
		}
		w.versions[u.GetUID()] = u.GetResourceVersion()
		d, err := w.h.decode(u)
		if err != nil {
			t.Errorf("a status that cannot be read was stored: %v", err)
			continue
		}
		if len(d.Status.Conditions) == 0 {
			continue
		}
		w.statuses++
		if err := summary.CheckConditions(d.Status.Conditions, d.Generation); err != nil {
			t.Errorf("%s in situation %s: %v", d.Name, d.Status.Situation, err)
		}
		if err := summary.CheckEnds(d.Status.Conditions); err != nil {
			t.Errorf("%s, job %s, in situation %s: %v", d.Name, d.Status.JobStatus.State, d.Status.Situation, err)
		}
		if w.stored != nil {
			w.stored(d)
		}
		if i := d.Status.Intent; i != nil && w.operations.next(d.UID, i.OperationID) {
			t.Errorf("%s: operation %s came back after another", d.Name, i.OperationID)
		}
		if id := d.Status.JobStatus.JobID; w.jobs.next(d.UID, id) {
			t.Errorf("%s: job %s came back after another", d.Name, id)
		}
	}
	if found := w.h.w.Flink.Violations(); len(found) > w.violations {
		t.Errorf("violations: %v", found[w.violations:])
		w.violations = len(found)
	}
}

// finish says what was logged and must not be.
func (w *watcher) finish() error {
	w.h.mu.Lock()
	defer w.h.mu.Unlock()
	if len(w.h.faults) > 0 {
		return fmt.Errorf("logged as errors: %q", w.h.faults)
	}
	return nil
}
