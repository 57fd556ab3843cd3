package arch

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// apart are the packages in which nothing may stand twice: each kind of resource has what is its own, and what both
// need is in pkg/engine or pkg/host/cluster.
var apart = []string{"pkg/host/deployment", "pkg/host/sessionjob"}

// twiceLines is from how many lines on the body of a function counts. A shorter one is a name for a call.
const twiceLines = 6

// kindWords are what the same code says of another kind.
var kindWords = strings.NewReplacer(
	"FlinkDeployment", "Kind", "FlinkSessionJob", "Kind", "Deployment", "Kind", "SessionJob", "Kind",
)

// ownNames are the names that a function declares itself: of its receiver, parameters, results and variables.
func ownNames(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if id, is := e.(*ast.Ident); is {
				names[id.Name] = true
			}
		}
	}
	ast.Inspect(f, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		}
		return true
	})
	return names
}

// normalBody is the body of a function without its own names, comments, spaces, and the words of a kind; empty when it
// is too short to count.
func normalBody(fset *token.FileSet, f *ast.FuncDecl) string {
	if f.Body == nil {
		return ""
	}
	var text bytes.Buffer
	if err := printer.Fprint(&text, fset, f.Body); err != nil {
		return ""
	}
	own, numbers := ownNames(f), map[string]string{}
	var scan scanner.Scanner
	scan.Init(token.NewFileSet().AddFile("", -1, text.Len()), text.Bytes(), nil, 0)
	var normal []string
	before, lines := token.ILLEGAL, map[int]bool{}
	file := bytes.Split(text.Bytes(), []byte("\n"))
	for i, line := range file {
		if trimmed := strings.Trim(string(line), "\t {})"); trimmed != "" && !strings.HasPrefix(trimmed, "//") {
			lines[i] = true
		}
	}
	for {
		_, tok, literal := scan.Scan()
		if tok == token.EOF {
			break
		}
		word := tok.String()
		switch {
		case tok == token.IDENT && own[literal] && before != token.PERIOD:
			if numbers[literal] == "" {
				numbers[literal] = "v" + strconv.Itoa(len(numbers))
			}
			word = numbers[literal]
		case tok == token.IDENT, tok.IsLiteral():
			word = kindWords.Replace(literal)
		}
		normal, before = append(normal, word), tok
	}
	if len(lines) < twiceLines {
		return ""
	}
	return strings.Join(normal, " ")
}

// twice finds the functions of different folders that have one body.
func twice(folders []*folder) []finding {
	type place struct{ folder, at, name string }
	bodies := map[string][]place{}
	for _, f := range folders {
		for _, s := range f.files {
			if s.test || s.generated {
				continue
			}
			for _, d := range s.ast.Decls {
				if one, is := d.(*ast.FuncDecl); is {
					if body := normalBody(s.fset, one); body != "" {
						bodies[body] = append(bodies[body], place{f.path, s.at(one), one.Name.Name})
					}
				}
			}
		}
	}
	var found []finding
	for _, body := range slices.Sorted(maps.Keys(bodies)) {
		places := bodies[body]
		for _, other := range places[1:] {
			if first := places[0]; other.folder != first.folder {
				found = append(found, finding{"twice", other.at, other.name + " is " + first.name + " of " + first.at +
					": what both kinds need is in pkg/engine, or in pkg/host/cluster"})
			}
		}
	}
	return found
}

func TestKindsOfThePlanShareTheirCode(t *testing.T) {
	var folders []*folder
	for _, f := range tree(t) {
		if slices.Contains(apart, f.path) {
			folders = append(folders, f)
		}
	}
	if len(folders) != len(apart) {
		t.Fatalf("%d folders, want %q", len(folders), apart)
	}
	report(t, twice(folders), "twice")
}

func TestTwiceBites(t *testing.T) {
	const one = `package deployment
func (v view) stop(d v1beta1.FlinkDeployment) (bool, error) {
	if d.Spec.Job == nil { // none
		return false, nil
	}
	next := v.Want(d)
	for i, c := range next.Conditions {
		v.tell(i, c.Reason)
	}
	return true, v.store(next)
}`
	with := func(old, new string) string { return strings.Replace(one, old, new, 1) }
	rows := map[string]struct {
		text   string
		bad    bool
		reason string
	}{
		"as it is":            {one, true, "copied"},
		"of another kind":     {with("FlinkDeployment)", "FlinkSessionJob)"), true, "the kind is no difference"},
		"under another name":  {with("stop", "halt"), true, "nor is the name"},
		"with other comments": {with("// none", "// a session cluster"), true, "nor what is said of it"},
		"with other variables": {
			strings.NewReplacer("next", "after", "(v view)", "(r *round)", "v.", "r.", "d.", "s.", "(d)", "(s)", "(d ", "(s ").
				Replace(one), true, "nor how it calls things",
		},
		"another call":     {with("v.store(next)", "v.keep(next)"), false, "it does something else"},
		"another constant": {with("return true", "return false"), false, "it answers something else"},
		"short": {
			"package deployment\nfunc f(a int) int {\n\treturn a\n}", false, "a name for a call is no copy",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			first, text := one, strings.Replace(row.text, "package deployment", "package sessionjob", 1)
			if name == "short" {
				first = row.text
			}
			folders := []*folder{
				{path: apart[0], files: []*source{mustParse(t, apart[0]+"/a.go", first)}},
				{path: apart[1], files: []*source{mustParse(t, apart[1]+"/b.go", text)}},
			}
			if found := twice(folders); (len(found) > 0) != row.bad {
				t.Errorf("found %v: %s", found, row.reason)
			}
		})
	}
}
