// Package decision has the words in which the engine decides: a Decision of a rule, the Stop or Start that it asks for,
// the Result of a step, and the two interfaces by which a host carries out the steps of a start and of a stop.
//
// PURE: values, and nothing that makes them. Start reading at Decision.
package decision
