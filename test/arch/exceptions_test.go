package arch

import (
	"strings"
	"testing"
)

// exception lets one place break one rule.
type exception struct {
	// rule is the name of the rule.
	rule string
	// where is how the finding's place begins: a folder, a file, or a file and what follows it.
	where string
	// reason says why, in one sentence.
	reason string
}

// exceptions are all there are.
var exceptions = []exception{
	{"sleep", "test/flinksim/record/", "It records a real Flink cluster that moves on its own time, and is run by hand."},
	{"panic", "pkg/engine/enginetest/sessionjob.go", "It makes what tests begin with, and has no test to fail."},
}

// finding is one broken rule.
type finding struct {
	rule  string
	where string
	what  string
}

// report fails the test for every finding of the named rules that no exception covers, and for exceptions that cover
// none.
func report(t *testing.T, findings []finding, rules ...string) {
	t.Helper()
	used := map[int]bool{}
	for _, f := range findings {
		if i := covered(f); i >= 0 {
			used[i] = true
			continue
		}
		t.Errorf("%s: %s (rule %s)", f.where, f.what, f.rule)
	}
	for i, e := range exceptions {
		for _, rule := range rules {
			if e.rule == rule && !used[i] {
				t.Errorf("exception {%s %s} covers nothing: take it out", e.rule, e.where)
			}
		}
	}
}

func covered(f finding) int {
	for i, e := range exceptions {
		if e.rule == f.rule && strings.HasPrefix(f.where, e.where) {
			return i
		}
	}
	return -1
}

func TestExceptionsHaveReasons(t *testing.T) {
	for _, e := range exceptions {
		if len(strings.Fields(e.reason)) < 5 || !strings.HasSuffix(e.reason, ".") {
			t.Errorf("exception {%s %s}: %q is no sentence", e.rule, e.where, e.reason)
		}
	}
}
