package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// claim is a test that says that it asserts a row.
type claim struct {
	// row is the row's name.
	row string
	// file is the test's file, from the root, with slashes.
	file string
	// test is its name as go test -run takes it; empty when the comment stands in no test.
	test string
	// line is where the comment is.
	line int
}

var claimText = regexp.MustCompile(`^//\s*((?:[TR]\d+(?:\.\d+)?)(?:, [TR]\d+(?:\.\d+)?)*)(?::|$)`)

// claimsBelow reads all test files below root.
func claimsBelow(root string) ([]claim, error) {
	var all []claim
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "acceptance" || strings.HasPrefix(d.Name(), ".") &&
			path != root):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, claimsOf(fset, file, filepath.ToSlash(name))...)
		return nil
	})
	return all, err
}

// claimsOf finds the claims of one file.
func claimsOf(fset *token.FileSet, file *ast.File, name string) []claim {
	var found []claim
	for _, group := range file.Comments {
		for _, comment := range group.List {
			parts := claimText.FindStringSubmatch(comment.Text)
			if parts == nil {
				continue
			}
			test := testAt(fset, file, group, comment)
			for _, row := range strings.Split(parts[1], ", ") {
				found = append(found, claim{row, name, test, fset.Position(comment.Pos()).Line})
			}
		}
	}
	return found
}

// testAt is the test that a comment speaks of.
//
//	the comment stands             test
//	above a test                   it
//	in a test                      it, and the row of its table above or at which it stands
//	in a table outside of a test   the test that the comment of the table names last, and the row
func testAt(fset *token.FileSet, file *ast.File, group *ast.CommentGroup, comment *ast.Comment) string {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Doc == group && isTest(f) {
			return f.Name.Name
		}
		if comment.Pos() < d.Pos() || comment.Pos() > d.End() {
			continue
		}
		test := ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			if isTest(d) {
				test = d.Name.Name
			}
		case *ast.GenDecl:
			if names := testName.FindAllString(d.Doc.Text(), -1); len(names) > 0 {
				test = names[len(names)-1]
			}
		}
		if key := keyAt(fset, d, group); test != "" && key != "" {
			return test + "/" + strings.ReplaceAll(key, " ", "_")
		}
		return test
	}
	return ""
}

var testName = regexp.MustCompile(`\bTest[A-Z]\w*`)

func isTest(f *ast.FuncDecl) bool { return f.Recv == nil && testName.MatchString(f.Name.Name) }

// keyAt is the text that names the row of a table that the comment is in, at the end of, or right above.
func keyAt(fset *token.FileSet, d ast.Decl, group *ast.CommentGroup) string {
	line, below := fset.Position(group.Pos()).Line, fset.Position(group.End()).Line+1
	around, under := "", ""
	ast.Inspect(d, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		literal, ok := pair.Key.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		first, last := fset.Position(pair.Pos()).Line, fset.Position(pair.End()).Line
		text, err := strconv.Unquote(literal.Value)
		switch {
		case err != nil:
		case around == "" && first <= line && line <= last:
			around = text
		case under == "" && first == below:
			under = text
		}
		return true
	})
	return cmp.Or(around, under)
}

func (c claim) String() string { return fmt.Sprintf("%s:%d claims %s", c.file, c.line, c.row) }
