// Package deployment decides what to do for one FlinkDeployment, application or session cluster.
//
// PURE: Make takes a Snapshot and answers a plan.Plan; it reads no clock, no client and no logger, and it cannot fail:
// what it cannot handle becomes a situation, a condition and a reason. Ask says which parts of the world a decision
// will need, so that a look costs few requests.
//
// How it is built: package subject makes a read-only view with the accepted spec and brings the status up to what was
// seen; make.go tries the rules in order, first match wins: delete.go, intent.go (which carries an open intent on, with
// stop.go and start.go), first.go, change.go, rollback.go, recover.go, settled.go. Package shown then derives
// conditions, lifecycle state and pace, for every rule alike.
//
// Invariants: at most one disruptive action in a plan; none on an Unknown; an intent is recorded before its first
// effect; a spec that does not validate never changes what runs. Start reading at make.go.
package deployment
