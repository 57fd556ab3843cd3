package wire

import (
	"context"
	"net"
	"os"
	"syscall"
)

// Fault is what a test wants to go wrong.
type Fault struct {
	// Match picks the requests it is about. Nil means every write.
	Match func(Request) bool
	// Effective narrows it to requests that changed something. Only together with After.
	Effective bool
	// Nth is which of the picked requests is hit, counted from 1 from the moment of Inject. 0 means each of them.
	Nth int
	// After lets the request take effect first. Without it the model never sees the request, unless only Do is set.
	After bool
	// Do runs before the request reaches the model (or, with After, after it did). No lock is held.
	Do func()
	// Status is the HTTP code to answer with.
	Status int
	// Err breaks the connection with this error. With neither Status, Err nor Kill only Do happens.
	Err error
	// Kill refuses this request and all further ones of the same agent until Revive.
	Kill bool
}

// Timeout is an Err: the client's deadline passes without an answer. No time goes by.
var Timeout error = context.DeadlineExceeded

// Refused is an Err: nobody listens, so that nothing arrived, and a fault After the effect has another. client-go does
// not wait and retry on it.
var Refused error = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}

// Reset is an Err: the connection breaks before the answer came. client-go waits a second and retries a GET on it.
var Reset error = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

// ByAgent picks all requests of one client. The empty agent picks every client's.
func ByAgent(agent string) func(Request) bool {
	return func(r Request) bool { return agent == "" || r.Agent == agent }
}

// Writes picks the writes of one client.
func Writes(agent string) func(Request) bool {
	return func(r Request) bool { return r.IsWrite() && ByAgent(agent)(r) }
}

// On picks the requests with this verb on this resource. An empty word picks all.
func On(verb, resource string) func(Request) bool {
	return func(r Request) bool {
		return (verb == "" || r.Verb == verb) && (resource == "" || r.Resource == resource)
	}
}

type armed struct {
	Fault
	hits int
}

// hit counts a request and says whether the fault strikes. Called with the Tap's lock.
func (a *armed) hit(r Request, after bool) bool {
	if a.After != after || (a.Effective && r.Effect == "") {
		return false
	}
	if a.Match == nil && !r.IsWrite() || a.Match != nil && !a.Match(r) {
		return false
	}
	a.hits++
	return a.Nth == 0 || a.hits == a.Nth
}

func (a *armed) breaks() bool { return a.Status != 0 || a.Err != nil || a.Kill }

func (a *armed) failure() error {
	switch {
	case a.Err != nil:
		return a.Err
	case a.Status != 0:
		return nil
	case a.After:
		return Reset
	}
	return Refused
}
