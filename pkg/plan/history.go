package plan

import "github.com/kn-flink/kn-flink/pkg/history"

// History is what is written to the revision history of a job, after all else of a round and only if that went well. It
// is for people: what cannot be written is written by a later look, and holds nothing up.
type History struct {
	// Ended are revisions of which it is known how they ran.
	Ended []RevisionNote
	// Keep is the revision of the newest start; nil: it is there.
	Keep *history.Revision
	// OwnSpec is true where its spec is that of the resource, as the round read it.
	OwnSpec bool
	// Drop are revisions that go; the UID of each is the precondition.
	Drop []OwnedObject
}

// RevisionNote is what is noted on a revision.
type RevisionNote struct {
	// Name is that of its object.
	Name string
	// Annotations are set, all others stay.
	Annotations map[string]string
}
