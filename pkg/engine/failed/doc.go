// Package failed says what follows an effect that failed: a status that is too large, a request that Flink refused, a
// change that Kubernetes takes later.
//
// PURE: see package plan. Start reading at Again.
package failed
