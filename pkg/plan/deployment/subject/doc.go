// Package subject is what a decision about one FlinkDeployment is made of: the snapshot, the spec that counts, the
// configuration that follows, and the status as it will be left.
//
// PURE: see package plan. It decides nothing: it brings the status up to what was seen (observe.go) and writes down
// what a step of an operation leaves (record.go). The rules are in package deployment. Start reading at subject.go.
package subject
