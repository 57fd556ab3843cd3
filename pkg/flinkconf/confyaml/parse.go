package confyaml

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	yaml "sigs.k8s.io/yaml/goyaml.v2" // keeps the text of numbers, which a detour over JSON loses

	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Parse reads config.yaml into flat keys and Flink's text form of their values: names joined with dots, lists with ';', lists of
// mappings as lists of k:v,k2:v2. A key without a value, a key given twice and a list in a list are errors.
func Parse(text string) (map[string]string, error) {
	var root tree
	if err := yaml.UnmarshalStrict([]byte(text), &root); err != nil {
		return nil, fmt.Errorf("config.yaml cannot be read: %w", err)
	}
	flat := map[string]string{}
	switch root.kind {
	case kindNull:
		return flat, nil
	case kindMapping:
		return flat, root.flatten("", flat)
	}
	return nil, fmt.Errorf("config.yaml holds a single value or list: write keys and values")
}

type kind int

const (
	kindNull kind = iota
	kindScalar
	kindList
	kindMapping
)

// tree is a YAML document with the text of its scalars.
type tree struct {
	kind    kind
	text    string
	items   []tree
	entries map[string]tree
}

// UnmarshalYAML takes whatever stands there: the forms are tried from the richest to the plainest.
func (t *tree) UnmarshalYAML(unmarshal func(any) error) error {
	var probe any
	if err := unmarshal(&probe); err != nil {
		return err
	}
	switch probe.(type) {
	case nil:
		return nil
	case map[any]any:
		t.kind = kindMapping
		return unmarshal(&t.entries)
	case []any:
		t.kind = kindList
		return unmarshal(&t.items)
	}
	t.kind = kindScalar
	if err := unmarshal(&t.text); err != nil {
		return err
	}
	if _, isText := probe.(string); !isText {
		t.text = plainNumber(t.text)
	}
	return nil
}

var otherBase = regexp.MustCompile(`^0[ox][0-9a-fA-F]+$`)

// plainNumber writes hexadecimal and octal numbers as decimal ones, the only ones that options read.
func plainNumber(text string) string {
	if !otherBase.MatchString(text) {
		return text
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return text
	}
	return strconv.FormatInt(n, 10)
}

func (t tree) flatten(prefix string, flat map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(t.entries)) {
		child, path := t.entries[name], prefix+name
		switch child.kind {
		case kindNull:
			return fmt.Errorf("config.yaml: %q has no value: write one, or '' for an empty text", path)
		case kindMapping:
			if err := child.flatten(path+".", flat); err != nil {
				return err
			}
			continue
		}
		text, err := child.valueText()
		if err != nil {
			return fmt.Errorf("config.yaml: %q: %w", path, err)
		}
		if _, twice := flat[path]; twice {
			return fmt.Errorf("config.yaml: %q stands there twice, nested and with dots: keep one", path)
		}
		flat[path] = text
	}
	return nil
}

// valueText is Flink's text form of a scalar or list.
func (t tree) valueText() (string, error) {
	if t.kind != kindList {
		return t.text, nil
	}
	items := make([]string, len(t.items))
	for i, item := range t.items {
		switch item.kind {
		case kindList:
			return "", fmt.Errorf("item %d is a list: no option takes a list of lists", i+1)
		case kindMapping:
			flat := map[string]string{}
			if err := item.flatten("", flat); err != nil {
				return "", err
			}
			var pairs [][2]string
			for _, name := range slices.Sorted(maps.Keys(flat)) {
				pairs = append(pairs, [2]string{name, flat[name]})
			}
			items[i] = syntax.JoinMap(pairs)
		default:
			items[i] = item.text
		}
	}
	return syntax.JoinListExactly(items), nil
}
