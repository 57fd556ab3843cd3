package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// kindTables are the files that have a row for each kind, or for each kind that runs: the one table of kinds, and what
// passes, sweeps, admission and the readers of savepoints do for a kind. docs/internals/where-to-change.md names them.
var kindTables = []string{
	"pkg/admission/judge.go", "pkg/gather/readers.go", "pkg/kinds/kinds.go", "pkg/pass/kinds.go", "pkg/sweep/kinds.go",
}

// listsKinds finds a shipped file beside the tables that names three kinds or more: a new kind would be missing there.
func listsKinds(s *source) []finding {
	if s.test || strings.HasPrefix(s.path, "test/") || slices.Contains(kindTables, s.path) {
		return nil
	}
	named := map[string]bool{}
	s.uses(func(path, name string, _ ast.Node) {
		if strings.HasSuffix(path, "pkg/apis/flink/v1beta1") && strings.HasPrefix(name, "KindFlink") {
			named[name] = true
		}
	})
	if len(named) < 3 {
		return nil
	}
	return []finding{{"kinds", s.path, "lists the kinds: range over pkg/kinds, or add a column there"}}
}

func TestKindsAreListedInOneTable(t *testing.T) {
	report(t, each(t, listsKinds), "kinds")
	_, section, _ := strings.Cut(read(t, "docs", "internals", "where-to-change.md"), "\n## A kind\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, table := range kindTables {
		if !strings.Contains(section, "`"+table+"`") {
			t.Errorf("docs/internals/where-to-change.md does not name %s for a new kind", table)
		}
	}
}

func TestListsOfKindsBite(t *testing.T) {
	text := "package x\n\nimport \"" + module + "pkg/apis/flink/v1beta1\"\n\nvar all = []string{\n\t" +
		"v1beta1.KindFlinkDeployment, v1beta1.KindFlinkSessionJob, v1beta1.KindFlinkStateSnapshot,\n}\n"
	rows := map[string]struct {
		path, text string
		bad        bool
		reason     string
	}{
		"three kinds":   {"pkg/apply/a.go", text, true, "a fourth would be missing"},
		"two kinds":     {"pkg/apply/a.go", strings.Replace(text, ", v1beta1.KindFlinkStateSnapshot", "", 1), false, "hosts"},
		"the table":     {"pkg/kinds/kinds.go", text, false, "that is its place"},
		"a test":        {"pkg/apply/a_test.go", text, false, "a test says what it expects"},
		"a test's tool": {"test/life/a.go", text, false, "a model is made without the product"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := listsKinds(mustParse(t, row.path, row.text)); (len(got) > 0) != row.bad {
				t.Errorf("%v, want bad=%v: %s", got, row.bad, row.reason)
			}
		})
	}
}
