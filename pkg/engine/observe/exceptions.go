package observe

import (
	"maps"

	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
)

// exceptionHistory tells of the failures that are new in the job's history, when it is due, and keeps the record.
func exceptionHistory(v *world.Look) {
	entries, ok := v.Seen.Flink.Exceptions.Get()
	if !ok || v.Job == nil || facts.ExceptionsDue(v, *v.Job) == 0 {
		return
	}
	record, events := exceptions.Tell(
		facts.RecordedExceptions(v),
		facts.ExceptionsKey(v, *v.Job),
		entries,
		facts.ExceptionBounds(v),
		v.Seen.Now,
	)
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
