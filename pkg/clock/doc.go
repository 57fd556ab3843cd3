// Package clock holds the one timer of an installation: a PingSource whose schedule follows the fleet.
//
// Leaf, I/O: it reads and patches that one PingSource. Whoever is about to leave a resource in transition wakes it
// first; only the sweep slows it down, and never against a fresh stamp. A wrong schedule costs time, never state. Start
// reading at Pace and Clock.
package clock
