package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	text, told, err := read(*root)
	if err == nil {
		err = os.WriteFile(filepath.Join(*root, "docs", "reference", "reasons.md"), []byte(text), 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(*root, "pkg", "view", "advice", "table.go"), told.source(), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reasons:", err)
		os.Exit(1)
	}
}

// read reads what the sources of a module say, and makes the page and what it has of each reason.
func read(root string) (string, told, error) {
	groups, err := catalogue(filepath.Join(root, "pkg", "plan", "reason.go"))
	if err != nil {
		return "", nil, err
	}
	types, err := conditions(filepath.Join(root, "pkg", "apis", "flink", "summary", "conditions.go"))
	if err != nil {
		return "", nil, err
	}
	known := map[string]bool{}
	for _, g := range groups {
		for _, w := range g.words {
			known[w.name] = true
		}
	}
	situations := group{title: "Situations"}
	beside, ofErrors := group{title: "Other reasons"}, group{title: "Reasons of errors"}
	err = sources(filepath.Join(root, "pkg"), func(path string, file *ast.File) error {
		more, err := constants(file, "Situation")
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		situations.words = append(situations.words, more...)
		if more, err = constants(file, "Reason"); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		beside.add(known, more...)
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	err = sources(filepath.Join(root, "pkg"), func(_ string, file *ast.File) error {
		ofErrors.add(known, literals(file)...)
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	for _, g := range []*group{&beside, &ofErrors, &situations} {
		g.sort()
	}
	advised, err := advices(filepath.Join(root, "hack", "reasons", "advice.yaml"))
	if err != nil {
		return "", nil, err
	}
	return page(types, append(groups, beside, ofErrors), situations, advised)
}

// sources calls do with each source file below a folder, in order, but for tests.
func sources(root string, do func(path string, file *ast.File) error) error {
	return filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasSuffix(filepath.Dir(path), "test") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		return do(path, file)
	})
}

// group are the words of one subject.
type group struct {
	title string
	words []word
}

// word is a reason or a situation, and its meaning, one line.
type word struct{ name, meaning string }

// add adds those that are not known yet.
func (g *group) add(known map[string]bool, more ...word) {
	for _, w := range more {
		if !known[w.name] {
			known[w.name] = true
			g.words = append(g.words, w)
		}
	}
}

func (g *group) sort() {
	slices.SortFunc(g.words, func(a, b word) int { return strings.Compare(a.name, b.name) })
}

// catalogue reads the catalogue: each const declaration is a group, its comment the title.
func catalogue(path string) ([]group, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var groups []group
	for _, d := range file.Decls {
		decl, is := d.(*ast.GenDecl)
		if !is || decl.Tok != token.CONST {
			continue
		}
		g, err := declared(decl)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		g.sort()
		groups = append(groups, g)
	}
	return groups, nil
}

// conditions are the types of conditions: the first const declaration of the file, in the order of the source.
func conditions(path string) (group, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return group{}, err
	}
	for _, d := range file.Decls {
		if decl, is := d.(*ast.GenDecl); is && decl.Tok == token.CONST {
			g, err := declared(decl)
			g.title = "Conditions"
			return g, err
		}
	}
	return group{}, fmt.Errorf("%s: no conditions", path)
}

// declared are the constants of a declaration, with its comment as title.
func declared(decl *ast.GenDecl) (group, error) {
	g := group{title: strings.TrimSuffix(line(decl.Doc), ".")}
	for _, s := range decl.Specs {
		w, err := meaningOf(s.(*ast.ValueSpec))
		if err != nil {
			return group{}, err
		}
		g.words = append(g.words, w)
	}
	return g, nil
}

// constants are those of a file whose type or name is that of reasons, or of situations.
func constants(file *ast.File, kind string) (found []word, err error) {
	for _, d := range file.Decls {
		decl, is := d.(*ast.GenDecl)
		if !is || decl.Tok != token.CONST {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			if len(spec.Values) != 1 || !isOf(spec, kind) {
				continue
			}
			if text, is := literal(spec.Values[0]); !is || text == "" || text[0] < 'A' || text[0] > 'Z' {
				continue
			}
			if !decl.Lparen.IsValid() {
				spec.Doc = decl.Doc // it stands alone
			}
			w, err := meaningOf(spec)
			if err != nil {
				return nil, err
			}
			found = append(found, w)
		}
	}
	return found, nil
}

// isOf reports whether a constant is a situation by its type, or a reason by its type or its name.
func isOf(spec *ast.ValueSpec, kind string) bool {
	switch of := spec.Type.(type) {
	case *ast.Ident:
		return of.Name == kind
	case *ast.SelectorExpr:
		return of.Sel.Name == kind
	}
	name := spec.Names[0].Name
	rest, is := strings.CutPrefix(name, "reason")
	if !is {
		rest, is = strings.CutPrefix(name, "Reason")
	}
	return kind == "Reason" && spec.Type == nil && is && rest != "" && strings.ToUpper(rest[:1]) == rest[:1]
}

// meaningOf is a constant with its comment.
func meaningOf(spec *ast.ValueSpec) (word, error) {
	name := spec.Names[0].Name
	text, is := literal(spec.Values[0])
	if !is {
		return word{}, fmt.Errorf("%s is no literal", name)
	}
	meaning, described := strings.CutPrefix(line(spec.Doc), name+": ")
	if !described {
		return word{}, fmt.Errorf("%s: its comment does not begin with its name and a colon", name)
	}
	return word{text, strings.TrimSuffix(meaning, ".")}, nil
}

// literals are the reasons that stand where an error or a condition is made: an argument after the operation or kind in
// a call of package fail or of a method fail, a field Reason, or a value of a variable reason. The meaning is the text
// that follows, which is what the message says.
func literals(file *ast.File) (found []word) {
	add := func(reason ast.Expr, rest ...ast.Expr) bool {
		name, is := literal(reason)
		if !is || !isReason(name) {
			return false
		}
		w := word{name: name}
		for _, e := range rest {
			if text, is := literal(e); is {
				w.meaning = "the message says: " + blank(text)
				break
			}
		}
		found = append(found, w)
		return true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if of, is := n.Fun.(*ast.SelectorExpr); is && ofFail(of) {
				for i, arg := range n.Args {
					if add(arg, n.Args[i+1:]...) {
						break
					}
				}
			}
		case *ast.KeyValueExpr:
			if key, is := n.Key.(*ast.Ident); is && key.Name == "Reason" {
				add(n.Value)
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if name, is := to.(*ast.Ident); is && name.Name == "reason" && i < len(n.Rhs) {
					add(n.Rhs[i], n.Rhs[i+1:]...)
				}
			}
		}
		return true
	})
	slices.SortStableFunc(found, func(a, b word) int { return cmp.Compare(len(b.meaning), len(a.meaning)) })
	return found
}

