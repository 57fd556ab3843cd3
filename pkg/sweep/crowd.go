package sweep

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A crowd is what a tick of the transition pace looked at when many resources moved at the same time. Each of their
// Deployments changes half a dozen times on its way up, and a look at each change costs more than the next tick, which
// looks at all of them together.
const (
	// crowdFrom is from how many resources on it is one.
	crowdFrom = 10
	// crowdFor is how long one is remembered: a little more than a tick.
	crowdFor = 3 * time.Second
)

// crowd is the last one that this pod saw. The zero value is none.
type crowd struct {
	seen    time.Time
	members map[types.NamespacedName]bool
}

// remember notes what a tick has just looked at.
func (o *Observer) remember(members []types.NamespacedName) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.crowd = crowd{}
	if len(members) < crowdFrom {
		return
	}
	o.crowd = crowd{seen: o.Gather.Now(), members: map[types.NamespacedName]bool{}}
	for _, m := range members {
		o.crowd.members[m] = true
	}
}

// crowded reports whether the resource is of a crowd that the next tick looks at.
func (o *Observer) crowded(namespace, name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Gather.Now().Sub(o.crowd.seen) < crowdFor &&
		o.crowd.members[types.NamespacedName{Namespace: namespace, Name: name}]
}
