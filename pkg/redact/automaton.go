package redact

// mostPrefix is how many bytes of a value the automaton knows. What a text has in common with a value beyond them is
// compared where they were found. It bounds the automaton: mostKnown values of 64 bytes are 16,384 states.
const mostPrefix = 64

// automaton finds many values in one reading of a text (Aho and Corasick, 1975). The zero value finds none.
type automaton struct {
	// next are the transitions, by state and byte; 0 is the beginning.
	next map[edge]int32
	// states have what is known at each.
	states []state
}

// edge is a step from a state by one byte.
type edge struct {
	from int32
	by   byte
}

// state is what a reading knows that has come here: the longest end of what was read that begins a value.
type state struct {
	// depth is how many bytes that is.
	depth int
	// fail is the state of the next shorter one; the beginning's is itself.
	fail int32
	// ends are the values whose first mostPrefix bytes, or all of fewer, these are.
	ends []string
	// found is the nearest state on the way of fail, from this one on, that has ends; 0: none.
	found int32
	// longest is the length of the longest value that begins so.
	longest int
}

// newAutomaton knows these values.
func newAutomaton(values []string) automaton {
	a := automaton{next: map[edge]int32{}, states: []state{{}}}
	for _, value := range values {
		at := int32(0)
		for i := 0; i < min(len(value), mostPrefix); i++ {
			to, known := a.next[edge{at, value[i]}]
			if !known {
				to = int32(len(a.states))
				a.next[edge{at, value[i]}] = to
				a.states = append(a.states, state{depth: i + 1})
			}
			at = to
			a.states[at].longest = max(a.states[at].longest, len(value))
		}
		a.states[at].ends = append(a.states[at].ends, value)
	}
	a.link()
	return a
}

// link sets fail and found, the shallow states first.
func (a *automaton) link() {
	from := map[int32]edge{}
	for e, to := range a.next {
		from[to] = e
	}
	byDepth := make([][]int32, mostPrefix+1)
	for i := 1; i < len(a.states); i++ {
		byDepth[a.states[i].depth] = append(byDepth[a.states[i].depth], int32(i))
	}
	for _, level := range byDepth {
		for _, at := range level {
			s, e := &a.states[at], from[at]
			if e.from != 0 {
				s.fail = a.step(a.states[e.from].fail, e.by)
			}
			if s.found = a.states[s.fail].found; len(s.ends) > 0 {
				s.found = at
			}
		}
	}
}

// step is the state after one byte more.
func (a *automaton) step(at int32, by byte) int32 {
	for {
		if to, ok := a.next[edge{at, by}]; ok {
			return to
		}
		if at == 0 {
			return 0
		}
		at = a.states[at].fail
	}
}

// common is how many bytes two texts have in common at their beginning.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
