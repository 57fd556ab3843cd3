package exceptions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Reason of the events.
const Reason = plan.ReasonJobException

// Entry is one failure in a job's history.
type Entry struct {
	// At is when it happened.
	At time.Time
	// StackTrace is the whole trace, many lines.
	StackTrace string
	// TaskName is the subtask that failed; empty for a failure of the whole job, as are the two below.
	TaskName string
	// Endpoint is the TaskManager's host and port.
	Endpoint string
	// TaskManagerID is the TaskManager's resource ID.
	TaskManagerID string
	// Labels are what Flink's failure enrichers said.
	Labels map[string]string
}

// Options bound what is told.
type Options struct {
	// Limit is how many entries one look tells of, the newest;
	// kubernetes.operator.events.exceptions.limit-per-reconciliation.
	Limit int
	// Lines of the stack trace are told; kubernetes.operator.events.exceptions.stacktrace-lines.
	Lines int
}

// recent is how old an entry may be that is told of at the first look at a job that ran before.
const recent = 30 * time.Minute

// Tell makes events of the entries that are new, the newest first, and the record of this look.
//
//	record                told are entries
//	none                  of the last 30 minutes: older ones are history
//	another job's         all: this job began under our eyes
//	this job's            newer than the newest that was told
//
// Entries of one text are one event, which has the annotations of the newest.
func Tell(last *Record, j Job, entries []Entry, o Options, now time.Time) (Record, []plan.Event) {
	next := Record{JobID: j.ID}
	told := int64(-1)
	switch {
	case last == nil:
		told = now.Add(-recent).UnixMilli()
	case last.JobID == j.ID:
		next, told = *last, last.Newest
	}
	if !j.Modified.IsZero() {
		next.Modified = j.Modified.UnixMilli()
	}
	sorted := slices.SortedStableFunc(slices.Values(entries), func(a, b Entry) int {
		return cmp.Compare(b.At.UnixMilli(), a.At.UnixMilli())
	})
	var events []plan.Event
	seen := map[string]bool{}
	for i, e := range sorted {
		at := e.At.UnixMilli()
		next.Newest = max(next.Newest, at)
		if at <= told || i >= o.Limit {
			continue
		}
		event := makeEvent(e, o.Lines)
		if !seen[event.Key] {
			events = append(events, event)
		}
		seen[event.Key] = true
	}
	return next, events
}

// makeEvent makes the event of an entry, named as the Java operator names it.
func makeEvent(e Entry, lines int) plan.Event {
	message := firstLines(e.StackTrace, lines)
	annotations := map[string]string{"exception-timestamp": e.At.UTC().Format(time.RFC3339Nano)}
	for name, value := range map[string]string{
		"task-name": e.TaskName, "endpoint": e.Endpoint, "tm-id": e.TaskManagerID,
	} {
		if value != "" {
			annotations[name] = clip(value, mostValue)
		}
	}
	for name, value := range e.Labels {
		if key := annotationKey("failure-label-" + name); key != "" {
			annotations[key] = clip(value, mostValue)
		}
	}
	return plan.Event{
		Warning: true, Reason: Reason, Component: plan.ComponentJob, Message: message,
		Key: fmt.Sprintf("jobmanager-exception-%x", syntax.JavaHash(message)), Annotations: annotations,
	}
}

// The bounds of an event.
const (
	mostMessage = 1000 // Kubernetes takes 1 KiB
	mostValue   = 1000
	mostKey     = 63
)

// firstLines are the first lines of a stack trace, and how many follow.
func firstLines(trace string, n int) string {
	all := strings.Split(strings.TrimRight(strings.ReplaceAll(trace, "\r\n", "\n"), "\n"), "\n")
	if len(all) <= max(0, n) {
		return clip(strings.Join(all, "\n"), mostMessage)
	}
	more := fmt.Sprintf("... (%d more lines)", len(all)-max(0, n))
	return clip(strings.Join(append(slices.Clone(all[:max(0, n)]), ""), "\n"), mostMessage-len(more)) + more
}

// clip cuts a text at a character.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// annotationKey makes a legal name of an annotation: letters, digits, -, _ and ., at most 63, with a letter or digit at
// both ends.
func annotationKey(name string) string {
	legal := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (alphanumeric(r) || strings.ContainsRune("-_.", r)) {
			return r
		}
		return '-'
	}, name)
	return strings.TrimRightFunc(clip(legal, mostKey), func(r rune) bool { return !alphanumeric(r) })
}

func alphanumeric(r rune) bool {
	return ('a' <= r && r <= 'z') || ('A' <= r && r <= 'Z') || ('0' <= r && r <= '9')
}
