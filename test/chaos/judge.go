package chaos

import (
	"fmt"
	"time"
)

// Judge holds one job to what it had kept. It is told of everything in the order in which it happened.
//
//	a run begins with            | and                                | then
//	as much as was kept, or more |                                    | all is well
//	less                         | the spec gave the state up         | that is what is kept now
//	less                         | a person chose a state of so much  | that is what is kept now
//	less                         | status says so: StateSafe is False | it was told, that is what is kept now
//	less                         | it is called steady and safe       | it is a finding
//
// A checkpoint that a run took after another one began, and that was completed, is one too: two jobs ran at once.
type Judge struct {
	// Starts counts runs, Told those that began with less and were told.
	Starts, Told int

	owed     int64 // the highest number that is known to be kept
	keptAt   time.Time
	run      Entry // the newest to begin
	loss     *loss
	choice   *int64
	givenUp  bool
	findings []string
}

// loss is a run that began with less than was kept.
type loss struct {
	run  Entry
	owed int64
	at   time.Time
	by   string
}

// Take tells of the ledger's next entry.
func (j *Judge) Take(e Entry) {
	switch e.What {
	case Wrong:
		j.found("run %s counted %d out of its turn: its state and position are not of the same moment", e.Run, e.Number)
	case Kept:
		if e.Run != j.run.Run {
			if e.Taken.After(j.run.At) {
				late := e.Taken.Sub(j.run.At)
				j.found("two jobs at once: run %s took a checkpoint %s after run %s had begun", e.Run, late, j.run.Run)
			}
			return // told late: what began since was judged without it
		}
		if j.loss == nil && e.Number > j.owed {
			j.owed, j.keptAt = e.Number, e.At
		}
	case Began:
		j.Starts++
		by := "another job"
		if e.Job == j.run.Job {
			by = "the same job, by Flink or by last state"
		}
		j.run = e
		switch {
		case j.givenUp, j.choice != nil && e.Number >= *j.choice && e.Number < j.owed:
			j.choice = nil
			j.accept()
		case e.Number >= j.owed:
			j.loss = nil
		default:
			j.loss = &loss{run: e, owed: j.owed, at: j.keptAt, by: by}
		}
	}
}

// accept takes what the newest run began with for all that there is.
func (j *Judge) accept() { j.owed, j.keptAt, j.loss = j.run.Number, j.run.At, nil }

// Anew tells that another resource of the name begins.
func (j *Judge) Anew() { *j = Judge{Starts: j.Starts, Told: j.Told, findings: j.findings} }

// Chosen tells that a person chose a state to begin from, that has so much or more.
func (j *Judge) Chosen(atLeast int64) { j.choice = &atLeast }

// GivesUp tells that the spec gave the state up, or, once it is deployed, does so no more.
func (j *Judge) GivesUp(state bool) { j.givenUp = state }

// Owed is how much is known to be kept.
func (j *Judge) Owed() int64 { return j.owed }

// Running is the run that began last, the zero Entry before the first.
func (j *Judge) Running() Entry { return j.run }

// Suspects says that a run began with less than was kept and nobody has told yet. Look decides.
func (j *Judge) Suspects() bool { return j.loss != nil }

// Look tells what status said since the newest run began. Steady is how it is called now, told that it said meanwhile
// that the state is not safe.
func (j *Judge) Look(steady, told bool) {
	switch {
	case j.loss == nil:
		if steady {
			j.choice = nil // what began with it, if anything, had no less
		}
	case told:
		j.Told++
		j.accept()
	case steady:
		l := j.loss
		j.found("it came back with less: %d were kept at %s, "+
			"run %s of %s (%s) began at %s with %d, and is called steady and safe",
			l.owed, clock(l.at), l.run.Run, l.run.Job, l.by, clock(l.run.At), l.run.Number)
		j.accept()
	}
}

// Findings are what was found so far.
func (j *Judge) Findings() []string { return j.findings }

func (j *Judge) found(format string, args ...any) {
	j.findings = append(j.findings, fmt.Sprintf(format, args...))
}

func clock(t time.Time) string { return t.Format("15:04:05.000") }
