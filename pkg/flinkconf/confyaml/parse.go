package confyaml

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3" // keeps the text of numbers, which a detour over JSON loses

	"github.com/kn-flink/kn-flink/pkg/bounded"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// maxDepth bounds nesting, so that an alias inside its own anchor ends.
const maxDepth = 100

// Parse reads config.yaml into flat keys and Flink's text form of their values: names joined with dots, lists with ';',
// lists of mappings as lists of k:v,k2:v2. A key without a value, a key given twice and a list in a list are errors;
// they name the line.
func Parse(text string) (map[string]string, error) {
	if _, err := bounded.YAML(text, bounded.Settings); err != nil {
		return nil, fmt.Errorf("config.yaml is %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return nil, fmt.Errorf("config.yaml cannot be read: %w", err)
	}
	flat := map[string]string{}
	if len(document.Content) == 0 || isNull(document.Content[0]) {
		return flat, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("config.yaml contains a single value or list: write keys and values")
	}
	if err := flatten(root, "", flat, 0); err != nil {
		return nil, fmt.Errorf("config.yaml: %w", err)
	}
	return flat, nil
}

// flatten adds the entries of a mapping under prefix.
func flatten(mapping *yaml.Node, prefix string, flat map[string]string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("line %d: %q is nested more than %d levels deep", mapping.Line, prefix, maxDepth)
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		name, value := mapping.Content[i], resolve(mapping.Content[i+1])
		path := prefix + name.Value
		if value.Kind == yaml.MappingNode {
			if err := flatten(value, path+".", flat, depth+1); err != nil {
				return err
			}
			continue
		}
		if isNull(value) {
			return fmt.Errorf("line %d: %q has no value: write one, or '' for an empty text", name.Line, path)
		}
		text, err := valueText(value, depth)
		if err != nil {
			return fmt.Errorf("line %d: %q: %w", name.Line, path, err)
		}
		if _, twice := flat[path]; twice {
			return fmt.Errorf("line %d: %q appears twice: keep one", name.Line, path)
		}
		flat[path] = text
	}
	return nil
}

// valueText is Flink's text form of a scalar or list.
func valueText(value *yaml.Node, depth int) (string, error) {
	if value.Kind == yaml.ScalarNode {
		return scalarText(value), nil
	}
	items := make([]string, len(value.Content))
	for i, item := range value.Content {
		item = resolve(item)
		switch item.Kind {
		case yaml.ScalarNode:
			items[i] = scalarText(item)
		case yaml.MappingNode:
			text, err := mapText(item, depth)
			if err != nil {
				return "", err
			}
			items[i] = text
		default:
			return "", fmt.Errorf("item %d is a list: no option takes a list of lists", i+1)
		}
	}
	return syntax.JoinListExactly(items), nil
}

// mapText is Flink's text form of a mapping inside a list, sorted by key.
func mapText(mapping *yaml.Node, depth int) (string, error) {
	flat := map[string]string{}
	if err := flatten(mapping, "", flat, depth+1); err != nil {
		return "", err
	}
	pairs := make([][2]string, 0, len(flat))
	for name, text := range flat {
		pairs = append(pairs, [2]string{name, text})
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return syntax.JoinMap(pairs), nil
}

// resolve follows an alias.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

var otherBase = regexp.MustCompile(`^0[ox][0-9a-fA-F]+$`)

// scalarText is the text of a scalar. Hexadecimal and octal numbers are written as decimal ones, the only ones that
// options read.
func scalarText(n *yaml.Node) string {
	if n.Style != 0 || !otherBase.MatchString(n.Value) {
		return n.Value
	}
	number, err := strconv.ParseInt(n.Value, 0, 64)
	if err != nil {
		return n.Value
	}
	return strconv.FormatInt(number, 10)
}
