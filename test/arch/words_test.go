package arch

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// emptyNames say nothing about what a folder, package or file holds.
var emptyNames = regexp.MustCompile(`^(utils?|common|helpers?|managers?|base|impl|misc|types|lib)$`)

// openEnds are the words of work that was put off.
var openEnds = regexp.MustCompile(`\b(` + "TO" + `DO|FIX` + `ME|XX` + `X)\b`)

// names checks folder, package and file names. A file of API types may be called types.go.
func names(s *source) []finding {
	var found []finding
	file := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
	for _, name := range []string{path.Base(s.dir()), s.ast.Name.Name, file} {
		if emptyNames.MatchString(name) && !(name == "types" && name == file) {
			found = append(found, finding{"name", s.path, "name " + name + " says nothing: name it after what it holds"})
		}
	}
	return found
}

// words checks for open ends in comments, sleeping, skipping and panicking.
func words(s *source) []finding {
	var found []finding
	for _, group := range s.ast.Comments {
		if word := openEnds.FindString(group.Text()); word != "" {
			found = append(found, finding{"open", s.at(group), "says " + word + ": what is not done fails loudly"})
		}
	}
	s.uses(func(path, name string, node ast.Node) {
		if path == "time" && name == "Sleep" {
			found = append(found, finding{"sleep", s.at(node), "must not sleep"})
		}
	})
	shipped := !s.test && (strings.HasPrefix(s.path, "pkg/") || strings.HasPrefix(s.path, "functions/") ||
		strings.HasPrefix(s.path, "cmd/"))
	ast.Inspect(s.ast, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			if strings.HasPrefix(f.Sel.Name, "Skip") && isTester(f.X) {
				found = append(found, finding{"skip", s.at(node), "must not skip a test"})
			}
		case *ast.Ident:
			if f.Name == "panic" && shipped {
				found = append(found, finding{"panic", s.at(node), "must not panic: return a fail.Bugf"})
			}
		}
		return true
	})
	return found
}

func isTester(x ast.Expr) bool {
	ident, ok := x.(*ast.Ident)
	return ok && slices.Contains([]string{"t", "b", "f", "tb"}, ident.Name)
}

// docFile checks a folder's doc.go.
func docFile(f *folder) []finding {
	text := packageComment(f)
	switch {
	case text == "":
		return []finding{{"doc", f.path + ":", "has no doc.go with a package comment"}}
	case !strings.Contains(text, "PURE") && !strings.Contains(text, "I/O"):
		return []finding{{"doc", f.path + ":", "doc.go says neither PURE nor I/O"}}
	}
	return nil
}

// standard are methods whose meaning the interface that they are for gives.
var standard = []string{
	"String", "Error", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "ServeHTTP", "RoundTrip", "Read", "Write",
	"Close",
	"Len", "Less", "Swap", "GetObjectKind", "DeepCopyObject", "Check",
}

// comments checks that every exported name and struct field has one. Lines without a blank between them share the
// comment above the first.
func comments(s *source) []finding {
	if s.test || s.generated {
		return nil
	}
	var found []finding
	last, documented := 0, false
	for _, declaration := range s.ast.Decls {
		adjacent := documented && s.fset.Position(declaration.Pos()).Line == last+1
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			documented = d.Doc != nil || adjacent
			if !documented && d.Name.IsExported() && exportedReceiver(d) && !(d.Recv != nil &&
				slices.Contains(standard, d.Name.Name)) {
				found = append(found, finding{"comment", s.at(d), d.Name.Name + " has no comment"})
			}
		case *ast.GenDecl:
			documented = d.Doc != nil || adjacent
			found = append(found, declared(s, d, documented)...)
		}
		last = s.fset.Position(declaration.End()).Line
	}
	return found
}

func declared(s *source, d *ast.GenDecl, documented bool) []finding {
	var found []finding
	for _, spec := range d.Specs {
		switch one := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range one.Names {
				if name.IsExported() && !documented && one.Doc == nil && one.Comment == nil {
					found = append(found, finding{"comment", s.at(one), name.Name + " has no comment"})
				}
			}
		case *ast.TypeSpec:
			if !one.Name.IsExported() {
				continue
			}
			if one.Doc == nil && one.Comment == nil && (d.Doc == nil || d.Lparen != token.NoPos) {
				found = append(found, finding{"comment", s.at(one), one.Name.Name + " has no comment"})
			}
			found = append(found, fields(s, one)...)
		}
	}
	return found
}

func fields(s *source, spec *ast.TypeSpec) []finding {
	kind, ok := spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	var found []finding
	for _, field := range kind.Fields.List {
		for _, name := range field.Names {
			if name.IsExported() && field.Doc == nil && field.Comment == nil {
				found = append(found, finding{"comment", s.at(field), spec.Name.Name + "." + name.Name + " has no comment"})
			}
		}
	}
	return found
}

// exportedReceiver is false for methods of unexported types: nobody outside reads their documentation.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	kind := d.Recv.List[0].Type
	for {
		switch k := kind.(type) {
		case *ast.StarExpr:
			kind = k.X
		case *ast.IndexExpr:
			kind = k.X
		case *ast.IndexListExpr:
			kind = k.X
		case *ast.Ident:
			return k.IsExported()
		default:
			return true
		}
	}
}

func TestNames(t *testing.T) { report(t, each(t, names), "name") }

func TestWords(t *testing.T) { report(t, each(t, words), "open", "sleep", "skip", "panic") }

func TestComments(t *testing.T) { report(t, each(t, comments), "comment") }

func TestDocFiles(t *testing.T) {
	var found []finding
	for _, f := range tree(t) {
		found = append(found, docFile(f)...)
	}
	report(t, found, "doc")
}
