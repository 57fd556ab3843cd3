package job

import (
	"maps"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// exceptionHistory knows which of the job's failures were told, and tells of the new ones.
type exceptionHistory Life

// due is how many entries of a job's exception history to ask for, given the job as Flink lists it; 0 means not to ask.
func (v exceptionHistory) due(job Job) int {
	if !v.mayTellMore(job) {
		return 0
	}
	return v.bounds().Limit
}

// mayTellMore reports whether the history of a job may tell of a failure that was not read yet.
func (v exceptionHistory) mayTellMore(job Job) bool {
	return v.Last != nil && !v.IsSession() && exceptions.Due(v.recorded(), v.of(job), v.Seen.Now)
}

func (v exceptionHistory) bounds() exceptions.Options {
	c := v.Config()
	return exceptions.Options{
		Limit: max(0, options.Read(c.Int, key.EventsExceptionsLimit, 10)),
		Lines: options.Read(c.Int, key.EventsExceptionsStacktraceLines, 5),
	}
}

func (v exceptionHistory) recorded() *exceptions.Record {
	return exceptions.Parse(v.Resource().Status.ClusterInfo[exceptions.Key])
}

func (v exceptionHistory) of(job Job) exceptions.Job {
	return exceptions.Job{
		ID: job.ID, Modified: job.Modified, Ended: job.State.IsTerminal(), End: job.EndTime,
		Failed: job.State == v1beta1.FlinkJobFailed, Moved: job.State != v.Resource().Status.JobStatus.State,
	}
}

// observe tells of the failures that are new in the job's history, when it is due, and keeps the record.
func (v exceptionHistory) observe() {
	entries, ok := v.Seen.Flink.Exceptions.Get()
	if !ok || v.Job == nil || v.due(*v.Job) == 0 {
		return
	}
	record, events := exceptions.Tell(v.recorded(), v.of(*v.Job), entries, v.bounds(), v.Seen.Now)
	for _, e := range events {
		v.Tell(e)
	}
	info := maps.Clone(v.Want.ClusterInfo)
	if info == nil {
		info = map[string]string{}
	}
	info[exceptions.Key] = record.Text()
	v.Want.ClusterInfo = info
}
