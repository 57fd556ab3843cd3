package health

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Options are the configuration that the verdict depends on (kubernetes.operator.cluster.health-check.*).
type Options struct {
	// RestartsWindow is the time that RestartsThreshold restarts may fall into, and not one more.
	RestartsWindow time.Duration
	// RestartsThreshold is how many.
	RestartsThreshold int64
	// ProgressWindow is how long a job may go on without completing a checkpoint; zero: checkpoints do not count.
	ProgressWindow time.Duration
}

// Seen is what Flink says of a job.
type Seen struct {
	// Restarts is the job's metric numRestarts.
	Restarts int64
	// Checkpoints is how many checkpoints and savepoints the JobManager process has completed.
	Checkpoints int64
	// Progress is when the newest of them was completed; without one, when that process began with the job. The zero
	// time: the job makes no checkpoints, or nobody asked.
	Progress time.Time
	// Own is how often the job makes checkpoints, as its code and its configuration have it
	// (GET /jobs/:jobid/checkpoints/config). Nil: nobody asked, because the newest is young enough.
	Own *Pace
}

// Pace is how often a job makes checkpoints.
type Pace struct {
	// Interval is execution.checkpointing.interval, Timeout execution.checkpointing.timeout.
	Interval, Timeout time.Duration
}

// Judge makes the record of a look at a job that has not ended. last is the one of the look before, nil for the first.
//
//	last                  then
//	none                  a new record, healthy
//	younger than this     as it was: a clock is wrong
//	otherwise             unhealthy for its restarts, its checkpoints, or both
func Judge(last *Record, o Options, now time.Time, s Seen) Record {
	next := Record{
		TimeStamp: now.UnixMilli(), NumRestarts: s.Restarts, NumRestartsEvaluationTimeStamp: now.UnixMilli(),
		NumCompletedCheckpoints: s.Checkpoints, NumCompletedCheckpointsIncreasedTimeStamp: s.Progress.UnixMilli(),
		HealthResult: Result{Healthy: true},
	}
	if s.Progress.IsZero() {
		next.NumCompletedCheckpointsIncreasedTimeStamp = now.UnixMilli()
	}
	if last == nil {
		return next
	}
	if next.TimeStamp < last.TimeStamp {
		return *last
	}
	var wrong []string
	if next.countRestarts(*last, o) > o.RestartsThreshold {
		wrong = append(wrong, fmt.Sprintf("Restart count hit threshold: %d", o.RestartsThreshold))
	}
	if o.ProgressWindow > 0 && !s.Progress.IsZero() && s.Progress.Add(o.ProgressWindow).Before(now) {
		wrong = append(wrong, "Cluster is not able to complete checkpoints")
	}
	if len(wrong) > 0 {
		text := strings.Join(wrong, "|")
		next.HealthResult = Result{Error: &text}
	}
	return next
}

// countRestarts is how many restarts fell into one window, and keeps the base that later ones are counted from.
//
//	the number      base of this age        restarts in the window              base
//	has fallen      -                       none: another process counts        this look
//	otherwise       within the window       all since the base                  kept
//	otherwise       older                   those since the base, scaled down   this look
//
// A base may be older than the looks are apart, because a number that does not change is not stored. Then a job that
// begins to restart is judged a look later.
func (r *Record) countRestarts(last Record, o Options) int64 {
	count := r.NumRestarts - last.NumRestarts
	if count < 0 {
		return 0
	}
	age, window := r.TimeStamp-last.NumRestartsEvaluationTimeStamp, o.RestartsWindow.Milliseconds()
	if age <= window {
		r.NumRestarts, r.NumRestartsEvaluationTimeStamp = last.NumRestarts, last.NumRestartsEvaluationTimeStamp
		return count
	}
	return int64(float64(count) * (float64(window) / float64(age)))
}

// Checkpointing is the configuration of a job's checkpoints, as far as it says how long one may take.
type Checkpointing struct {
	// Window is kubernetes.operator.cluster.health-check.checkpoint-progress.window; zero means unset.
	Window time.Duration
	// Interval is execution.checkpointing.interval; zero means unset.
	Interval time.Duration
	// Timeout is execution.checkpointing.timeout.
	Timeout time.Duration
	// Tolerable is execution.checkpointing.tolerable-failed-checkpoints.
	Tolerable int
}

// ProgressWindow is how long a job may go on without completing a checkpoint: as configured, and at the least as long
// as Flink itself puts up with failing ones. Zero means that it is not known to make any.
func (c Checkpointing) ProgressWindow() time.Duration {
	if c.Window == 0 && c.Interval == 0 {
		return 0
	}
	longest, times := max(c.Interval, c.Timeout), time.Duration(c.Tolerable)+2
	if longest > math.MaxInt64/times {
		return math.MaxInt64
	}
	return max(c.Window, longest*times)
}
