package wire

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Tap records and breaks requests. The zero value is not ready: use New. Safe for concurrent use.
type Tap struct {
	mu       sync.Mutex
	requests []Request
	effects  []Effect
	faults   []*armed
	dead     map[string]bool
}

// New returns a Tap that lets everything pass.
func New() *Tap { return &Tap{dead: map[string]bool{}} }

// Inject arms a fault and returns how to disarm it. It panics on one that no network has: a connection that is refused
// after its request took effect.
func (t *Tap) Inject(f Fault) (remove func()) {
	if f.After && errors.Is(f.Err, Refused) {
		panic("wire: a connection that is refused brings no request: use Reset")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := &armed{Fault: f}
	t.faults = append(t.faults, a)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		for i, other := range t.faults {
			if other == a {
				t.faults = append(t.faults[:i:i], t.faults[i+1:]...)
				return
			}
		}
	}
}

// CrashAfterEffect kills the client when its n-th effect from now has happened: it never learns of it, and reaches
// nothing until Revive. The empty agent counts the effects of all clients and kills the one that made the n-th.
func (t *Tap) CrashAfterEffect(agent string, n int) (remove func()) {
	return t.Inject(Fault{Match: ByAgent(agent), Effective: true, After: true, Nth: n, Kill: true})
}

// CrashBeforeWrite kills the client when it sends its n-th write from now. The model never sees that write.
func (t *Tap) CrashBeforeWrite(agent string, n int) (remove func()) {
	return t.Inject(Fault{Match: Writes(agent), Nth: n, Kill: true})
}

// Revive lets killed clients through again, as a process that started afresh, and disarms all faults.
func (t *Tap) Revive() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dead, t.faults = map[string]bool{}, nil
}

// Dead says whether the client was killed.
func (t *Tap) Dead(agent string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dead[agent]
}

// Requests returns the record, oldest first.
func (t *Tap) Requests() []Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Request(nil), t.requests...)
}

// Count returns how many recorded requests the predicate picks.
func (t *Tap) Count(match func(Request) bool) int {
	n := 0
	for _, r := range t.Requests() {
		if match(r) {
			n++
		}
	}
	return n
}

// Effects returns the log of effects, oldest first.
func (t *Tap) Effects() []Effect {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Effect(nil), t.effects...)
}

// Forget empties the record and the log. Faults stay armed.
func (t *Tap) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests, t.effects = nil, nil
}

// Transport returns a client's way to the system, in memory. The agent, when not empty, replaces the User-Agent header.
func (t *Tap) Transport(s System, agent string) http.RoundTripper {
	return transport{tap: t, system: s, agent: agent}
}

// Handler returns the system behind the Tap for a real server. A broken request aborts the connection.
func (t *Tap) Handler(s System) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := t.pass(s, r)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		for key, values := range answer.Header() {
			w.Header()[key] = values
		}
		w.WriteHeader(answer.Code)
		if _, err := w.Write(answer.Body.Bytes()); err != nil {
			panic(http.ErrAbortHandler)
		}
	})
}

type transport struct {
	tap    *Tap
	system System
	agent  string
}

// RoundTrip serves the request in memory.
func (c transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	inner := r.Clone(r.Context())
	inner.RequestURI = r.URL.RequestURI()
	if inner.Host == "" {
		inner.Host = r.URL.Host
	}
	if c.agent != "" {
		inner.Header.Set("User-Agent", c.agent)
	}
	inner.Body = http.NoBody
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		inner.Body = io.NopCloser(bytes.NewReader(body))
	}
	answer, err := c.tap.pass(c.system, inner)
	if err != nil {
		return nil, err
	}
	response := answer.Result()
	response.Request = r
	return response, nil
}

// pass takes one HTTP request through Call.
func (t *Tap) pass(s System, r *http.Request) (*httptest.ResponseRecorder, error) {
	named := s.Classify(r)
	named.System, named.Agent, named.Method = s.Name, r.Header.Get("User-Agent"), r.Method
	answer := httptest.NewRecorder()
	r, notes := withNotes(r)
	refused, err := t.Call(named, func() (Answer, error) {
		fail := serve(s.Handler, answer, r)
		return Answer{answer.Code, notes()}, fail
	})
	if err != nil {
		return nil, err
	}
	if refused != 0 {
		answer = httptest.NewRecorder()
		s.Refuse(answer, refused)
	}
	return answer, nil
}

// Answer is what a model did with a request.
type Answer struct {
	// Status is the HTTP code.
	Status int
	// Effect says what changed; empty: nothing.
	Effect string
}

// Call takes one request through the faults before, the model, and the faults after. An error is a connection that
// broke; a number other than 0 is the HTTP code that the caller gets instead of the model's answer.
func (t *Tap) Call(named Request, model func() (Answer, error)) (refused int, err error) {
	index, dead := t.begin(&named)
	if dead {
		return 0, Refused
	}
	if refused, err, struck := t.strike(index, &named, false); struck {
		return refused, err
	}
	answer, fail := model()
	named.Effect = answer.Effect
	if fail != nil {
		named.Broken = true
		t.finish(index, named)
		return 0, fail
	}
	named.Status = answer.Status
	t.finish(index, named)
	refused, err, _ = t.strike(index, &named, true)
	return refused, err
}

// serve lets a model break the connection by aborting, as a real server would.
func serve(h http.Handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if value := recover(); value == http.ErrAbortHandler {
			err = Reset
		} else if value != nil {
			panic(value)
		}
	}()
	h.ServeHTTP(w, r)
	return nil
}

func (t *Tap) begin(r *Request) (index int, dead bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Seq, r.Broken = len(t.requests)+1, t.dead[r.Agent]
	t.requests = append(t.requests, *r)
	return len(t.requests) - 1, r.Broken
}

func (t *Tap) finish(index int, r Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if index < len(t.requests) && t.requests[index].Seq == r.Seq {
		t.requests[index] = r
	}
	if r.Effect != "" {
		t.effects = append(t.effects, Effect{len(t.effects) + 1, r.Seq, r.System, r.Agent, r.Effect})
	}
}

// strike looks for a fault on this side of the request. It returns what the caller gets instead of the answer, as Call
// does.
func (t *Tap) strike(index int, r *Request, after bool) (int, error, bool) {
	var breaking *armed
	for _, a := range t.hits(*r, after) {
		if a.Do != nil {
			a.Do()
		}
		if a.breaks() && breaking == nil {
			breaking = a
		}
	}
	if breaking == nil {
		return 0, nil, false
	}
	t.mu.Lock()
	r.Broken = true
	if index < len(t.requests) && t.requests[index].Seq == r.Seq {
		t.requests[index].Broken = true
	}
	if breaking.Kill {
		t.dead[r.Agent] = true
	}
	t.mu.Unlock()
	if err := breaking.failure(); err != nil {
		return 0, err, true
	}
	return breaking.Status, nil, true
}

func (t *Tap) hits(r Request, after bool) []*armed {
	t.mu.Lock()
	defer t.mu.Unlock()
	var struck []*armed
	for _, a := range t.faults {
		if a.hit(r, after) {
			struck = append(struck, a)
		}
	}
	return struck
}
