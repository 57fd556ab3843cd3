// Package option has the options of the operator and its autoscaler with their meanings: those of
// docs/reference/configuration.md.
//
// PURE: a table. It must not decide anything. hack/options writes table.go, together with that page.
//
// Start reading at With.
package option
