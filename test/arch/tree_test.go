package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/kn-flink/kn-flink/"

// source is one parsed Go file.
type source struct {
	path      string // from the module's root, with slashes
	test      bool
	generated bool
	lines     int
	wide      []int // the numbers of lines that are too wide, see width
	fset      *token.FileSet
	ast       *ast.File
}

// folder is one package folder.
type folder struct {
	path  string
	files []*source
}

func (s *source) dir() string { return path.Dir(s.path) }

func (s *source) at(node ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(node.Pos()).Line)
}

// imports are the paths that the file imports; those of this module without its prefix.
func (s *source) imports() []string {
	var paths []string
	for _, spec := range s.ast.Imports {
		if value, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, strings.TrimPrefix(value, module))
		}
	}
	return paths
}

var generatedBy = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func parse(name, text string) (*source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{
		path: name, test: strings.HasSuffix(name, "_test.go"), generated: generatedBy.MatchString(text),
		lines: strings.Count(text, "\n"), wide: wideLines(text), fset: fset, ast: file,
	}, nil
}

func mustParse(t *testing.T, name, text string) *source {
	t.Helper()
	s, err := parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// root finds the folder of go.mod above this package.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatalf("the module's root is not two folders up: %v", err)
	}
	return dir
}

var (
	treeOnce sync.Once
	treeRead []*folder
	treeErr  error
	unread   []finding
)

// tree parses all Go files of the module, once. Nested modules, hidden folders and testdata are not part of it.
func tree(t *testing.T) []*folder {
	t.Helper()
	base := root(t)
	treeOnce.Do(func() { treeRead, treeErr = readTree(base) })
	if treeErr != nil {
		t.Fatal(treeErr)
	}
	return treeRead
}

func readTree(base string) ([]*folder, error) {
	byPath := map[string]*folder{}
	err := filepath.WalkDir(base, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			_, nested := os.Stat(filepath.Join(file, "go.mod"))
			if file != base && (nested == nil || name == "testdata" || strings.HasPrefix(name, ".") ||
				strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(base, file)
		if err != nil {
			return err
		}
		s, err := parse(filepath.ToSlash(relative), string(text))
		if err != nil {
			unread = append(unread, finding{"parse", filepath.ToSlash(relative), err.Error()})
			return nil
		}
		if byPath[s.dir()] == nil {
			byPath[s.dir()] = &folder{path: s.dir()}
		}
		byPath[s.dir()].files = append(byPath[s.dir()].files, s)
		return nil
	})
	folders := make([]*folder, 0, len(byPath))
	for _, f := range byPath {
		folders = append(folders, f)
	}
	sort.Slice(folders, func(i, j int) bool { return folders[i].path < folders[j].path })
	return folders, err
}

func TestEveryFileParses(t *testing.T) {
	if len(tree(t)) < 10 {
		t.Errorf("only %d folders were found: is this the module's root?", len(tree(t)))
	}
	report(t, unread, "parse")
}

// each runs a rule over every file of the tree.
func each(t *testing.T, rule func(*source) []finding) []finding {
	t.Helper()
	var found []finding
	for _, f := range tree(t) {
		for _, s := range f.files {
			found = append(found, rule(s)...)
		}
	}
	return found
}

// uses visits every use of a name of an imported package, as pkg.Name, by the package's import path.
func (s *source) uses(visit func(importPath, name string, node ast.Node)) {
	names := map[string]string{}
	for _, spec := range s.ast.Imports {
		value, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(value)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = value
	}
	ast.Inspect(s.ast, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if ident, ok := selector.X.(*ast.Ident); ok && names[ident.Name] != "" {
				visit(names[ident.Name], selector.Sel.Name, selector)
			}
		}
		return true
	})
}
