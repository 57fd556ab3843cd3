// Package cron computes when a Quartz cron expression fires.
//
// PURE: no clock; times are UTC, the default of the Java operator's image. It does not judge expressions for people:
// package validation does, and what it refuses is refused here too, in fewer words. Invariants: Next is later than its
// argument, matches the expression, and nothing between the two does; an expression that never fires ends in the year
// 2299. Start reading at Next.
package cron
