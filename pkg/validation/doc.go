// Package validation judges specs: what is wrong with them, where, and what to do about it.
//
// PURE: a resource's name, spec and status and the operator's configuration in, one *apis.FieldError out; nil is valid.
// What has to be looked up (a session job's cluster, a snapshot's target, a host name) comes in as a fact, and what is
// unknown makes no finding.
//
// It must not change or default a spec, and it must not decide what happens to an invalid one: admission denies it, a
// pass keeps the last accepted spec.
//
// Invariants:
//   - Every rule is evaluated, so that all problems are told at once; a value that cannot be read is a finding of its
//     own at its path, and the other rules go on.
//   - Findings stand in the order in which the Java operator evaluates its rules; the text of each begins with that
//     operator's words, because scripts match on them. Headline is the text it would have given alone.
//   - Equal input gives equal bytes. User values are quoted and cut; credentials are never shown.
//   - A resource with the canary label is valid (label flink.apache.org/canary).
//
// Resources that are being deleted are not to be validated: an unreadable spec must not keep them alive.
//
// Start reading in deployment.go; sessionjob.go, snapshot.go and bluegreen.go follow its shape. finding.go collects and
// prints, settings.go reads configuration.
package validation
