package option

import (
	"fmt"
	"strings"
)

// Option is one option.
type Option struct {
	// Key is its key, with older spellings.
	Key string `json:"key"`
	// Kind is the kind of its value, and its default.
	Kind string `json:"kind"`
	// Means is what it does.
	Means string `json:"means"`
	// InResource says what it does in the flinkConfiguration of a resource: it wins, or has no effect.
	InResource string `json:"inResource"`
}

// With are the options whose key or meaning has all of some words, in any case.
func With(words ...string) (found []Option) {
	for _, o := range table {
		text, all := strings.ToLower(o.Key+" "+o.Means), true
		for _, word := range words {
			all = all && strings.Contains(text, strings.ToLower(word))
		}
		if all {
			found = append(found, o)
		}
	}
	return found
}

// Text are options for a terminal.
func Text(options []Option) string {
	var out strings.Builder
	for _, o := range options {
		where := ""
		if o.InResource == "no effect" {
			where = "; of the installation, without effect in a resource"
		}
		fmt.Fprintf(&out, "%s  (%s%s)\n    %s\n", o.Key, o.Kind, where, o.Means)
	}
	return out.String()
}
