package confyaml

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Value is the value of one key in config.yaml.
type Value struct {
	// Text is printed as a string, quoted where YAML would read something else. It is not looked at when IsList is set.
	Text string
	// Bare prints Text as it is, so that it reads as a number or boolean. The caller makes sure that it is one.
	Bare bool
	// IsList prints List instead of Text.
	IsList bool
	// List are the items of a list of strings; nil or empty prints as [].
	List []string
}

// Print prints entries as nested YAML. Two keys of which one is the beginning of the other ("k" and "k.v") cannot be
// nested; the error names them.
func Print(entries map[string]Value) (string, error) {
	keys := slices.Sorted(maps.Keys(entries))
	if err := checkOverlap(keys, entries); err != nil {
		return "", err
	}
	if len(keys) == 0 {
		return "{}\n", nil
	}
	root := &node{}
	for _, key := range keys {
		root.insert(strings.Split(key, "."), entries[key])
	}
	var out strings.Builder
	root.print(&out, 0)
	return out.String(), nil
}

// checkOverlap finds a key that has another key below it.
func checkOverlap(keys []string, entries map[string]Value) error {
	for _, key := range keys {
		for end := 0; end < len(key); end++ {
			if key[end] != '.' {
				continue
			}
			if _, taken := entries[key[:end]]; taken {
				return fmt.Errorf("Overlapping key prefixes detected (%s -> %s), please replace with Flink v2 compatible, "+
					"non-deprecated keys.",
					key[:end], key)
			}
		}
	}
	return nil
}

// node is a mapping of the printed tree, or a leaf.
type node struct {
	children map[string]*node // nil for a leaf
	value    Value
}

func (n *node) insert(path []string, value Value) {
	if len(path) == 0 {
		n.value = value
		return
	}
	if n.children == nil {
		n.children = map[string]*node{}
	}
	child, ok := n.children[path[0]]
	if !ok {
		child = &node{}
		n.children[path[0]] = child
	}
	child.insert(path[1:], value)
}

func (n *node) print(out *strings.Builder, indent int) {
	margin := strings.Repeat(" ", indent)
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		child := n.children[name]
		out.WriteString(margin + keyText(name) + ":")
		switch {
		case child.children != nil:
			out.WriteString("\n")
			child.print(out, indent+2)
		case !child.value.IsList:
			out.WriteString(" " + printed(child.value, indent) + "\n")
		case len(child.value.List) == 0:
			out.WriteString(" []\n")
		default:
			out.WriteString("\n")
			for _, item := range child.value.List {
				out.WriteString(margin + "- " + printed(Value{Text: item}, indent) + "\n")
			}
		}
	}
}

func printed(v Value, indent int) string {
	if v.Bare {
		return v.Text
	}
	return scalar(v.Text, indent)
}
