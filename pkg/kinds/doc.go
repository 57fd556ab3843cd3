// Package kinds is the one table of the kinds of resources: their names, how sweeps read them, what
// is counted and logged of them, and where their secrets are.
//
// What passes decide about a resource, how sweeps look at it and how admission judges it are functions of those
// packages, one row a kind: deciders in package pass, sweepers in package sweep and judges in package admission. They
// are no columns here, because admit links no client of Flink, and observe does not link package apply. Tests hold
// them, and the manifests, to this table.
//
// PURE: no I/O, no clock. Start reading at All.
package kinds
