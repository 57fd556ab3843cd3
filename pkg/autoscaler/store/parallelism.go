package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/confyaml"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// ReadParallelism reads the parallelism of vertices in either form that the Java autoscaler writes: hex:4,hex2:8 or
// {hex: '4', hex2: '8'}. The error says what is wrong with the text.
func ReadParallelism(text string) (map[string]string, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return confyaml.Parse(text)
	}
	pairs, err := syntax.SplitMap(text)
	found := make(map[string]string, len(pairs))
	for _, p := range pairs {
		found[p[0]] = p[1]
	}
	return found, err
}

// WriteParallelism prints the parallelism of vertices as Flink reads it with either of its configuration files, in the
// order of the IDs.
func WriteParallelism(of map[string]string) string {
	pairs := make([][2]string, 0, len(of))
	for _, vertex := range slices.Sorted(maps.Keys(of)) {
		pairs = append(pairs, [2]string{vertex, of[vertex]})
	}
	return syntax.JoinMap(pairs)
}

// ReadConfig reads what memory tuning has set. What cannot be read is no changes.
func ReadConfig(text string) model.ConfigChanges {
	root, err := parse(text)
	if err != nil {
		return model.ConfigChanges{}
	}
	changes := model.ConfigChanges{Overrides: map[string]string{}}
	for field, value := range root.entries(&err) {
		switch field {
		case "overrides":
			for name, option := range value.entries(&err) {
				changes.Overrides[name] = option.text
			}
		case "removals":
			for _, item := range value.list(&err) {
				changes.Removals = append(changes.Removals, item.text)
			}
		}
	}
	if err != nil {
		return model.ConfigChanges{}
	}
	slices.Sort(changes.Removals)
	changes.Removals = slices.Compact(changes.Removals)
	return changes
}
