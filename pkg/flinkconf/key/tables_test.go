package key

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// all lists every option of the tables, by the name of its variable. TestAllIsComplete holds it against the source.
var all = map[string]conf.Option{
ALL
}

// TestAllIsComplete: a new option has to be added to the list above, so that the tests below look at it.
func TestAllIsComplete(t *testing.T) {
	packages, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, file := range packages["key"].Files {
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, s := range g.Specs {
					declared = append(declared, s.(*ast.ValueSpec).Names[0].Name)
				}
			}
		}
	}
	declared = slices.DeleteFunc(declared, func(name string) bool { return !ast.IsExported(name) })
	for _, name := range declared {
		if _, listed := all[name]; !listed {
			t.Errorf("option %s is not in the test's list", name)
		}
	}
	if len(declared) != len(all) {
		t.Errorf("%d options are declared, %d listed", len(declared), len(all))
	}
}

// TestDefaultsParse: every default is a value of its kind.
func TestDefaultsParse(t *testing.T) {
	for name, o := range all {
		if err := parses(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func parses(o conf.Option) (err error) {
	c := conf.Config{}
	switch o.Kind {
	case conf.KindDuration:
		_, err = c.Duration(o)
	case conf.KindMemory:
		_, err = c.Memory(o)
	case conf.KindInt:
		_, err = c.Int(o)
	case conf.KindFloat:
		_, err = c.Float(o)
	case conf.KindBool:
		_, err = c.Bool(o)
	case conf.KindEnum:
		_, err = c.Enum(o)
	case conf.KindList:
		_, err = c.List(o)
	case conf.KindMap:
		_, err = c.Map(o)
	case conf.KindMapList:
		_, err = c.MapList(o)
	}
	return err
}

// TestKeysAreUnique: two options never mean the same key.
func TestKeysAreUnique(t *testing.T) {
	seen := map[string]string{}
	for name, o := range all {
		if other, twice := seen[o.Key]; twice {
			t.Errorf("%s and %s share the key %q", name, other, o.Key)
		}
		seen[o.Key] = name
		if slices.Contains(o.Fallbacks, o.Key) && o.Scope != conf.ScopeOperator {
			t.Errorf("%s falls back to itself", name)
		}
	}
}

// TestScopes: options of the operator and the autoscaler say who may set them, and only they do; an enumeration has constants.
func TestScopes(t *testing.T) {
	for name, o := range all {
		own := strings.HasPrefix(o.Key, OperatorPrefix) || strings.HasPrefix(o.Key, AutoscalerPrefix)
		if own != (o.Scope != conf.ScopeUnknown) {
			t.Errorf("%s (%s) has scope %q", name, o.Key, o.Scope)
		}
		if (o.Kind == conf.KindEnum) != (len(o.Values) > 0) {
			t.Errorf("%s: kind %s with values %q", name, o.Kind, o.Values)
		}
		if strings.HasPrefix(o.Key, AutoscalerPrefix) && !slices.ContainsFunc(o.Fallbacks, func(f string) bool { return strings.HasPrefix(f, OperatorPrefix) }) {
			t.Errorf("%s has no fallback below %s", name, OperatorPrefix)
		}
	}
}

// TestTables: options as Flink 1.20.5 and the Java operator describe them: key, default, fallbacks in order.
func TestTables(t *testing.T) {
	for line := range strings.SplitSeq(strings.TrimSpace(described), "\n") {
		parts := strings.Split(line, "|")
		name, key, def, fallbacks := parts[0], parts[1], parts[2], strings.Fields(parts[3])
		o, ok := all[name]
		if !ok || o.Key != key || o.HasDefault != (def != "-") || o.HasDefault && o.Default != def || !slices.Equal(o.Fallbacks, fallbacks) && len(o.Fallbacks)+len(fallbacks) > 0 {
			t.Errorf("%s is %+v\nwant %s", name, o, line)
		}
	}
}
