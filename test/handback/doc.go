// Package handback is what the Java operator does with a resource that is handed back to it: the decision of its next
// loop, and the states in which it gets one. The planners of both kinds are held to the same table.
//
// I/O: none.
//
// It must not import a planner: those are what it judges. Start reading at Does.
package handback
