package plan

import "github.com/kn-flink/kn-flink/pkg/rehearsal"

// Rehearse has the API server judge the objects of a start, and the pods that come of it, and stores nothing. What it
// refuses, or cannot judge now, ends the round before anything is stopped.
type Rehearse struct {
	quiet
	// Target is the hash of the spec that is to be started.
	Target string
	// Namespace is that of every object, Name the cluster's.
	Namespace, Name string
	// Pieces are the objects.
	Pieces []rehearsal.Piece
}

// String names the spec and no operation: it is the same with each attempt.
func (a Rehearse) String() string { return "rehearse the start of spec " + a.Target }
