package arch

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

// methodLimit is how many methods a type of the plan may have, so that a reader can hold one type in the head. What
// would have more is several ideas: each gets a type of its own, as the topics of pkg/plan/job are.
const methodLimit = 25

// methodCounts are the methods of each type that a folder declares outside its tests. What a type gets by embedding is
// another type's.
func methodCounts(f *folder) map[string]int {
	counts := map[string]int{}
	for _, s := range f.files {
		if s.test || s.generated {
			continue
		}
		ast.Inspect(s.ast, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil && len(n.Recv.List) == 1 {
					counts[receiverName(n.Recv.List[0].Type)]++
				}
			case *ast.TypeSpec:
				if face, is := n.Type.(*ast.InterfaceType); is {
					for _, method := range face.Methods.List {
						counts[n.Name.Name] += len(method.Names)
					}
				}
			}
			return true
		})
	}
	return counts
}

// receiverName is the type that a method is declared on.
func receiverName(kind ast.Expr) string {
	switch k := kind.(type) {
	case *ast.StarExpr:
		return receiverName(k.X)
	case *ast.IndexExpr:
		return receiverName(k.X)
	case *ast.IndexListExpr:
		return receiverName(k.X)
	case *ast.Ident:
		return k.Name
	}
	return ""
}

// fewMethods checks the types of one folder of the plan.
func fewMethods(f *folder) []finding {
	var found []finding
	if f.path != "pkg/plan" && !strings.HasPrefix(f.path, "pkg/plan/") {
		return nil
	}
	for name, n := range methodCounts(f) {
		if n > methodLimit {
			found = append(found, finding{
				"methods", f.path + ":" + name, fmt.Sprintf("has %d methods, the limit is %d", n, methodLimit),
			})
		}
	}
	return found
}

func TestTypesOfThePlanHaveFewMethods(t *testing.T) {
	var found []finding
	types := 0
	for _, f := range tree(t) {
		found = append(found, fewMethods(f)...)
		if f.path == "pkg/plan/job" {
			types = len(methodCounts(f))
		}
	}
	report(t, found, "methods")
	if types < 20 {
		t.Errorf("%d types with methods were found in pkg/plan/job: they are not counted any more", types)
	}
}

func TestFewMethodsBites(t *testing.T) {
	declared := func(receiver string, n int) string {
		text := "package a\n"
		for i := range n {
			text += fmt.Sprintf("func (v %s) m%d() {}\n", receiver, i)
		}
		return text
	}
	asked := func(n int) string {
		text := "package a\ntype A interface {\n"
		for i := range n {
			text += fmt.Sprintf("m%d()\n", i)
		}
		return text + "}\n"
	}
	rows := map[string]struct {
		path, text string
		bad        bool
	}{
		"at the limit":       {"pkg/plan/a/a.go", declared("A", methodLimit), false},
		"above":              {"pkg/plan/a/a.go", declared("A", methodLimit+1), true},
		"above, by pointer":  {"pkg/plan/a/a.go", declared("*A", methodLimit+1), true},
		"above, generic":     {"pkg/plan/a/a.go", declared("*A[T]", methodLimit+1), true},
		"above, in the room": {"pkg/plan/a.go", declared("A", methodLimit+1), true},
		"above, in a test":   {"pkg/plan/a/a_test.go", declared("A", methodLimit+1), false},
		"above, elsewhere":   {"pkg/gather/a.go", declared("A", methodLimit+1), false},
		"an interface":       {"pkg/plan/a/a.go", asked(methodLimit), false},
		"an interface above": {"pkg/plan/a/a.go", asked(methodLimit + 1), true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := mustParse(t, row.path, row.text)
			if got := fewMethods(&folder{path: s.dir(), files: []*source{s}}); (len(got) > 0) != row.bad {
				t.Errorf("%v, want bad=%t", got, row.bad)
			}
		})
	}
}

// Methods in several files of a folder count together.
func TestFewMethodsCountsAFolder(t *testing.T) {
	f := &folder{path: "pkg/plan/a"}
	for i := range methodLimit + 1 {
		f.files = append(f.files, mustParse(
			t, fmt.Sprintf("pkg/plan/a/f%d.go", i), fmt.Sprintf("package a\nfunc (v A) m%d() {}\n", i),
		))
	}
	if len(fewMethods(f)) != 1 {
		t.Errorf("%d methods in as many files are not counted together", len(f.files))
	}
}
