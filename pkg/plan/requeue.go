package plan

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Requeue says how the pass that made a round goes on with the resource; the clock brings a next look by its Pace,
// whatever the pass does. First match wins:
//
//	 #  the round                                     requeue  the next look, by the same pass
//	R1  asks for another                              Now      at once
//	R2  needs a person, or is the last of a deletion  -        none
//	R3  is a step of a stop, and pods are to end      OnPods   in a moment, and as soon as a pod ends
//	R4  is a step that ends by itself within seconds  Soon     in a moment
//	R5  is a step during which no job runs            Quick    at once, and then every tenth of a second
//	R6  otherwise                                     -        none
type Requeue string

// The ways a pass goes on. The zero value leaves the resource to the clock.
const (
	// RequeueNow: another round at once, with the world read afresh.
	RequeueNow Requeue = "Now"
	// RequeueSoon: what was begun most likely ends within seconds, so whoever has begun it may look again shortly.
	RequeueSoon Requeue = "Soon"
	// RequeueOnPods: the same, and it is the end of pods that is awaited.
	RequeueOnPods Requeue = "OnPods"
	// RequeueQuick: the same as Soon, and no job runs meanwhile, so each tenth of a second counts.
	RequeueQuick Requeue = "Quick"
)

// Soon reports whether the pass may look again shortly.
func (r Requeue) Soon() bool { return r == RequeueSoon || r == RequeueOnPods || r == RequeueQuick }

const (
	// fastFor bounds how long one movement keeps the clock at its fastest; longer waits are looked at by the sweep.
	fastFor = 15 * time.Minute
	// farAway is the longest wait for a next attempt at which the clock ticks on; a longer one is the sweep's.
	farAway = time.Minute
)

// Movement is what the pace of a resource follows from.
type Movement struct {
	// Now is the time of the look.
	Now time.Time
	// Moves is true when something is under way that a next look may carry on.
	Moves bool
	// Attempt is when something that failed is tried again, if that is what is waited for; zero otherwise.
	Attempt time.Time
	// Since is when the movement that status records began; nil: none.
	Since *metav1.Time
	// Begins is true when an operation begins with this round.
	Begins bool
}

// Pace is the pace of the resource, and since when it has moved; nil when it does not. Since is stored, so that a
// repeated look moves nothing. First match wins:
//
//	 #  the resource                                          pace  the next look, by the clock
//	P1  waits for an attempt that is more than farAway ahead  slow  at the next sweep
//	P2  moves, for less than fastFor                          fast  at the next tick, every 2 s
//	P3  moves, for longer                                     slow  at the next sweep
//	P4  is at rest, or a person has to act                    slow  at the next sweep
//
// A resource with a request in flight at Flink counts as one that moves. A sweep looks at everything, whatever its
// pace.
func (m Movement) Pace() (pace v1beta1.Pace, since *metav1.Time) {
	if !m.Moves || m.Attempt.Sub(m.Now) > farAway {
		return v1beta1.PaceSlow, nil
	}
	if since = m.Since; since == nil || m.Begins {
		now := metav1.NewTime(m.Now.Truncate(time.Second))
		since = &now
	}
	if m.Now.Before(since.Add(fastFor)) {
		return v1beta1.PaceFast, since
	}
	return v1beta1.PaceSlow, since
}
