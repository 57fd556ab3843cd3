// Package push says when a function pushes what it has measured and noted: before the answer of the last request in
// flight, because a pod may get no CPU after it, and every now and then where there always is one (ADR 0050).
//
// Leaf, no I/O of its own. It sends nothing itself. Start reading at Gate.
package push
