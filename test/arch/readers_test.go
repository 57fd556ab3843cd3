package arch

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// readers are the packages of the engine that decide or answer: they read what a decision works on, world.Look, and
// change nothing of it.
var readers = []string{"pkg/engine/facts", "pkg/engine/report", "pkg/engine/decide", "pkg/engine/ask"}

// memos are fields of world.Look that only remember an answer, so that a reader may write them.
var memos = []string{"Objected", "Autoscaler"}

// reads checks that a file of a reader neither assigns to what its parameters of type *world.Look lead to, nor takes an
// address of the status in order to, nor publishes an event.
func reads(s *source) []finding {
	if !slices.Contains(readers, s.dir()) || s.test {
		return nil
	}
	var found []finding
	add := func(f *ast.FuncDecl, what string) {
		found = append(found, finding{"readers", s.path + ":" + f.Name.Name, what})
	}
	for _, d := range s.ast.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is || f.Body == nil {
			continue
		}
		looks := lookParameters(f)
		ast.Inspect(f.Body, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if name, field := rootOf(left); n.Tok != token.DEFINE && looks[name] && !slices.Contains(memos, field) {
						add(f, "changes "+field+" of what it reads")
					}
				}
			case *ast.IncDecStmt:
				if name, field := rootOf(n.X); looks[name] {
					add(f, "changes "+field+" of what it reads")
				}
			case *ast.UnaryExpr:
				if name, field := rootOf(n.X); n.Op == token.AND && looks[name] && field == "Want" {
					add(f, "takes the address of the status that it reads")
				}
			case *ast.CallExpr:
				if call, is := n.Fun.(*ast.SelectorExpr); is && call.Sel.Name == "Tell" {
					if name, _ := rootOf(call); looks[name] {
						add(f, "publishes an event")
					}
				}
			}
			return true
		})
	}
	return found
}

// lookParameters are the names of a function's parameters of type *world.Look.
func lookParameters(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	for _, p := range f.Type.Params.List {
		star, is := p.Type.(*ast.StarExpr)
		if !is {
			continue
		}
		if kind, is := star.X.(*ast.SelectorExpr); is && kind.Sel.Name == "Look" {
			for _, name := range p.Names {
				names[name.Name] = true
			}
		}
	}
	return names
}

// rootOf is the variable that an expression begins with, and its first field.
func rootOf(e ast.Expr) (name, field string) {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			field, e = x.Sel.Name, x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			if field == "" {
				return "", ""
			}
			return x.Name, field
		default:
			return "", ""
		}
	}
}

func TestReadersOfTheEngineChangeNothing(t *testing.T) { report(t, each(t, reads), "readers") }

func TestReadersBite(t *testing.T) {
	rows := map[string]struct {
		path, body string
		bad        bool
	}{
		"a status":          {"pkg/engine/decide/a.go", "v.Want.Error = \"\"", true},
		"a part of it":      {"pkg/engine/facts/a.go", "v.Want.JobStatus.Jobs[0].ID = \"\"", true},
		"a count":           {"pkg/engine/decide/a.go", "v.Generation++", true},
		"by its address":    {"pkg/engine/facts/a.go", "status := &v.Want.JobStatus; _ = status", true},
		"an event":          {"pkg/engine/report/a.go", "v.Tell(1)", true},
		"a memo":            {"pkg/engine/facts/a.go", "v.Objected = true", false},
		"its own variable":  {"pkg/engine/decide/a.go", "x := v.Want; x.Error = \"\"", false},
		"a spec by address": {"pkg/engine/decide/a.go", "f(&v.Spec)", false},
		"elsewhere":         {"pkg/engine/record/a.go", "v.Want.Error = \"\"", false},
		"another variable":  {"pkg/engine/decide/a.go", "w.Want.Error = \"\"", false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := mustParse(t, row.path, "package a\nfunc F(v *world.Look) { "+row.body+" }\n")
			if got := reads(s); (len(got) > 0) != row.bad {
				t.Errorf("%v, want bad=%t", got, row.bad)
			}
		})
	}
}
