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
	ReasonScalingReport  = "ScalingReport"
	ReasonIneffective    = "IneffectiveScaling"
	ReasonScalingLimited = "ScalingLimited"
	ReasonMemoryPressure = "MemoryPressure"
	ReasonQuotaReached   = "ResourceQuotaReached"
	ReasonVetoed         = "ScalingVetoed"
	ReasonRecommendation = "Configuration recommendation"
	ReasonError          = "AutoscalerError"
	// ReasonNoAnswer is of ours: the Java autoscaler only logs it.
	ReasonNoAnswer = "PluginWithoutAnswer"
)
