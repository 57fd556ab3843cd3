// Package handover decides how the job of a pair moves from the side that serves to a side that was made warm beside
// it, so that the two never run at once and no record counts twice.
//
// PURE: no I/O, no clock, no logger; equal input gives an equal decision.
//
// Each side is a session cluster and one FlinkSessionJob on it. The FlinkSessionJob has the life of
// the job, with its own intents: it stops with a savepoint, and starts from a path under an ID that was stored before.
// This package decides only which of the two may run, and why that changes:
//
//	Warm -> Stop -> Release -> done
//	          |        v
//	          |      Fence -> Return -> given up
//	          +-----------------^
//
// Three rules hold at each moment, wherever a function dies:
//   - one side may run a job, see May, and the step that says so is stored before its job is changed;
//   - a step lets a side run only when the job of the other one was seen ended, at the generation that ended it;
//   - after the first completed checkpoint of the target nothing returns: what it committed would be committed twice.
//
// Package bluegreen carries out what is decided. Start reading at Decide; See reads a FlinkSessionJob for it.
package handover
