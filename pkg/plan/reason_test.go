package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"testing"
)

// The catalogue is what people and listeners read: each reason is there once, is one CamelCase word, and its name in
// the code is that word.
func TestReasons(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "reason.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	seen := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		if name := spec.Names[0].Name; name != "Reason"+value || !word.MatchString(value) || seen[value] {
			t.Errorf("%s is %q", name, value)
		}
		seen[value] = true
		return true
	})
	if len(seen) == 0 {
		t.Error("the catalogue is empty")
	}
}
