package health

import "encoding/json"

// Key is the entry of status.clusterInfo that holds the record.
const Key = "ClusterHealthInfo"

// Record is what is remembered of a job's health. All times are epoch milliseconds.
type Record struct {
	// TimeStamp is when the job was looked at.
	TimeStamp int64 `json:"timeStamp"`
	// NumRestarts is the number of restarts that later ones are counted from.
	NumRestarts int64 `json:"numRestarts"`
	// NumRestartsEvaluationTimeStamp is when that number was seen.
	NumRestartsEvaluationTimeStamp int64 `json:"numRestartsEvaluationTimeStamp"`
	// NumCompletedCheckpoints is how many checkpoints the JobManager process has completed.
	NumCompletedCheckpoints int64 `json:"numCompletedCheckpoints"`
	// NumCompletedCheckpointsIncreasedTimeStamp is when the newest of them was, or when the job began without one.
	NumCompletedCheckpointsIncreasedTimeStamp int64 `json:"numCompletedCheckpointsIncreasedTimeStamp"`
	// HealthResult is the verdict.
	HealthResult Result `json:"healthResult"`
}

// Result is the verdict of a look.
type Result struct {
	// Healthy is false when something is wrong.
	Healthy bool `json:"healthy"`
	// Error says what, one line; nil when healthy.
	Error *string `json:"error"`
}

// Parse reads a record back. One that cannot be read, or was never stored, is none.
func Parse(text string) (Record, bool) {
	var r Record
	if text == "" || json.Unmarshal([]byte(text), &r) != nil || r.TimeStamp <= 0 {
		return Record{}, false
	}
	return r, true
}

// Text is the record as status holds it.
func (r Record) Text() string {
	text, err := json.Marshal(r)
	if err != nil { // there is nothing in it that cannot be printed
		return ""
	}
	return string(text)
}

// Why says what is wrong with the job; empty when nothing is.
func (r Record) Why() string {
	switch {
	case r.HealthResult.Healthy:
		return ""
	case r.HealthResult.Error == nil || *r.HealthResult.Error == "":
		return "Restarting unhealthy job"
	}
	return *r.HealthResult.Error
}

// SameMeaning reports whether two stored texts tell the same: that nothing is recorded, or the same number of restarts
// and the same verdict. Times and the number of checkpoints move by themselves and ride along with the next status.
func SameMeaning(a, b string) bool {
	old, stored := Parse(a)
	next, seen := Parse(b)
	if !stored || !seen {
		return a == b
	}
	return old.NumRestarts == next.NumRestarts && old.HealthResult.Healthy == next.HealthResult.Healthy &&
		old.Why() == next.Why()
}
