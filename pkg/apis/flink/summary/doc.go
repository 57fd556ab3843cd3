// Package summary makes the parts of a resource's status that sum up the rest:
// the lifecycle state, the conditions and the text of the error field.
//
// PURE: the time and all bounds are arguments.
//
// Must not: decide what to do about them (package plan), or write them.
//
// Invariants:
//   - Ready is derived from the other conditions in one function and cannot be
//     set.
//   - Equal input gives an equal list, in one order; an unchanged world changes
//     no condition, so it causes no status write.
//   - CheckConditions holds for every list that SetConditions returns.
//
// Start reading at SetConditions, then DeploymentLifecycle and ErrorText.
package summary
