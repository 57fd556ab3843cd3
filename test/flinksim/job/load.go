package job

import (
	"strconv"
	"time"
)

// Load is what a job has to do, in records per second. The zero value tells of no load: the job has no metrics of it.
type Load struct {
	// Rate is what comes in.
	Rate float64
	// Capacity is what one subtask of either vertex can do.
	Capacity float64
}

// Metrics are what Flink tells of a vertex under load, over its subtasks, by the names that it gives them.
func (j *Job) Metrics(vertex string, now time.Time) map[string]string {
	if j.Script.Load.Rate == 0 || j.State != Running {
		return nil
	}
	in, can := j.Script.Load.Rate, j.Script.Load.Capacity*float64(j.ParallelismOf(vertex))
	text := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	found := map[string]string{
		"busyTimeMsPerSecond": text(1000 * min(1, in/can)), "numRecordsInPerSecond": text(min(in, can)),
	}
	if vertex == j.Vertices()[0] {
		found["backPressuredTimeMsPerSecond"] = "0"
		found["Source__load.numRecordsInPerSecond"] = text(min(in, can))
		found["Source__load.numRecordsIn"] = strconv.FormatInt(j.Records(vertex, now), 10)
		found["Source__load.pendingRecords"] = text(max(0, in-can) * now.Sub(j.Entered[Running]).Seconds())
	}
	return found
}

// Records are those that a vertex has read since its tasks run.
func (j *Job) Records(vertex string, now time.Time) int64 {
	if j.State != Running {
		return 0
	}
	can := j.Script.Load.Capacity * float64(j.ParallelismOf(vertex))
	return int64(min(j.Script.Load.Rate, can) * now.Sub(j.Entered[Running]).Seconds())
}
