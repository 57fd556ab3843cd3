package snapshots

import (
	"encoding/json"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Reader is the resource of a job, as far as it says which states the job may still read.
type Reader struct {
	// Wanted is spec.job; nil when there is none.
	Wanted *v1beta1.JobSpec
	// Status is status.jobStatus.
	Status v1beta1.JobStatus
	// Intent is the open intent; nil means none.
	Intent *v1beta1.Intent
}

// Reads reports whether the job may still read the state at a path. Nothing that it may read is disposed of, whoever
// asks: the history in status, the clean-up of FlinkStateSnapshots, or the deletion of one.
//
//	the path is                                        because
//	spec.job.initialSavepointPath                      a start from it may be on its way
//	that of the open intent, or in its spec            a start from it is on its way
//	upgradeSavepointPath                               the next start is from it; until then a JobManager without high
//	                                                   availability begins from it, and one with it has no other
//	                                                   before the first checkpoint
//	what the job was started from, or its predecessor  the same; checkpoints may be built on it
//	whose last state it was started from, until it
//	has ended and its last state is read
//	the last savepoint, and no other state is named    a start without another goes back to it
func (r Reader) Reads(path string) bool {
	s := r.Status
	same := func(other string) bool { return other != "" && SameFiles(other, path) }
	switch intent := r.Intent; {
	case path == "":
		return false
	case r.Wanted != nil && same(r.Wanted.InitialSavepointPath), same(s.UpgradeSavepointPath):
		return true
	case intent != nil && (intent.From != nil && same(intent.From.Path) || Mentions(intent.Spec+intent.SpecChange, path)):
		return true
	case s.State.IsTerminal() && !s.LastStateUnread:
	case same(s.BasedOn), s.StartedFrom != nil && same(s.StartedFrom.Path):
		return true
	}
	last, known := LastKnown(s)
	return known && last != s.SupersededSavepoint && same(last)
}

// Mentions reports whether a text in JSON has a path in it.
func Mentions(text, path string) bool {
	quoted, err := json.Marshal(path)
	return strings.Contains(text, path) || err == nil && strings.Contains(text, strings.Trim(string(quoted), `"`))
}

// SameFiles reports whether two paths may lead to the same files, however they are spelled: Flink names a path with its
// scheme, also one that was given without, s3 and s3a are one store, and a path may end in a slash or in /_metadata.
func SameFiles(a, b string) bool { return place(a) == place(b) }

func place(path string) string {
	if _, rest, schemed := strings.Cut(path, ":"); schemed {
		path = rest
	}
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if n := len(parts); n > 0 && parts[n-1] == "_metadata" {
		parts = parts[:n-1]
	}
	return strings.Join(parts, "/")
}

// BasedOn is what the high-availability data that a start goes on from may still go back to: what the job was started
// from before. Empty for a start from another state.
func BasedOn(before v1beta1.JobStatus, from v1beta1.StartKind) string {
	switch was := before.StartedFrom; {
	case from != v1beta1.StartLastState:
		return ""
	case was != nil && was.Kind == v1beta1.StartSavepoint:
		return was.Path
	}
	return before.BasedOn
}
