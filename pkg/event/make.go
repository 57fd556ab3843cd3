package event

import (
	"fmt"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
)

// Shard is one page of one kind, for observe to look at.
type Shard struct {
	// Sweep is the tick whose sweep it is of; zero: not known.
	Sweep time.Time `json:"sweep,omitzero"`
	// Kind is the kind to list.
	Kind string `json:"kind"`
	// Namespace is the namespace to list; empty is all.
	Namespace string `json:"namespace,omitempty"`
	// Continue is the API server's token of the page; empty is the first page.
	Continue string `json:"continue,omitempty"`
	// Limit is the size of the page.
	Limit int64 `json:"limit"`
	// Snapshots also looks at the snapshots of the page's jobs that are being taken.
	Snapshots bool `json:"snapshots,omitempty"`
	// Finished looks at all finished resources that are to go, in place of a page.
	Finished bool `json:"finished,omitempty"`
}

// Change is the data of a status event: what changed and to what.
type Change struct {
	// Generation is metadata.generation of the resource.
	Generation int64 `json:"generation"`
	// OldLifecycleState is status.lifecycleState before the change; empty means none yet.
	OldLifecycleState string `json:"oldLifecycleState,omitempty"`
	// LifecycleState is status.lifecycleState after it; DELETED when the operator's finalizer is removed.
	LifecycleState string `json:"lifecycleState,omitempty"`
	// OldJobState is status.jobStatus.state before the change; empty means none yet.
	OldJobState string `json:"oldJobState,omitempty"`
	// JobState is status.jobStatus.state after it.
	JobState string `json:"jobState,omitempty"`
	// Error is status.error after the change; empty means none.
	Error string `json:"error,omitempty"`
}

// Notice is the data of an event.v1: the same facts as a Kubernetes Event.
type Notice struct {
	// Type is Normal or Warning.
	Type string `json:"type"`
	// Reason is the CamelCase reason.
	Reason string `json:"reason"`
	// Component is JobManagerDeployment, Job, Snapshot or Operator.
	Component string `json:"component"`
	// Message is one line for people.
	Message string `json:"message"`
}

// Head is what every event of ours has besides its data.
type Head struct {
	// ID is the event's id; equal ids are the same event.
	ID string
	// Key is the object that the event speaks of.
	Key Key
	// Source is the function that posts it, as a URI reference.
	Source string
	// Time is when it was made.
	Time time.Time
	// Reason fills extension reason; empty leaves it out.
	Reason string
}

// Make builds one event of ours with JSON data.
func Make(eventType string, head Head, data any) (cloudevents.Event, error) {
	e := cloudevents.NewEvent()
	e.SetID(head.ID)
	e.SetType(eventType)
	e.SetSource(head.Source)
	e.SetTime(head.Time)
	if head.Key != (Key{}) {
		e.SetSubject(head.Key.String())
		e.SetExtension(extKind, head.Key.Kind)
		e.SetExtension(extNamespace, head.Key.Namespace)
		e.SetExtension(extName, head.Key.Name)
	}
	if head.Reason != "" {
		e.SetExtension(extReason, head.Reason)
	}
	if data != nil {
		if err := e.SetData(cloudevents.ApplicationJSON, data); err != nil {
			return e, fmt.Errorf("event %s of type %s: encode its data: %w", head.ID, eventType, err)
		}
	}
	if err := e.Validate(); err != nil {
		return e, fmt.Errorf("event %s of type %s: %w", head.ID, eventType, err)
	}
	return e, nil
}
