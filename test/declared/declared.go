package declared

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Option is an option as its variable declares it.
type Option struct {
	conf.Option
	// Comment is the comment of the variable, its name included.
	Comment string
}

// Options are all options by the names of their variables, read from the folder of pkg/flinkconf/key. Go initialises
// variables in the order of the source, so that the options of key.All stand in this order, too.
func Options(folder string) (map[string]Option, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	var specs []*ast.ValueSpec
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if g, is := d.(*ast.GenDecl); is && g.Tok == token.VAR && !strings.HasSuffix(name, "_test.go") {
				for _, s := range g.Specs {
					if spec := s.(*ast.ValueSpec); spec.Names[0].IsExported() {
						specs = append(specs, spec)
					}
				}
			}
		}
	}
	all := key.All()
	if len(specs) != len(all) {
		return nil, fmt.Errorf("%d options have a variable, %d declare themselves", len(specs), len(all))
	}
	options := map[string]Option{}
	for i, spec := range specs {
		name := spec.Names[0].Name
		if !strings.HasSuffix(all[i].Key, written(spec)) {
			return nil, fmt.Errorf("option %s is declared as %q, its key is %q", name, written(spec), all[i].Key)
		}
		options[name] = Option{all[i], spec.Doc.Text()}
	}
	return options, nil
}

// written is the first text in the declaration of an option: the end of its key.
func written(spec *ast.ValueSpec) string {
	first := ""
	ast.Inspect(spec.Values[0], func(n ast.Node) bool {
		if text, is := n.(*ast.BasicLit); is && first == "" {
			first, _ = strconv.Unquote(text.Value) // no other literals stand before it
		}
		return true
	})
	return first
}
