package drawing

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Row is one row of a table: its cells by the names of their columns. An empty cell is not in it.
type Row map[string]string

// Drawing is the tables of some declarations, as one: the names of their rows differ.
type Drawing struct {
	rows map[string]Row
	// of is the declaration that draws the row.
	of map[string]string
}

// Read reads the tables that the comments of the declarations in a file of the test's folder draw. The file must parse,
// and each of the declarations must draw a table.
func Read(t testing.TB, file string, declarations ...string) Drawing {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	d := Drawing{rows: map[string]Row{}, of: map[string]string{}}
	for _, declaration := range declarations {
		if err := d.add(declaration, comment(parsed, declaration)); err != nil {
			t.Fatalf("%s, the comment of %s: %v", file, declaration, err)
		}
	}
	return d
}

// Shown says which rows of a declaration no way passes, and which ways pass a row that is not drawn; nil when neither
// is so.
func (d Drawing) Shown(declaration string, ways ...string) error {
	passed := map[string]bool{}
	var wrong []string
	for _, way := range ways {
		for _, name := range strings.Split(way, "/") {
			if d.rows[name] == nil && !passed[name] {
				wrong = append(wrong, fmt.Sprintf("%q is not drawn", name))
			}
			passed[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.rows)) {
		if d.of[name] == declaration && !passed[name] {
			wrong = append(wrong, fmt.Sprintf("row %s of %s is shown by no case", name, declaration))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("the drawing and its cases differ: %s", strings.Join(wrong, "; "))
	}
	return nil
}

// Holds says how an answer differs from what a way draws; nil when it does not. The answer has one cell for each column
// that is held to the drawing.
func (d Drawing) Holds(way string, answer Row) error {
	names := strings.Split(way, "/")
	for _, name := range names {
		if d.rows[name] == nil {
			return fmt.Errorf("row %q is not drawn", name)
		}
	}
	drawn := Row{}
	for column := range answer {
		for _, name := range names {
			if cell := d.rows[name][column]; !strings.HasPrefix(cell, "see ") {
				drawn[column] = cell
			}
		}
	}
	if !maps.Equal(drawn, answer) {
		return fmt.Errorf("the code answers %v, the way %s draws %v", answer, way, drawn)
	}
	return nil
}

// comment is the text above a function, a method or a type; empty when there is none.
func comment(file *ast.File, name string) string {
	for _, d := range file.Decls {
		switch decl := d.(type) {
		case *ast.FuncDecl:
			if decl.Name.Name == name {
				return decl.Doc.Text()
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.Name == name {
						return decl.Doc.Text()
					}
				case *ast.ValueSpec:
					if s.Names[0].Name == name {
						return decl.Doc.Text()
					}
				}
			}
		}
	}
	return ""
}

// add adds the tables of one comment.
func (d Drawing) add(declaration, text string) error {
	var columns []cell
	var last Row
	tables := 0
	for _, line := range strings.Split(text, "\n") {
		drawn, is := strings.CutPrefix(line, "\t")
		switch {
		case !is:
			columns = nil
			continue
		case columns == nil:
			if columns, last = cells(drawn), nil; len(columns) < 2 {
				return fmt.Errorf("%q begins a table of one column", drawn)
			}
			tables++
			continue
		}
		row := Row{}
		for _, c := range cells(drawn) {
			column, err := under(columns, c)
			if err != nil {
				return err
			}
			row[column] = strings.TrimSpace(row[column] + " " + c.text)
		}
		name := row[columns[0].text]
		switch {
		case name == "" && last == nil:
			return fmt.Errorf("%q begins a table and has no name", drawn)
		case name == "":
			for column, more := range row {
				last[column] = strings.TrimSpace(last[column] + " " + more)
			}
		case d.rows[name] != nil:
			return fmt.Errorf("row %s is drawn twice", name)
		default:
			d.rows[name], d.of[name], last = row, declaration, row
		}
	}
	if tables == 0 {
		return fmt.Errorf("it draws no table")
	}
	return nil
}

// cell is one cell of a line, and the column of characters where it begins.
type cell struct {
	text string
	at   int
}

// between matches a cell: words with single spaces between them.
var between = regexp.MustCompile(`\S+(?: \S+)*`)

func cells(line string) []cell {
	var found []cell
	for _, span := range between.FindAllStringIndex(line, -1) {
		found = append(found, cell{line[span[0]:span[1]], len([]rune(line[:span[0]]))})
	}
	return found
}

// under is the column that a cell stands in. The cells of the first one may stand to the right of the line.
func under(columns []cell, c cell) (string, error) {
	if c.at < columns[1].at && c.at+len([]rune(c.text)) < columns[1].at {
		return columns[0].text, nil
	}
	for _, column := range columns {
		if column.at == c.at {
			return column.text, nil
		}
	}
	return "", fmt.Errorf("%q stands under no column", c.text)
}
