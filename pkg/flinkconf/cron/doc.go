// Package cron reads Quartz cron expressions, and computes when they fire.
//
// PURE: no clock. Next works in UTC, the default of the Java operator's image, Matches on the clocks of its argument.
// Invariants: Next is later than its argument, matches the expression, and nothing between the two does; an
// expression that never fires ends in the year 2299. Start reading at Parse.
package cron
