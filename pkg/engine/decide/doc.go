// Package decide has the rules of a job's life: what is done about a job that was never started, is to be changed, does
// not become stable, is lost, makes no progress, or rests. A rule reads what a look saw and gives a decision, which is
// a value. It writes nothing and begins nothing: packages record and operation do.
//
// Rules are tried in the order in which the kind of the resource lists them. One that passes leaves what it found for
// those that follow; Settled, the last, says what is left.
//
// PURE: see package plan. Start reading at Change and Settled.
package decide
