package facts

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// ExceptionsDue is how many entries of a job's exception history to ask for, given the job as Flink lists it; 0 means
// not to ask.
func ExceptionsDue(v *world.Look, job world.Job) int {
	if !MayTellMoreExceptions(v, job) {
		return 0
	}
	return ExceptionBounds(v).Limit
}

// MayTellMoreExceptions reports whether the history of a job may tell of a failure that was not read yet.
func MayTellMoreExceptions(v *world.Look, job world.Job) bool {
	return v.Last != nil && !v.IsSession() && exceptions.Due(RecordedExceptions(v), ExceptionsKey(v, job), v.Seen.Now)
}

// ExceptionBounds are the options that bound what is told of failures.
func ExceptionBounds(v *world.Look) exceptions.Options {
	c := v.Config()
	return exceptions.Options{
		Limit: max(0, options.Read(c.Int, key.EventsExceptionsLimit, 10)),
		Lines: options.Read(c.Int, key.EventsExceptionsStacktraceLines, 5),
	}
}

// RecordedExceptions is what status records of the failures that were told.
func RecordedExceptions(v *world.Look) *exceptions.Record {
	return exceptions.Parse(v.Resource().Status.ClusterInfo[exceptions.Key])
}

// ExceptionsKey is the run of the job whose failures are told.
func ExceptionsKey(v *world.Look, job world.Job) exceptions.Job {
	return exceptions.Job{
		ID: job.ID, Modified: job.Modified, Ended: job.State.IsTerminal(), End: job.EndTime,
		Failed: job.State == v1beta1.FlinkJobFailed, Moved: job.State != v.Resource().Status.JobStatus.State,
	}
}
