package flinkrest

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Millis is a point in time as Flink writes it, in milliseconds since 1970. Flink writes -1 or 0 for "not yet".
type Millis int64

// Time converts; "not yet" gives the zero time.
func (m Millis) Time() time.Time {
	if m <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// Number is a metric's value. Flink writes numbers, numbers as strings, "NaN" and "Infinity"; null and absence are NaN.
type Number float64

// UnmarshalJSON accepts all those forms and refuses every other.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	word := string(text)
	if len(text) > 0 && text[0] == '"' {
		if err := json.Unmarshal(text, &word); err != nil {
			return err
		}
	}
	value, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return fmt.Errorf("%.40q is not a number", word)
	}
	*n = Number(value)
	return nil
}

// MarshalJSON writes what Flink writes: NaN and infinities as strings.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) {
		return []byte(`"NaN"`), nil
	}
	if math.IsInf(f, 0) {
		return json.Marshal(map[bool]string{true: "Infinity", false: "-Infinity"}[f > 0])
	}
	return json.Marshal(f)
}

// JobState is Flink's JobStatus.
type JobState string

// The states of a job. A text that is none of them becomes JobStateUnknown.
const (
	JobStateUnknown JobState = ""
	Initializing    JobState = "INITIALIZING"
	Created         JobState = "CREATED"
	Running         JobState = "RUNNING"
	Failing         JobState = "FAILING"
	Failed          JobState = "FAILED"
	Cancelling      JobState = "CANCELLING"
	Canceled        JobState = "CANCELED"
	Finished        JobState = "FINISHED"
	Restarting      JobState = "RESTARTING"
	Suspended       JobState = "SUSPENDED"
	Reconciling     JobState = "RECONCILING"
)

// UnmarshalJSON reads a state; an unknown text is JobStateUnknown, another JSON type is an error.
func (s *JobState) UnmarshalJSON(text []byte) error {
	var word string
	if err := json.Unmarshal(text, &word); err != nil {
		return fmt.Errorf("job state: %w", err)
	}
	switch state := JobState(word); state {
	case Initializing, Created, Running, Failing, Failed, Cancelling, Canceled, Finished, Restarting, Suspended,
		Reconciling:
		*s = state
	default:
		*s = JobStateUnknown
	}
	return nil
}

// Ended tells whether the job is over for good (JobStatus.isGloballyTerminalState). SUSPENDED is not: another
// JobManager goes on with the job. Unknown is not.
func (s JobState) Ended() bool { return s == Finished || s == Failed || s == Canceled }

// Version is a Flink version, as far as the REST API depends on it.
type Version struct {
	// Major is 1 or 2.
	Major int
	// Minor is the number after the first dot.
	Minor int
}

// ParseVersion reads "1.20", "1.20.5", "2.1-SNAPSHOT" and the v1_20 of spec.flinkVersion.
func ParseVersion(text string) (Version, error) {
	var v Version
	if _, err := fmt.Sscanf(text, "v%d_%d", &v.Major, &v.Minor); err == nil {
		return v, nil
	}
	if _, err := fmt.Sscanf(text, "%d.%d", &v.Major, &v.Minor); err != nil {
		return Version{}, fmt.Errorf("flinkrest: %.40q is not a Flink version such as 1.20 or v1_20", text)
	}
	return v, nil
}

// AtLeast compares.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}
