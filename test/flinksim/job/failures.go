package job

import (
	"fmt"
	"time"
)

// Failure is a Java exception.
type Failure struct {
	// Class is the Java class.
	Class string
	// Message is the exception's message.
	Message string
	// Cause is the exception below, class and message; empty: none.
	Cause string
	// At is when it happened.
	At time.Time
	// Task is the task that failed; empty: the job as a whole did.
	Task string
}

// frame stands for the frames of a stack trace.
const frame = "\n\tat org.apache.flink.runtime.Model.run(Model.java:1)\n"

// Text is the stack trace.
func (f Failure) Text() string {
	text := f.Class + ": " + f.Message + frame
	if f.Cause != "" {
		text += "Caused by: " + f.Cause + frame
	}
	return text
}

// FailToStart ends a job that was just made, because its JobMaster cannot start.
func (j *Job) FailToStart(cause string, now time.Time) {
	delete(j.Entered, Created)
	j.Entered[Initializing] = now
	j.Failures = append(j.Failures, Failure{
		Class: "org.apache.flink.runtime.client.JobInitializationException", Message: "Could not start the JobMaster.",
		Cause: cause, At: now,
	})
	j.enter(Failed, now)
}

// Restart makes the job fail over to its last checkpoint, or to where it started without one. It is FAILED when its
// restart strategy allows no attempt more.
func (j *Job) Restart(class, message string, now time.Time) {
	if j.finishing != nil {
		j.breakStop(j.finishing, class, message, now)
		return
	}
	if j.Attempts != Endless && j.Restarts >= int64(j.Attempts) {
		j.failFor(Failure{
			Class: "org.apache.flink.runtime.JobException", Message: "Recovery is suppressed by the restart strategy",
			Cause: class + ": " + message, At: now,
		})
		return
	}
	j.Failures = append(j.Failures, Failure{
		Class: class, Message: message, At: now,
		Task: fmt.Sprintf("sink (1/%d) - execution #%d", j.ParallelismOf(j.Vertices()[1]), j.Restarts),
	})
	j.Restarts++
	j.abandon(now, "the job is restarting")
	j.restore(now)
	j.enter(Restarting, now)
}

// Fail ends the job as FAILED.
func (j *Job) Fail(class, message string, now time.Time) {
	j.failFor(Failure{Class: class, Message: message, At: now})
}

func (j *Job) failFor(f Failure) {
	if j.State.Ended() {
		return
	}
	j.Failures = append(j.Failures, f)
	j.abandon(f.At, "the job failed")
	j.Entered[Failing] = f.At
	j.enter(Failed, f.At)
}
