package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// subject has one place for each kind of change, and a test that notices all but one.
const subject = `package subject

import "strings"

const day = 24 * 60

type table map[string]int

func sum(list []int, most int) (total int) {
	for i, n := range list {
		if n < 0 || i >= most && most != 0 {
			continue
		}
		if n == 99 {
			break
		}
		total += n*2 - 1
	}
	return total
}

func text(parts ...string) (t string) {
	for i := 0; i < len(parts); i++ {
		if i > 0 {
			t += ", "
		}
		t += "<" + parts[i] + ">"
	}
	return strings.TrimSpace(t)
}

func (t table) count(names ...string) table {
	for _, n := range names {
		t[n]++
	}
	return t
}

func least(a, b *int) *int {
	if *a <= *b {
		return a
	}
	return &*b
}

func negative(n int) int { return -n }
`

const subjectTest = `package subject

import "testing"

func TestAll(t *testing.T) {
	for want, got := range map[int]int{
		4: sum([]int{1, -7, 2, 99, 5}, 5), 1: sum([]int{1, 2}, 1), 9: sum([]int{1, 2, 3, -1}, 0), -3: negative(3),
	} {
		if got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	if got := text("a", "b"); got != "<a>, <b>" {
		t.Error(got)
	}
	a, b := 1, 2
	if *least(&a, &b) != 1 || *least(&b, &a) != 1 || day != 1440 || (table{}).count("x")["x"] != 1 {
		t.Error("wrong")
	}
}
`

// A mutant that is switched on does what the changed source would: the change is found by what the printer leaves, and
// one that cannot be switched is left to the compiler.
func TestMutants(t *testing.T) {
	t.Run("all tests", func(t *testing.T) { testMutants(t, time.Hour) })
	t.Run("tests that come to it", func(t *testing.T) { testMutants(t, 0) })
}

func testMutants(t *testing.T, cheap time.Duration) {
	folder, work := t.TempDir(), t.TempDir()
	t.Chdir(folder)
	write := func(folder, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(folder, "go.mod", "module subject\n\ngo 1.25.0\n")
	write(folder, "subject.go", subject)
	write(folder, "subject_test.go", subjectTest)
	if err := prepare(work, ".", "", cheap); err != nil {
		t.Fatal(err)
	}
	write(folder, "subject.go", "package subject // somebody goes on working\n")
	const killed, lives, never = 1, 0, 2
	for _, row := range []struct {
		was, is string
		want    int
		reason  string
	}{
		{"n < 0 ||", "n >= 0 ||", killed, "a condition"},
		{"n < 0 ||", "n <= 0 ||", lives, "its bound: no test has a 0"},
		{"n < 0 || i >= most && most", "(n < 0 && i >= most) && most", killed, "or, printed with parentheses"},
		{"i >= most && most != 0", "(i >= most || most != 0)", killed, "and"},
		{"i >= most &&", "i > most &&", killed, "a bound"},
		{"most != 0", "most == 0", killed, "an equality"},
		{"\t\t\tcontinue", "\t\t\tbreak", killed, "continue"},
		{"\t\t\tbreak", "\t\t\tcontinue", killed, "break"},
		{"total +=", "total -=", killed, "an assignment"},
		{"total +=", "total =", killed, "an assignment that forgets"},
		{"n*2 - 1", "n/2 - 1", killed, "a product"},
		{"n*2 - 1", "n*2 + 1", killed, "a difference"},
		{"i++ {", "i-- {", killed, "a step"},
		{"i > 0 {", "i >= 0 {", killed, "a bound"},
		{`t += ", "`, `t = ", "`, killed, "a text that forgets"},
		{`t += ", "`, `t -= ", "`, never, "texts have no difference"},
		{`"<" + parts`, `"<" - parts`, never, "texts have no difference"},
		{"*a <= *b", "*a > *b", killed, "a comparison of what pointers point to"},
		{"return &*b", "return |*b", never, "no such operator"},
		{"return -n", "return +n", killed, "a sign"},
		{"24 * 60", "24 / 60", compile, "a constant stays one"},
		{"t[n]++", "t[n]--", compile, "no pointer to an entry of a map"},
		{"sum", "sum", compile, "nothing changed"},
	} {
		mutated := t.TempDir()
		if strings.Count(subject, row.was) < 1 {
			t.Fatalf("%q is not there", row.was)
		}
		write(mutated, "subject.go", strings.Replace(subject, row.was, row.is, 1))
		write(mutated, "subject_test.go", subjectTest)
		got, err := test(work, mutated, time.Minute)
		if got != row.want || (err != nil) != (row.want == compile) {
			t.Errorf("%s: %q for %q: %d, %v, want %d", row.reason, row.is, row.was, got, err, row.want)
		}
	}
}
