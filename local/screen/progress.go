package screen

import (
	"fmt"
	"time"
)

// Step is something that takes its time before the platform runs.
type Step struct {
	// Name says what is done.
	Name string
	// Done and Total count it, in Unit. Total 0: there is nothing to count, or it is not known how much.
	Done, Total int64
	// Unit is a word in the plural. Empty: bytes.
	Unit string
	// Took is how long it takes so far, or took.
	Took time.Duration
	// Ended says that it is done.
	Ended bool
}

// Progress are the lines of steps that may run at the same time. Those that took less than a second are not worth one.
// The last ones stay when the height is not enough.
func Progress(steps []Step, size Size) []string {
	var rows [][]string
	for _, s := range steps {
		if s.Ended && s.Took < time.Second {
			continue
		}
		mark := "..."
		if s.Ended {
			mark = "done"
		}
		rows = append(rows, []string{"  " + s.Name, s.howMuch(), short(s.Took), mark})
	}
	size = size.orUsual()
	lines := table(rows)
	for i := range lines {
		lines[i] = cut(lines[i], size.Width)
	}
	return lines[max(0, len(lines)-size.Height):]
}

// Line is the step as one line of a plain log.
func (s Step) Line() string {
	text := s.Name
	if much := s.howMuch(); much != "" {
		text += ": " + much
	}
	if s.Ended {
		return text + ", done after " + short(s.Took)
	}
	return text
}

func (s Step) howMuch() string {
	switch {
	case s.Unit == "" && s.Total > 0:
		return fmt.Sprintf("%d of %d MB", s.Done>>20, s.Total>>20)
	case s.Unit == "" && s.Done > 0:
		return fmt.Sprintf("%d MB", s.Done>>20)
	case s.Unit == "":
		return ""
	case s.Total > 0:
		return fmt.Sprintf("%d of %d %s", s.Done, s.Total, s.Unit)
	case s.Done > 0:
		return fmt.Sprintf("%d %s", s.Done, s.Unit)
	}
	return ""
}

// short is a duration in whole seconds.
func short(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	if seconds < 60 {
		return fmt.Sprintf("%d s", seconds)
	}
	return fmt.Sprintf("%d min %02d s", seconds/60, seconds%60)
}
