// Package bounded counts what a text becomes in memory before it becomes it.
//
// I/O only as far as a Stream reads from what it is given; JSON and the ceilings in limits.go read nothing. Bytes alone
// bound nothing: a text of 190 KB can name 390 MB of flattened keys, one of 4 MB a million structs, one of 3 KB,
// packed, twenty million characters. A count takes time in the length of the text and memory in its depth, and stops at
// the first ceiling. It judges no syntax: for a text that is no JSON it counts at least what any decoder makes of it
// before that fails.
//
// The ceilings that more than one package shares stand in limits.go. Start reading at JSON.
package bounded
