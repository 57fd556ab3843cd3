// Package gather looks at the world and answers a snapshot.
//
// I/O, reads only: it never writes, emits or decides. Which parts it looks at is what the decision asks for
// (deployment.Inquiry), so that a look costs few requests. What is not there becomes Absent, what could not be looked
// at becomes Unknown with the reason, and the look goes on: only the resource itself must be readable. Requests that do
// not depend on each other are sent at the same time. Start reading at Deployment.
package gather
