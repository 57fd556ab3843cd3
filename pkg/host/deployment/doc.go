// Package deployment decides what to do for one FlinkDeployment, application or session cluster: it is the face of that
// kind, for who looks at the world and carries a decision out (Inquiry).
//
// PURE: an Inquiry makes a plan.Plan of a cluster.Snapshot; it reads no clock, no client and no logger, and it
// cannot fail: what it cannot handle becomes a situation, a condition and a reason. First and its like say which
// parts of the world a decision will need, so that a look costs few requests; that they are enough is held by the judge
// in test/scenario (docs/adr/0040).
//
// How it is built: make.go tries the rules in order, first match wins. Those of package decide are about the life of
// the job, those of package cluster about the JobManager that it runs on; here are deletion, Ingress and what else is
// special about the kind. Package status then derives the conditions, for every rule alike.
//
// Invariants: at most one disruptive action in a plan; none on an Unknown; an intent is recorded before its first
// effect; a spec that does not validate never changes what runs. Start reading at make.go.
package deployment
