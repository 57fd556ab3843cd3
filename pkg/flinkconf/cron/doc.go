// Package cron reads Quartz cron expressions, and computes when they fire.
//
// PURE: no clock. Next works in UTC, the default of the Java operator's image, Matches on the clocks of its argument.
// Invariants: Next is later than its argument, matches the expression, and nothing between the two does; an
// expression that never fires ends in the year 2299. Start reading at Parse.
//
// The library github.com/reugn/go-quartz, v0.15.2, reads some schedules otherwise than Quartz for Java, for which users
// wrote them. It refuses ranges that wrap round and a step of 0, and it fires where Quartz never does:
//
//	text                Quartz for Java    go-quartz
//	0 0 22-2 * * ?      22:00 to 02:00     an error
//	0 0 0 ? * FRI-MON   FRI SAT SUN MON    an error
//	0 5/0 * * * ?       minute 5           an error
//	0 0 0 ? * L         each Saturday      the last Saturday of a month
//	0 0 0 30 2 ?        never              2 March
//	0 0 0 31W 4 ?       never              30 April
//	0 0 12 * * *        an error           every noon
package cron
