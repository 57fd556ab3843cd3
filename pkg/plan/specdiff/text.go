package specdiff

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

const (
	// maxValue bounds one printed value, in runes.
	maxValue = 200
	// maxText bounds a whole text, in bytes.
	maxText = 4000
	// hidden stands for a value that may be a secret.
	hidden = redact.Hidden
	// missing stands for a value that is not set.
	missing = "null"
	// object stands for an object that appears or goes away as a whole.
	object = "{..}"
)

// diffText prints entries the way the Java operator's SpecChanged event does: a value that has an inner structure on
// both sides is shown as the differences inside it, everything else as `path : old -> new`.
func diffText(specName string, entries []entry) string {
	if len(entries) == 0 {
		return ""
	}
	const end = "]"
	var out strings.Builder
	out.WriteString("Diff: " + specName + "[")
	for i, line := range diffLines(entries) {
		if i > 0 {
			line = ", " + line
		}
		if out.Len()+len(line)+len(", …"+end) > maxText {
			out.WriteString(", …")
			break
		}
		out.WriteString(line)
	}
	return out.String() + end
}

func diffLines(entries []entry) []string {
	var lines []string
	for _, e := range entries {
		if e.secret {
			lines = append(lines, e.path+" : "+valueText(e.old, true)+" -> "+valueText(e.new, true))
			continue
		}
		d := differ{old: tree(e.old), new: tree(e.new), order: keyOrder[e.path]}
		d.walk(nil, d.old, d.new)
		if len(d.found) == 0 { // unequal values that print alike
			d.found = [][]string{nil}
		}
		for _, pointer := range d.found {
			lines = append(lines, strings.Join(append([]string{e.path}, pointer...), ".")+" : "+
				nodeText(at(d.old, pointer))+" -> "+nodeText(at(d.new, pointer)))
		}
	}
	return lines
}

// keyOrder lists the members of fields that are printed in the order of their declaration; other objects are sorted by
// key.
var keyOrder = map[string][]string{
	"ingress":    {"template", "className", "annotations", "labels", "tls"},
	"jobManager": {"resource", "resources", "replicas", "podTemplate"},
}

// valueText prints a value on its own.
func valueText(v any, secret bool) string {
	node := tree(v)
	if node != nil && secret {
		return hidden
	}
	return nodeText(node)
}

// nodeText prints a node: a text or number plainly, an object as a mark, a list as JSON with its secrets hidden.
func nodeText(node any) string {
	switch v := node.(type) {
	case nil:
		return missing
	case string:
		if v == "" {
			return `""`
		}
		return cut(redact.Text(v))
	case map[string]any:
		return object
	case []any:
		text, _ := json.Marshal(hide(v)) // a tree of plain JSON values always prints
		return cut(redact.Text(string(text)))
	default:
		text, _ := json.Marshal(v) // as above
		return cut(string(text))
	}
}

func cut(text string) string {
	text = strings.ToValidUTF8(text, "?")
	if utf8.RuneCountInString(text) <= maxValue {
		return text
	}
	return string([]rune(text)[:maxValue-1]) + "…"
}

// tree turns a value into plain JSON nodes, without members that are null.
func tree(v any) any {
	switch t := v.(type) {
	case nil:
		return nil
	case programArguments:
		v = redact.Arguments(t)
	case v1beta1.PodTemplate:
		v = t.PodTemplateSpec
	case v1beta1.JobManagerSpec:
		v = typedJobManager(t)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "(cannot be printed)"
	}
	var node any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if decoder.Decode(&node) != nil {
		return "(cannot be printed)"
	}
	return dropNulls(node)
}

// typedJobManager replaces the pod template as written by the one Kubernetes reads.
func typedJobManager(j v1beta1.JobManagerSpec) v1beta1.JobManagerSpec {
	if j.PodTemplate != nil {
		j.PodTemplate = &v1beta1.PodTemplate{PodTemplateSpec: j.PodTemplate.PodTemplateSpec}
	}
	return j
}

func dropNulls(node any) any {
	if members, ok := node.(map[string]any); ok {
		for key, member := range members {
			if member == nil {
				delete(members, key)
			} else {
				members[key] = dropNulls(member)
			}
		}
	}
	if items, ok := node.([]any); ok {
		for i, item := range items {
			items[i] = dropNulls(item)
		}
	}
	return node
}

// hide returns a copy of a node in which the value of every {name, value} pair with a name that speaks of a secret is
// stars.
func hide(node any) any {
	switch v := node.(type) {
	case map[string]any:
		shown := make(map[string]any, len(v))
		for key, member := range v {
			shown[key] = hide(member)
		}
		if isSecretPair(v) {
			shown["value"] = hidden
		}
		return shown
	case []any:
		shown := make([]any, len(v))
		for i, item := range v {
			shown[i] = hide(item)
		}
		return shown
	default:
		return node
	}
}

func isSecretPair(members map[string]any) bool {
	name, ok := members["name"].(string)
	return ok && members["value"] != nil && conf.Sensitive(name)
}

// at follows a pointer into a node; nil when it leads nowhere. A secret comes back as stars.
func at(node any, pointer []string) any {
	for _, step := range pointer {
		switch v := node.(type) {
		case map[string]any:
			if step == "value" && isSecretPair(v) {
				return hidden
			}
			node = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			node = v[i]
		default:
			return nil
		}
	}
	return node
}
