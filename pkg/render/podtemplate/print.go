package podtemplate

import (
	"encoding/json"
	"sort"
	"strings"
)

// FileName is the key of the TaskManager template in its ConfigMap and the name of the file that a JobManager looks for
// in /opt/flink/pod-template when it starts (Flink: Constants.TASK_MANAGER_POD_TEMPLATE_FILE_NAME).
const FileName = "taskmanager-pod-template.yaml"

// Print gives the text of the template as the Java operator writes it: block style, two spaces, list items level with
// their key, every string in double quotes (or as a literal block when it has lines), long strings folded at 80
// columns. Mappings are sorted. Nil gives the empty text.
//
// The text has neither apiVersion nor kind: the client of every Flink release from 1.15.0 to 2.2.0 was seen to load it
// so (KubernetesUtils.loadPodFromTemplateFile).
func Print(tree Tree) string {
	if tree == nil {
		return ""
	}
	p := &printer{}
	p.text.WriteString("---")
	p.value(withoutEmptyLists(map[string]any(tree)), -2)
	p.text.WriteString("\n")
	return p.text.String()
}

// withoutEmptyLists drops the lists that hold nothing: the reference does not write them.
func withoutEmptyLists(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for key, element := range v {
			if list, ok := element.([]any); ok && len(list) == 0 {
				continue
			}
			kept[key] = withoutEmptyLists(element)
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, element := range v {
			kept[i] = withoutEmptyLists(element)
		}
		return kept
	default:
		return v
	}
}

type printer struct {
	text strings.Builder
}

// value prints a value after a key, a dash or the document start; indent is the column of that parent.
func (p *printer) value(value any, indent int) {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			p.text.WriteString(" {}")
			return
		}
		p.mapping(v, indent+2, true)
	case []any:
		if len(v) == 0 {
			p.text.WriteString(" []")
			return
		}
		p.list(v, max(indent, 0))
	case string:
		p.text.WriteString(" ")
		p.scalar(v, indent+2)
	default:
		p.text.WriteString(" " + number(v))
	}
}

// mapping prints the members at the column indent; fresh says whether the first one needs a line of its own.
func (p *printer) mapping(members map[string]any, indent int, fresh bool) {
	keys := make([]string, 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for i, key := range keys {
		if i > 0 || fresh {
			p.newLine(indent)
		}
		p.text.WriteString(quoteKey(key) + ":")
		p.value(members[key], indent)
	}
}

// list prints the elements level with the key they stand under.
func (p *printer) list(elements []any, indent int) {
	for _, element := range elements {
		p.newLine(indent)
		p.text.WriteString("-")
		if members, ok := element.(map[string]any); ok && len(members) > 0 {
			p.text.WriteString(" ")
			p.mapping(members, indent+2, false)
			continue
		}
		if inner, ok := element.([]any); ok && len(inner) > 0 {
			p.list(inner, indent+2)
			continue
		}
		p.value(element, indent)
	}
}

func (p *printer) newLine(indent int) {
	p.text.WriteString("\n" + strings.Repeat(" ", indent))
}

func number(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case json.Number:
		return v.String()
	default:
		text, err := json.Marshal(v)
		if err != nil {
			return "null" // a Tree holds only what JSON has
		}
		return string(text)
	}
}
