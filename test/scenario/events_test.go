package scenario

import (
	"slices"

	cloudevents "github.com/cloudevents/sdk-go/v2"

	"github.com/kn-flink/kn-flink/pkg/event"
)

// disorder is what a Broker does to events.
type disorder string

const (
	inOrder  disorder = ""
	doubled  disorder = "doubled"
	dropped  disorder = "dropped" // every event but what the functions ask of each other: only the clock is left
	every2nd disorder = "every second dropped"
	late     disorder = "late" // with the next step, after what came then
	reversed disorder = "reversed"
)

var disorders = []disorder{doubled, dropped, every2nd, late, reversed}

// arrange does it to one batch.
func (d disorder) arrange(h *harness, batch []cloudevents.Event) []cloudevents.Event {
	switch d {
	case doubled:
		var twice []cloudevents.Event
		for _, e := range batch {
			twice = append(twice, e, e)
		}
		return twice
	case dropped:
		return slices.DeleteFunc(batch, func(e cloudevents.Event) bool { return fromAPIServer(e) })
	case every2nd:
		var kept []cloudevents.Event
		for _, e := range batch {
			if h.parity = !h.parity; h.parity {
				kept = append(kept, e)
			}
		}
		return kept
	case late:
		h.late = append(h.late, batch...)
		return nil
	case reversed:
		slices.Reverse(batch)
	}
	return batch
}

func fromAPIServer(e cloudevents.Event) bool {
	return e.Type() != event.TypePassRequested && e.Type() != event.TypeUploadRequested
}
