// Package storedspec stores the spec that an intent leads to with little text: as a change of one of the recorded
// specs, which stand in the same status. etcd takes objects of up to 1.5 MiB, and a FlinkDeployment that was deployed
// holds its spec three times without the intent.
//
// PURE: see package plan. Invariant: what Read gives back is what Shorten was given, or it fails. See ADR 30.
package storedspec
