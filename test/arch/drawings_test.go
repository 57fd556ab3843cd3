package arch

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ruleTables are the tables of rules of a file: by the comment that draws them, and by the code.
func ruleTables(s *source) (drawn, coded []string) {
	for _, d := range s.ast.Decls {
		decl, is := d.(*ast.GenDecl)
		if !is || decl.Doc == nil || len(decl.Specs) != 1 {
			continue
		}
		spec, is := decl.Specs[0].(*ast.ValueSpec)
		if !is || spec.Names[0].Name != "rules" || len(spec.Values) != 1 {
			continue
		}
		for _, line := range decl.Doc.List {
			if row, is := strings.CutPrefix(line.Text, "//\t"); is && !strings.HasPrefix(row, " ") {
				drawn = append(drawn, strings.Fields(row)[0])
			}
		}
		for _, element := range spec.Values[0].(*ast.CompositeLit).Elts {
			rule, is := element.(*ast.CompositeLit)
			if !is {
				continue
			}
			name, err := strconv.Unquote(rule.Elts[0].(*ast.BasicLit).Value)
			if err == nil {
				coded = append(coded, name)
			}
		}
	}
	return drawn, coded
}

// The rules of a kind are drawn above their table, in their order: whoever reads the drawing reads what is done.
func TestRulesAreDrawn(t *testing.T) {
	tables := 0
	report(t, each(t, func(s *source) []finding {
		drawn, coded := ruleTables(s)
		if len(coded) > 0 {
			tables++
		}
		if slices.Equal(drawn, coded) {
			return nil
		}
		return []finding{{
			"drawing", s.path, "draws the rules " + strings.Join(drawn, " ") + " and has " + strings.Join(coded, " "),
		}}
	}), "drawing")
	if tables < 3 {
		t.Errorf("%d tables of rules were found: they are named differently now", tables)
	}
}

func TestRulesAreDrawnBites(t *testing.T) {
	const head = "package a\n\n// rules in their order.\n//\n//\tone   first\n//\ttwo   second,\n//\t      and more\n"
	rows := map[string]struct {
		text string
		bad  bool
	}{
		"as drawn":       {`var rules = []rule{{"one", one}, {"two", two}}`, false},
		"another order":  {`var rules = []rule{{"two", two}, {"one", one}}`, true},
		"one not drawn":  {`var rules = []rule{{"one", one}, {"two", two}, {"three", three}}`, true},
		"one only drawn": {`var rules = []rule{{"one", one}}`, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			drawn, coded := ruleTables(mustParse(t, "pkg/plan/a/make.go", head+row.text+"\n"))
			if slices.Equal(drawn, coded) == row.bad {
				t.Errorf("drawn %q, coded %q, want bad=%t", drawn, coded, row.bad)
			}
		})
	}
}
