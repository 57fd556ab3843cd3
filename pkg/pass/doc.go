// Package pass is the one pass: key, gather, plan, apply, answer, the same for every event and every pod.
//
// I/O: it strings the others together and decides nothing itself. A pass is made of rounds, because a plan may ask to
// look again at once; it has a budget, and it never waits for Flink. What a pass could not finish, its stored intent
// lets any other pass finish. Start reading at Run.
package pass
