package store

import (
	"fmt"
	"iter"

	"go.yaml.in/yaml/v3"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// kind says what a node is.
type kind int

const (
	scalar kind = iota
	mapping
	sequence
)

// node is a YAML document, or a part of one.
type node struct {
	kind kind
	// text and quoted are those of a scalar.
	text   string
	quoted bool
	// keys are those of a mapping; values its values, or the items of a sequence.
	keys   []string
	values []node
}

// isNull reports whether a scalar is YAML's null.
func (n node) isNull() bool {
	return n.kind == scalar && !n.quoted && (n.text == "" || n.text == "~" || n.text == "null" || n.text == "Null" ||
		n.text == "NULL")
}

// fail keeps the first error.
func fail(err *error, format string, args ...any) {
	if *err == nil {
		*err = fmt.Errorf(format, args...)
	}
}

// entries are those of a mapping. Null is an empty one.
func (n node) entries(err *error) iter.Seq2[string, node] {
	return func(yield func(string, node) bool) {
		if n.kind != mapping {
			if !n.isNull() {
				fail(err, "a mapping is expected")
			}
			return
		}
		for i, key := range n.keys {
			if !yield(key, n.values[i]) {
				return
			}
		}
	}
}

// list are the items of a sequence. Null is an empty one.
func (n node) list(err *error) []node {
	if n.kind != sequence {
		if !n.isNull() {
			fail(err, "a list is expected")
		}
		return nil
	}
	return n.values
}

// maxDepth bounds nesting, so that an alias inside its own anchor ends. Whoever may write ConfigMaps of the namespace,
// as jobs may, decides what the text is.
const maxDepth = 20

// parse reads YAML that is not too large (bounded.Store): what Java writes by a scanner of its own, anything else by
// the library.
func parse(text string) (node, error) {
	if _, err := bounded.YAML(text, bounded.Store); err != nil {
		return node{}, err
	}
	if root, ok := parseBlock(text); ok {
		return root, nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return node{}, err
	}
	if len(doc.Content) == 0 {
		return node{}, fmt.Errorf("the text is empty")
	}
	left := bounded.Store.Values
	return convert(doc.Content[0], maxDepth, &left)
}

func convert(from *yaml.Node, depth int, left *int) (node, error) {
	*left--
	if depth == 0 || *left < 0 {
		return node{}, fmt.Errorf("line %d: too deep or too large", from.Line)
	}
	if from.Kind == yaml.AliasNode {
		return convert(from.Alias, depth-1, left)
	}
	var n node
	switch from.Kind {
	case yaml.ScalarNode:
		const quotes = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
		return node{kind: scalar, text: from.Value, quoted: from.Style&quotes != 0}, nil
	case yaml.MappingNode:
		n.kind = mapping
	default:
		n.kind = sequence
	}
	for i, content := range from.Content {
		if n.kind == mapping && i%2 == 0 {
			n.keys = append(n.keys, content.Value)
			continue
		}
		value, err := convert(content, depth-1, left)
		if err != nil {
			return node{}, err
		}
		n.values = append(n.values, value)
	}
	return n, nil
}
