// Package advice has what each reason of a condition or event means, and what to do about it: the texts of
// docs/reference/reasons.md.
//
// PURE: a table. It must not decide anything. hack/reasons writes table.go, together with that page.
//
// Start reading at Of.
package advice
