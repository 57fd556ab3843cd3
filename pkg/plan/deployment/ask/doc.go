// Package ask says which parts of the world a decision about a FlinkDeployment needs, so that a look costs few
// requests.
//
// PURE: see package plan. It knows what the rules of package deployment may ask of a snapshot, and nothing of how it is
// looked up. That a decision on what it asks for is the one on everything is held by the judge in test/scenario
// (docs/adr/0040). Start reading at First.
package ask
