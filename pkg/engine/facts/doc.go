// Package facts answers what a decision depends on, by what a look saw and by what status remembers: where an open
// operation leads, what a job that has ended left, whether a start finds high-availability data, what packages upgrade
// and restore decide on.
//
// PURE: it reads, and changes nothing of what it reads. Start reading at ForUpgrade.
package facts
