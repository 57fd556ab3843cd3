package doctor

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Severity is how bad a finding is.
type Severity string

const (
	// OK needs nothing.
	OK Severity = "ok"
	// Warn works, and is worth knowing.
	Warn Severity = "warn"
	// Fail does not work.
	Fail Severity = "fail"
)

// Line is one finding.
type Line struct {
	// Check is the name of its row, or of the part that it is about.
	Check string `json:"check"`
	// Severity is how bad it is.
	Severity Severity `json:"severity"`
	// Text says what was found.
	Text string `json:"text"`
	// Do are the steps of the repair, or the objects that it is about; empty where nothing is to be done.
	Do []string `json:"do,omitempty"`
}

// line makes a finding.
func line(check string, s Severity, format string, args ...any) Line {
	return Line{Check: check, Severity: s, Text: fmt.Sprintf(format, args...)}
}

// do is the finding with the steps of its repair.
func (l Line) do(steps ...string) Line {
	l.Do = append(l.Do, steps...)
	return l
}

// judged are the lines of a check: its failures, or that all is well.
func judged(lines []Line, well Line) []Line {
	if len(lines) == 0 {
		return []Line{well}
	}
	return lines
}

// Report is what all rows of a table found.
type Report struct {
	metav1.TypeMeta `json:",inline"`
	// Verdict is the worst of all lines.
	Verdict Severity `json:"verdict"`
	// Lines are the findings, in the order of the rows.
	Lines []Line `json:"lines"`
}

// Failed are how many lines are failures.
func (r Report) Failed() (n int) {
	for _, l := range r.Lines {
		if l.Severity == Fail {
			n++
		}
	}
	return n
}

// Add puts findings at the end.
func (r *Report) Add(lines ...Line) {
	for _, l := range lines {
		r.Lines = append(r.Lines, l)
		if l.Severity == Fail || r.Verdict != Fail && l.Severity == Warn {
			r.Verdict = l.Severity
		}
	}
}

// Text is the report for a terminal: a line for each finding, its steps below it.
func (r Report) Text() string {
	var out strings.Builder
	for _, l := range r.Lines {
		fmt.Fprintf(&out, "%-5s %-16s %s\n", l.Severity, l.Check, l.Text)
		for _, step := range l.Do {
			fmt.Fprintf(&out, "  %s\n", step)
		}
	}
	return out.String()
}
