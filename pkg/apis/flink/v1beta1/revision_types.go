package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RevisionStatus is what the revision history has, or is to have, of the newest
// start that was let run.
type RevisionStatus struct {
	// OperationID of the intent that started it.
	OperationID string `json:"operationID,omitempty"`
	// Number counts the starts of the resource, from 1 on.
	Number int64 `json:"number,omitempty"`
	// Started is when it was let run.
	Started metav1.Time `json:"started,omitzero"`
	// StableSince is since when it runs well; absent: it did not yet.
	StableSince *metav1.Time `json:"stableSince,omitempty"`
	// Ended says how it ended; absent while it runs.
	Ended *RevisionEnd `json:"ended,omitempty"`
	// Kept is true once the history was seen to have all of this.
	Kept bool `json:"kept,omitempty"`
	// Before is the start before it, until the history was seen to have its end.
	Before *RevisionBefore `json:"before,omitempty"`
}

// RevisionBefore is a start that another one followed.
type RevisionBefore struct {
	// OperationID of the intent that started it.
	OperationID string `json:"operationID,omitempty"`
	// StableSince is since when it ran well; absent: it never did.
	StableSince *metav1.Time `json:"stableSince,omitempty"`
	// Ended says how it ended.
	Ended RevisionEnd `json:"ended,omitzero"`
}

// RevisionEnd says how a start ended.
type RevisionEnd struct {
	// At is when its job ended, or was given up.
	At metav1.Time `json:"at,omitzero"`
	// By is the purpose of the operation that ended it, or the state in which the
	// job ended by itself.
	By string `json:"by,omitempty"`
	// Why says more, one line, as of a rollback; empty when there is no more.
	Why string `json:"why,omitempty"`
	// Left is the state that it left; absent when that is not known.
	Left *StateLeft `json:"left,omitempty"`
}

// StateLeft is the state that a start left when it ended.
type StateLeft struct {
	// Kind of the state.
	Kind StartKind `json:"kind,omitempty"`
	// Path of the savepoint or checkpoint; of Kind LastState the newest checkpoint
	// that was seen, which Flink may have removed since. Empty when none is known.
	Path string `json:"path,omitempty"`
	// Taken is when it was taken; absent means not known.
	Taken *metav1.Time `json:"taken,omitempty"`
}
