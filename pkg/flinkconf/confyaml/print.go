package confyaml

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/yamltext"
)

// Print prints entries as nested YAML; a value is what yamltext prints: a string, a yamltext.Plain or a list of
// strings. Two keys of which one is the beginning of the other ("k" and "k.v") cannot be nested; the error names them.
func Print(entries map[string]any) (string, error) {
	if err := checkOverlap(entries); err != nil {
		return "", err
	}
	root := map[string]any{}
	for key, value := range entries {
		at, path := root, strings.Split(key, ".")
		last := len(path) - 1
		for _, name := range path[:last] {
			below, there := at[name].(map[string]any)
			if !there {
				below = map[string]any{}
				at[name] = below
			}
			at = below
		}
		at[path[last]] = value
	}
	return yamltext.Print(root)
}

// checkOverlap finds a key that has another key below it.
func checkOverlap(entries map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(entries)) {
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
