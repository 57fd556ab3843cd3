package chaos

import (
	"fmt"
	"strings"
	"time"
)

// Entry is one line of a job's ledger, as StateMachineExample writes it.
type Entry struct {
	// At is when it was written.
	At time.Time
	// What is Began, Kept or Wrong.
	What string
	// Run is one start of the job's tasks, by the job itself or by Flink.
	Run string
	// Job is the job's ID; only of Began.
	Job string
	// Number is the highest number counted: that the run began with, 0 for an empty start, or that is kept now.
	Number int64
	// Taken is when what is kept was taken; only of Kept.
	Taken time.Time
}

// What an entry says.
const (
	Began = "began"
	Kept  = "kept"
	Wrong = "wrong" // the run's state and its position are not of the same moment
)

// ParseEntry reads one line without its end.
func ParseEntry(line string) (Entry, error) {
	var ms, taken, checkpoint, before int64
	var e Entry
	head, rest, _ := strings.Cut(line, " ")
	what, rest, _ := strings.Cut(rest, " ")
	e.What = what
	var err error
	if _, err = fmt.Sscan(head, &ms); err == nil {
		switch what {
		case Began:
			_, err = fmt.Sscan(rest, &e.Run, &e.Job, &e.Number)
		case Kept:
			_, err = fmt.Sscan(rest, &e.Run, &checkpoint, &e.Number, &taken)
			e.Taken = time.UnixMilli(taken)
		case Wrong:
			_, err = fmt.Sscan(rest, &e.Run, &e.Number, &before)
		default:
			err = fmt.Errorf("no such entry")
		}
	}
	if err != nil {
		return Entry{}, fmt.Errorf("line %q of a ledger: %w", line, err)
	}
	e.At = time.UnixMilli(ms)
	return e, nil
}
