package apply

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// Every action has an executor. An action is a type that prints itself in pkg/plan/action*.go.
func TestEveryActionHasAnExecutor(t *testing.T) {
	known := map[string]bool{}
	for of := range executors {
		known[of.Name()] = true
	}
	files, err := filepath.Glob("../plan/action*.go")
	if err != nil {
		t.Fatal(err)
	}
	actions := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv != nil && f.Name.Name == "String" {
				actions++
				if of := f.Recv.List[0].Type.(*ast.Ident).Name; !known[of] {
					t.Errorf("action %s has no executor", of)
				}
			}
		}
	}
	if actions != len(known) {
		t.Errorf("%d actions, %d executors", actions, len(known))
	}
}