// ofFail reports whether a call makes an error of package fail.
func ofFail(of *ast.SelectorExpr) bool {
	from, is := of.X.(*ast.Ident)
	return of.Sel.Name == "fail" || is && from.Name == "fail"
}

// isReason reports whether a text is one CamelCase word.
func isReason(text string) bool {
	if text == "" || text[0] < 'A' || text[0] > 'Z' {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

// literal is a text that stands in the source, also in several parts.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, e.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		a, isA := literal(e.X)
		b, isB := literal(e.Y)
		if !isA && !isB {
			return "", false
		}
		if !isA {
			a = "…"
		}
		if !isB {
			b = "…"
		}
		return a + b, e.Op == token.ADD
	}
	return "", false
}

// blank is a format with an ellipsis for each of its values, fit for a cell of a table.
func blank(format string) string {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			out.WriteByte(format[i])
			continue
		}
		for i++; i < len(format) && !strings.ContainsRune("svdqwxt%", rune(format[i])); {
			i++
		}
		out.WriteString("…")
	}
	return strings.ReplaceAll(out.String(), "|", "\\|")
}

// line is a comment as one line.
func line(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

const head = `<!-- Code generated by hack/reasons. DO NOT EDIT. Written by make generate, from pkg and advice.yaml. -->

# Reasons, conditions and situations

For whoever is on call: look up the one word of a condition, an event or a log line, what it means, and what to do.

The anchor of a reason is its name in lower case. [Start from what you see](../troubleshoot/index.md) leads here;
[Read the status](../observe/status.md) explains the conditions. The words of ^status.situation^ are
[at the end](#situations). For a FlinkSessionJob, write ^sessionjob^ instead of ^flinkdep^ in the commands.
`

// page is the whole page.
func page(types group, groups []group, situations group, advised sheet) (string, told, error) {
	var out strings.Builder
	entries := told{}
	out.WriteString(strings.ReplaceAll(head, "^", "`"))
	table(&out, types, "condition")
	var wrong []string
	for _, g := range groups {
		fmt.Fprintf(&out, "\n## %s\n", g.title)
		for _, w := range g.words {
			a, known := advised.Reasons[w.name]
			delete(advised.Reasons, w.name)
			if w.meaning = cmp.Or(a.Means, w.meaning); !known || w.meaning == "" {
				wrong = append(wrong, w.name+" has no meaning, or nothing that a reader can do")
				continue
			}
			wrong = append(wrong, advised.entry(&out, w, a, entries)...)
		}
	}
	for _, left := range slices.Sorted(maps.Keys(advised.Reasons)) {
		wrong = append(wrong, left+" is not a reason any more")
	}
	out.WriteString("\n## Kubernetes' own words\n")
	for _, name := range slices.Sorted(maps.Keys(advised.Kubernetes)) {
		a := advised.Kubernetes[name]
		wrong = append(wrong, advised.entry(&out, word{name, a.Means}, a, entries)...)
	}
	table(&out, situations, "`status.situation`")
	if len(wrong) > 0 {
		return "", nil, fmt.Errorf("hack/reasons/advice.yaml: %s", strings.Join(wrong, "; "))
	}
	return out.String(), entries, nil
}

// table writes a group as a table.
func table(out *strings.Builder, g group, what string) {
	fmt.Fprintf(out, "\n## %s\n\n| %s | meaning |\n|---|---|\n", g.title, what)
	for _, w := range g.words {
		fmt.Fprintf(out, "| `%s` | %s |\n", w.name, w.meaning)
	}
}
