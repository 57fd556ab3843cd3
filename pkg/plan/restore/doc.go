// Package restore picks the state that a job starts from.
//
// PURE: see package plan. There is one function and one table, for first starts, upgrades, resumptions, redeployments,
// recoveries and rollbacks alike. Two sentences hold for every row: a job whose spec wants its state kept never starts
// without it, and no job starts from a state that is not known to be the right one. Where that cannot be had the answer
// is a refusal that names what a person can do. Start reading at Choose.
package restore
