package render

import (
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/memory"
)

// jobManagerMebibytes is the memory that the JobManager's container asks for. Sizes of TaskManagers that do not fit
// together are refused here, too, before there is a JobManager that cannot start any.
func (b *builder) jobManagerMebibytes() int64 {
	b.taskManagerMebibytes()
	process, err := memory.JobManagerProcess(b.conf)
	if err != nil {
		b.fail(
			&SpecError{
				Where: key.JobManagerProcessMemory.Key, Problem: "the memory of the JobManager cannot be derived", Err: err,
			},
		)
	}
	return process.MiB()
}

// taskManagerMebibytes is the memory that a TaskManager's container asks for.
func (b *builder) taskManagerMebibytes() int64 {
	process, err := memory.TaskManagerProcess(b.conf)
	if err != nil {
		b.fail(
			&SpecError{
				Where: key.TaskManagerProcessMemory.Key, Problem: "the memory of a TaskManager cannot be derived", Err: err,
			},
		)
	}
	return process.MiB()
}
