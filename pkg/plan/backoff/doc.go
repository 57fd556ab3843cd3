// Package backoff is how long to pause before something that failed is tried again.
//
// PURE: see package plan. Start reading at After.
package backoff
