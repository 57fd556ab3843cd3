// Package upgrade decides how a running job is stopped for a change of its spec, and with what it will be restored.
//
// PURE: see package plan. Decide is a table over plain facts; who carries it out is package deployment for applications
// and, for session jobs, their own plan. Two sentences hold for every row: what is not known never leads to a stop, and
// a job whose spec wants its state kept is never stopped in a way that loses it. Start reading at Decide.
package upgrade
