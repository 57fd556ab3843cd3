package exceptions

import (
	"encoding/json"
	"time"
)

// Key is the entry of status.clusterInfo that holds the record. As what is remembered of the job's health, it goes with
// the cluster.
const Key = "JobExceptionInfo"

// Record is what is remembered of a job's exception history. Times are epoch milliseconds of Flink's.
type Record struct {
	// JobID is the job's.
	JobID string `json:"jobId"`
	// Newest is when the newest entry was that was told of, or that was too old to be told of; 0 means none.
	Newest int64 `json:"newest"`
	// Modified is the last change of the job or its tasks that the history was asked for after.
	Modified int64 `json:"modified"`
}

// Parse reads a record back; nil when there is none, or none that can be read.
func Parse(text string) *Record {
	r := &Record{}
	if text == "" || json.Unmarshal([]byte(text), r) != nil || r.JobID == "" {
		return nil
	}
	return r
}

// Text is the record as status holds it.
func (r Record) Text() string {
	text, err := json.Marshal(r)
	if err != nil { // there is nothing in it that cannot be printed
		return ""
	}
	return string(text)
}

// SameMeaning reports whether two stored texts tell the same, so that no write is worth it. That the history was asked
// for again rides along with the next status, but for the first time after something was told: until that is stored
// each look would ask again.
func SameMeaning(a, b string) bool {
	old, next := Parse(a), Parse(b)
	if old == nil || next == nil {
		return a == b
	}
	closes := old.Modified < old.Newest && next.Modified >= next.Newest
	return old.JobID == next.JobID && old.Newest == next.Newest && !closes
}

// Job is the job whose history is meant, as Flink lists it.
type Job struct {
	// ID is Flink's JobID.
	ID string
	// Modified is when the job or one of its tasks changed last; the zero time when Flink does not say.
	Modified time.Time
	// Ended: the state is terminal.
	Ended bool
	// Failed: the state is FAILED.
	Failed bool
	// End is when it ended; zero until then.
	End time.Time
	// Moved: its state is another than status has.
	Moved bool
}

// lateFor is how long after it ended, or a task of it changed, a job's history is still asked for: Flink answers from a
// cache. In that time the clock ticks at the steady pace, too.
const lateFor = 2 * time.Minute

// Due reports whether the history has to be asked for. A steady job costs no request: its tasks do not change.
//
//	job                       due
//	ended                     when that is news, and for two minutes after the end
//	FAILED, nothing told of   for as long as an entry counts as recent
//	the two minutes before
//	otherwise, no record      yes
//	otherwise                 when it or a task of it has changed since the history was asked for, and for two minutes
//	                          after the change
func Due(last *Record, j Job, now time.Time) bool {
	switch {
	case j.Ended:
		return j.Moved || now.Sub(j.End) < lateFor || j.untold(last, now)
	case last == nil || last.JobID != j.ID:
		return true
	case j.Modified.IsZero():
		return false
	}
	return j.Modified.UnixMilli() != last.Modified || now.Sub(j.Modified) < lateFor
}

// untold reports whether what a job has FAILED of is not told yet: no status may have been stored until now.
func (j Job) untold(last *Record, now time.Time) bool {
	if !j.Failed || now.Sub(j.End) >= recent {
		return false
	}
	return last == nil || last.JobID != j.ID || j.End.UnixMilli()-last.Newest > lateFor.Milliseconds()
}
