package plan

import (
	"fmt"
	"time"
)

// KeepAutoscaled writes what the autoscaler keeps of a job into its ConfigMap, before anything of it is applied.
type KeepAutoscaled struct {
	quiet
	// Namespace is that of the ConfigMap.
	Namespace string
	// Store is the ConfigMap as the round saw it; its resourceVersion is the precondition.
	Store ObjectVersion
	// Data is what its keys hold from now on.
	Data map[string]string
	// Keys are those that are written. What Data does not have of them goes; all others stay.
	Keys []string
	// Binary are the keys of its binary data that go.
	Binary []string
	// Explained says why it was decided so, as JSON; empty where nothing was decided. It is kept beside those before it,
	// in a ConfigMap of its own. It is for people: that it cannot be kept fails nothing.
	Explained string
	// Most is how many explanations are kept.
	Most int
	// At is the time of the decision to scale; zero where nothing was decided.
	At time.Time
}

func (a KeepAutoscaled) String() string {
	if len(a.Data) == 0 {
		return fmt.Sprintf("empty %s (%s)", a.Store.Name, a.Store.UID)
	}
	return fmt.Sprintf("keep the autoscaler's decision in %s (%s)", a.Store.Name, a.Store.UID)
}
