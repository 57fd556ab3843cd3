// Package cron computes when a Quartz cron expression fires.
//
// PURE: no clock. Next works in UTC, the default of the Java operator's image, Matches on the clocks of its argument.
// It does not judge expressions for people: package period does, and what it refuses is refused here too, in fewer
// words. Invariants: Next is later than its argument, matches the expression, and nothing between the two does; an
// expression that never fires ends in the year 2299. Start reading at Next.
package cron
