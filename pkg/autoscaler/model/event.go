package model

import "time"

// EventType is the type of a Kubernetes Event.
type EventType string

// The types of events.
const (
	EventUnknown EventType = ""
	EventNormal  EventType = "Normal"
	EventWarning EventType = "Warning"
)

// Event is something that a user should learn of.
type Event struct {
	// Type is Normal or Warning.
	Type EventType
	// Reason is one of the reasons of the Java autoscaler; tools look for them.
	Reason string
	// Message is the text, that of the Java autoscaler.
	Message string
	// Key names what the event is about, so that a later one replaces it; empty is the message itself.
	Key string
	// Suppressed tells that the same event is not sent again within Interval.
	Suppressed bool
	// Interval is job.autoscaler.scaling.event.interval. It counts only when Suppressed.
	Interval time.Duration
	// Labels are those of the event; where they have changed it is sent in spite of Interval. nil is none.
	Labels map[string]string
}

// The reasons of events.
const (
	// ReasonScalingReport: the job is scaled, or would be with scaling on: each vertex, from how many to how many.
	ReasonScalingReport = "ScalingReport"
	// ReasonIneffective: a scale-up of the vertex did not raise what it processes, so the vertex is not scaled up further.
	ReasonIneffective = "IneffectiveScaling"
	// ReasonScalingLimited: the vertex cannot have the parallelism that it needs: its partitions or key groups limit it.
	ReasonScalingLimited = "ScalingLimited"
	// ReasonMemoryPressure: the TaskManagers lack memory, by heap or garbage collection, so the job is not scaled.
	ReasonMemoryPressure = "MemoryPressure"
	// ReasonQuotaReached: the job would need more CPU or memory than its quota, so it is not scaled.
	ReasonQuotaReached = "ResourceQuotaReached"
	// ReasonVetoed: a plug-in does not allow the change of size.
	ReasonVetoed = "ScalingVetoed"
	// ReasonRecommendation: a setting of the job that would suit the autoscaler better.
	ReasonRecommendation = "Configuration recommendation"
	// ReasonError: the autoscaler cannot measure the job, or cannot decide.
	ReasonError = "AutoscalerError"
	// ReasonNoAnswer: a plug-in of the autoscaler does not answer, or not as it should. The Java autoscaler only logs it.
	ReasonNoAnswer = "PluginWithoutAnswer"
)
