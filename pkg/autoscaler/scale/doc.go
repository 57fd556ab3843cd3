// Package scale decides the parallelism of one vertex from its evaluated metrics and its past.
//
// PURE: see package model. A scale down that has to wait is part of the input and of the output.
//
// Order, as the Java autoscaler has it: the factor to the wanted capacity, the correction for scalability that was
// observed, the bounds of one step, the bounds of parallelism, the alignment with key groups or source partitions, and
// then what holds a change back: an earlier step up that gained nothing, or the interval of a scale down.
//
// Each Verdict names the rule that decided, so that it can be explained.
//
// Start reading at Vertex.
package scale
