package sweep

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A batch is what a tick of the transition pace looked at when many resources moved at the same time. Each of their
// Deployments changes half a dozen times on its way up, and a look at each change costs more than the next tick, which
// looks at all of them together.
const (
	// batchFrom is from how many resources on it is one.
	batchFrom = 10
	// batchFor is how long one is remembered: a little more than a tick.
	batchFor = 3 * time.Second
)

// batch is the last one that this pod saw. The zero value is none.
type batch struct {
	seen    time.Time
	members map[types.NamespacedName]bool
}

// remember notes what a tick has just looked at.
func (o *Observer) remember(members []types.NamespacedName) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.batch = batch{}
	if len(members) < batchFrom {
		return
	}
	o.batch = batch{seen: o.Gather.Now(), members: map[types.NamespacedName]bool{}}
	for _, m := range members {
		o.batch.members[m] = true
	}
}

// inBatch reports whether the resource is of a batch that the next tick looks at.
func (o *Observer) inBatch(namespace, name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Gather.Now().Sub(o.batch.seen) < batchFor &&
		o.batch.members[types.NamespacedName{Namespace: namespace, Name: name}]
}
