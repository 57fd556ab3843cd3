// Command console serves the pages of package console to a team, as a Knative Service that sleeps at zero pods until a
// browser asks.
//
// I/O, wiring only. It has no account: each request brings the token of its user in the header Authorization, as an
// authenticating proxy sets it, and the API server is asked with exactly that token. What the token may not do, the
// console does not do. Start reading at newHandler.
package main
