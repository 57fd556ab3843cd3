package chaos

import (
	"fmt"
	"strings"
	"testing"
)

// story tells a judge of what happened, a word for each fact: the ledger's lines at the second of their place, and
//
//	steady, steady+told, told   a look
//	stateless, stateful         what the spec says of the state
//	chosen:N                    a person chose a state with N or more
//	anew                        another resource
func story(t *testing.T, j *Judge, words string) {
	t.Helper()
	for i, word := range strings.Split(words, "; ") {
		what, rest, _ := strings.Cut(word, " ")
		switch what {
		case "steady":
			j.Look(true, false)
		case "told":
			j.Look(false, true)
		case "steady+told":
			j.Look(true, true)
		case "stateless", "stateful":
			j.GivesUp(what == "stateless")
		case "chosen":
			j.Chosen(500)
		case "anew":
			j.Anew()
		default:
			e, err := ParseEntry(fmt.Sprintf("1000000%02d000 %s %s", i, what, rest))
			if err != nil {
				t.Fatal(err)
			}
			j.Take(e)
		}
	}
}

func TestJudge(t *testing.T) {
	const kept = "began A j 0; kept A 1 900 100000002000; "
	rows := map[string]struct{ story, finds, reason string }{
		"nothing is lost":                {kept + "began B j 950; steady", "", "it has what was kept, and more"},
		"a start from nothing":           {kept + "began B j 0; steady", "900 were kept", "the first promise"},
		"a start from an older state":    {kept + "began B j 400; steady", "with 400", "less is less"},
		"told before it is steady":       {kept + "began B j 0; told; steady", "", "a person knows"},
		"told while it is called steady": {kept + "began B j 0; steady+told", "", "a person knows"},
		"not steady yet":                 {kept + "began B j 0", "", "it may still be told"},
		"begun with less, and fixed": {
			kept + "began B j 0; began C j 900; steady", "", "nobody called the first one steady",
		},
		"a loss is a loss": {
			kept + "began B j 0; kept B 2 30 100000004000; began C j 30; steady", "900 were kept",
			"a second start does not heal the first",
		},
		"the state was given up": {"stateless; " + kept + "began B j 0; steady", "", "the spec says so"},
		"given up, and later kept again": {
			"stateless; " + kept + "stateful; began B j 0; steady", "900 were kept", "what was kept meanwhile counts",
		},
		"a person chose an older one": {kept + "chosen; began B j 600; steady", "", "it is what was asked for"},
		"a person chose, and got less": {
			kept + "chosen; began B j 100; steady", "900 were kept", "it is not what was asked for",
		},
		"chosen and begun long ago": {
			kept + "chosen; began B j 900; steady; began C j 600; steady", "with 600", "a choice is for one start",
		},
		"another resource": {
			kept + "anew; began B j 0; steady", "", "a new resource of an old name is a new one",
		},
		"two at once": {
			"began A j 0; began B j 0; kept A 1 9 100000005000", "two jobs at once", "its JobManager lives",
		},
		"told late": {
			"began A j 0; began B j 0; kept A 1 9 100000000500", "", "it was taken before the other one began",
		},
		"a number out of its turn": {
			"began A j 0; wrong A 70 0", "not of the same moment", "state and position belong together",
		},
		"what an older run kept in a loss": {
			kept + "began B j 900; kept B 2 1000 100000004000; began C j 1000; steady", "", "what is kept grows",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			j := &Judge{}
			story(t, j, row.story)
			found := strings.Join(j.Findings(), "; ")
			if (row.finds == "") != (found == "") || !strings.Contains(found, row.finds) {
				t.Errorf("found %q, want %q: %s", found, row.finds, row.reason)
			}
		})
	}
}

func TestJudgeCounts(t *testing.T) {
	j := &Judge{}
	story(t, j, "began A j 0; kept A 1 900 100000001000; began B j 0; told; anew; began C j 0")
	if j.Starts != 3 || j.Told != 1 {
		t.Errorf("%d starts, %d told, want 3 and 1", j.Starts, j.Told)
	}
}

func TestLedgerLinesThatCannotBeRead(t *testing.T) {
	for _, line := range []string{"", "1 began", "x began A j 0", "1 ended A", "1 kept A 1 2"} {
		if e, err := ParseEntry(line); err == nil {
			t.Errorf("%q was read as %+v", line, e)
		}
	}
}

func TestScripts(t *testing.T) {
	for n := uint64(1); n < 200; n++ {
		script := Draw(7, n, n%2 == 1, n%3 == 1, n%3 == 2)
		again, err := Parse("# a comment\n\n" + Text(script))
		if err != nil || Text(again) != Text(script) {
			t.Fatalf("run %d is read back as\n%s%v, want\n%s", n, Text(again), err, Text(script))
		}
		r := NewResource(Place{Volume: "/data", Data: "/data/it", Ledger: "/data/ledger"})
		for _, c := range script {
			if edit := Edits[c.Verb]; edit != nil {
				edit(r, c.N)
				r.Legal()
			}
		}
	}
	for _, line := range []string{"jump 1", "wait", "wait x", "wait -1"} {
		if script, err := Parse(line); err == nil {
			t.Errorf("%q was read as %v", line, script)
		}
	}
	for verb := range often {
		if Edits[verb] == nil && Disturbances[verb] == "" {
			t.Errorf("%s is drawn, and nobody knows it", verb)
		}
	}
}
