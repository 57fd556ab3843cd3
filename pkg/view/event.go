package view

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Event is one event of Kubernetes.
type Event struct {
	// Time is when it was last seen.
	Time time.Time `json:"time"`
	// Count is how often.
	Count int32 `json:"count"`
	// Warning is whether it is one.
	Warning bool `json:"warning,omitempty"`
	// Of is what it is about.
	Of Ref `json:"of"`
	// Reason is one CamelCase word.
	Reason string `json:"reason"`
	// Message is one line.
	Message string `json:"message"`
}

// EventsOf are events in the order of their times, without secrets.
func EventsOf(events []corev1.Event, secrets redact.Secrets) []Event {
	all := make([]Event, 0, len(events))
	for _, e := range events {
		all = append(all, Event{
			Time: lastSeen(e), Count: max(e.Count, 1), Warning: e.Type == corev1.EventTypeWarning,
			Of: Ref{e.InvolvedObject.Kind, e.InvolvedObject.Name}, Reason: e.Reason,
			Message: secrets.Text(summary.OneLine(e.Message, summary.MaxMessageLength)),
		})
	}
	slices.SortStableFunc(all, func(a, b Event) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Of.Name, b.Of.Name), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// lastSeen is when an event was last seen, in whichever of its fields that stands.
func lastSeen(e corev1.Event) time.Time {
	at := e.CreationTimestamp.Time
	for _, t := range []time.Time{e.FirstTimestamp.Time, e.EventTime.Time, e.LastTimestamp.Time} {
		if t.After(at) {
			at = t
		}
	}
	if e.Series != nil && e.Series.LastObservedTime.After(at) {
		at = e.Series.LastObservedTime.Time
	}
	return at.UTC()
}
