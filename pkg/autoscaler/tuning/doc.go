// Package tuning fits the memory of TaskManagers to what they were seen to use, when a job is scaled anyway.
//
// PURE: see package model.
//
// Order: each pool takes what it needs from the memory that the TaskManagers have now, as long as there is some left:
// off-heap and JVM overhead as they are, network for the new parallelism, metaspace, heap, managed memory, and more
// heap for the work of TaskManagers that go away. What is left is given back.
//
// Invariant: a tuned TaskManager is never larger than the one before.
//
// Start reading at Recommend.
package tuning
