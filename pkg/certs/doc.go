// Package certs makes, stores and renews the certificate under which the API server reaches the admission webhook, so
// that an installation needs neither cert-manager nor a person with a calendar.
//
// I/O: it reads and writes two Secrets, and the caBundle and the path of webhook configurations, and touches nothing
// else.
//
// # How it works
//
// Each certificate is signed by an authority of its own, made for it alone, whose private key is forgotten as soon as
// it has signed. No key that could sign another certificate is ever stored, and the renewal of the authority is not a
// rare event with a path of its own: every renewal is one.
//
//	read the Secret ──► good? ──yes──► trust its authority ──► done
//	                     │ no
//	                     ▼
//	               make a new pair ──► trust the new authority ──► store the pair in the Secret ──► call the new path
//
// With each certificate comes a path that cannot be guessed (Paths): the gateway that the API server goes through is
// reached by others, too, and admit answers only callers that know the path. The path stands in the Secret and in the
// webhook configurations, and nowhere else.
//
// The same run makes and renews the key by which the functions sign the events that they send each other
// (eventkey.go).
//
// # Invariants
//
//   - Trust, then serve: an authority is in the caBundle of every configuration before its certificate is stored, so
//     the API server never meets a certificate that it does not know, whatever line a renewal dies at.
//   - Open, then call: a path is in the Secret before a configuration calls it, and the one before stays open until no
//     configuration calls it.
//   - The bundle grows by union and shrinks by expiry only. Two renewals at the same moment therefore cannot take away
//     each other's authority; one of them loses the write of the Secret, starts over, and finds the other's good pair.
//   - Every write carries the resourceVersion that was read. Nothing here locks, waits or sleeps.
//   - A pair that is not good for any reason (missing, unreadable, foreign, for other names, soon to expire) is
//     replaced.
//   - The names in the certificate are the names of the Services that the webhook configurations call. An overlay that
//     moves the gateway changes only the configurations.
//
// Start reading at Renewer.Renew.
package certs
