// Package coalesce runs at most one piece of work for a key at a time in one process, and collapses a burst into one
// more run.
//
// Leaf, no I/O of its own: it knows nothing of passes, looks or ticks, and both functions use it. It saves work and is
// no lock. Start reading at Group.
package coalesce
