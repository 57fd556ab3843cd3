package snapshot

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// decideDeleting ends a resource that is marked for deletion. It always ends: every wait has a deadline, counted from
// the mark. First match wins:
//
//	there is                                        then
//	no finalizer of ours                            nothing
//	nothing to dispose of: a checkpoint,            the finalizer goes, the files stay
//	disposeOnDelete false, no job, no readable spec
//	a request in flight                             wait for it, at most the checkpoint timeout
//	no completed snapshot, or none with a path      the finalizer goes
//	a job that may still read it, see               the finalizer goes, the files stay, Warning
//	snapshots.Reader
//	no resource of the job any more                 the finalizer goes, the files stay, Warning
//	a claim mode by which its files are not ours    the finalizer goes, the files stay, Warning
//	others that could not be read                   wait, at most resource.cleanup.timeout; then the files stay
//	another resource that may still read it         the finalizer goes, the files stay, Warning
//	a JobManager that answers                       disposal, then the finalizer goes; if it fails, again after a pause,
//	                                                see
//	                                                package backoff, until resource.cleanup.timeout, and then as
//	                                                without a job
//	none that answers                               wait, at most resource.cleanup.timeout; then as without a job
func decideDeleting(v view) (result, bool) {
	r, d := v.resource(), disposal(v)
	if r.DeletionTimestamp == nil {
		return result{}, false
	}
	if v.lacksFinalizer() {
		return result{situation: plan.Deleting, silent: true}, true
	}
	if !d.wanted() {
		return d.release(), true
	}
	if v.want.State == v1beta1.SnapshotInProgress {
		if d.overdue(v.job.timeout() + d.cleanupTimeout()) {
			return d.leave("its request is still in flight"), true
		}
		result, _ := decideInProgress(v)
		result.situation, result.stall = plan.Deleting, cause{}
		result.again = v.want.State != v1beta1.SnapshotInProgress
		return result, true
	}
	return d.dispose(), true
}

// disposal removes the files of a savepoint whose resource goes, or says why they stay.
type disposal view

// dispose removes the files of a completed savepoint, as far as that can be done.
func (v disposal) dispose() result {
	path := v.want.Path
	_, listed := v.s.Flink.Job.Get()
	answers := listed || v.s.Flink.Job.IsAbsent()
	switch {
	case v.want.State != v1beta1.SnapshotCompleted, path == nil, *path == "":
		return v.release()
	case v.job.presence == validation.Present && !v.job.deleting && v.job.reader.Reads(*path):
		return v.leave("the job may still start from it, or go back to it")
	case v.job.presence == validation.Absent:
		return v.leave("its job was deleted, and with it the JobManager that could dispose of it")
	case snapshots.Kept(v.job.config) != "":
		return v.leave(snapshots.Kept(v.job.config))
	case v.s.Readers.IsUnknown():
		return v.waits("which other resources may need it cannot be read: " + v.s.Readers.Why())
	case v.otherReader(*path) != "":
		return v.leave(v.otherReader(*path) + " may still need it")
	case backoff.Waits(v.want.Retry, v.resource().Generation, v.s.Now):
		return v.waits(v.want.Retry.Message)
	case v.job.endpoint != nil && answers: // also at a look that comes late: one that fails then is the last
		r := v.release()
		r.actions = []plan.Action{plan.DisposeSavepoint{Endpoint: *v.job.endpoint, Path: *path}}
		return r
	}
	return v.waits("no JobManager can be reached")
}

// otherReader is another resource that may still read the files; empty when there is none.
func (v disposal) otherReader(path string) string {
	others, _ := v.s.Readers.Get()
	return others[path]
}

// AskReaders is the path that nobody else may need, if it is to be disposed of; nil when nothing is.
func AskReaders(s Snapshot) []string {
	v := newView(s)
	d := disposal(v)
	if s.Resource.DeletionTimestamp == nil || v.lacksFinalizer() || !d.wanted() || v.want.Path == nil ||
		v.want.State != v1beta1.SnapshotCompleted {
		return nil
	}
	return []string{*v.want.Path}
}

// waits says why the files are still there; after the deadline it leaves them.
func (v disposal) waits(why string) result {
	if v.overdue(v.cleanupTimeout()) {
		return v.leave(why)
	}
	message := "the savepoint is not disposed of yet: " + why
	if !v.toldAlready(message) {
		v.tell(plan.Event{Warning: true, Reason: plan.ReasonCleanupFailed, Message: message})
	}
	due := v.deadline(v.cleanupTimeout())
	if r := v.want.Retry; r != nil && r.After.After(v.s.Now) && r.After.Time.Before(due) {
		due = r.After.Time
	}
	if v.want.Retry == nil {
		due = time.Time{}
	}
	return result{situation: plan.Deleting, retryAt: due, wait: cause{plan.ReasonDisposal, message}}
}

func (v disposal) toldAlready(message string) bool {
	for _, c := range v.resource().Status.Conditions {
		if c.Reason == string(plan.ReasonDisposal) && c.Message == message {
			return true
		}
	}
	return false
}

// leave lets the resource go and says what stays behind.
func (v disposal) leave(why string) result {
	path := ""
	if v.want.Path != nil {
		path = " at " + *v.want.Path
	}
	v.tell(plan.Event{Warning: true, Reason: plan.ReasonCleanupFailed,
		Message: "the savepoint" + path + " was not disposed " +
			"of, its files remain: " + why})
	return v.release()
}

func (v disposal) release() result {
	return result{
		situation: plan.Deleting, silent: true,
		finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkStateSnapshot}},
	}
}

// wanted reports whether the resource's data goes with it.
func (v disposal) wanted() bool {
	reference := v.resource().Spec.JobReference
	return v.s.SpecProblem == "" && v.kind == snapshots.Savepoint && v.resource().Spec.Savepoint.DisposedOnDelete() &&
		reference != nil && reference.Name != ""
}

// cleanupTimeout is kubernetes.operator.resource.cleanup.timeout.
func (v disposal) cleanupTimeout() time.Duration {
	return read(v.job.config.Duration, key.ResourceCleanupTimeout, 5*time.Minute)
}

func (v disposal) deadline(after time.Duration) time.Time {
	return v.resource().DeletionTimestamp.Add(after).UTC()
}

func (v disposal) overdue(after time.Duration) bool { return !v.s.Now.Before(v.deadline(after)) }
