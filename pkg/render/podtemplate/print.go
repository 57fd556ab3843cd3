package podtemplate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// FileName is the key of the TaskManager template in its ConfigMap and the name of the file that a JobManager looks for
// in /opt/flink/pod-template when it starts (Flink: Constants.TASK_MANAGER_POD_TEMPLATE_FILE_NAME).
const FileName = "taskmanager-pod-template.yaml"

// plainKey matches the mapping keys that need no quotes; a number, a boolean or null among them is caught by notText.
var (
	plainKey = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./-]*$`)
	notText  = regexp.MustCompile(`^(null|true|false|-?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?)$`)
)

// Print gives the text of the template as the Java operator writes it: block style, two spaces, list items level with
// their key, every string in double quotes (or as a literal block when it has lines), long strings folded at 80
// columns. Mappings are sorted. Nil gives the empty text.
//
// The text has neither apiVersion nor kind. Every Flink image reads the file as a Pod whatever it says.
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

// scalar prints a string whose continuation lines start at the column indent.
func (p *printer) scalar(text string, indent int) {
	if strings.Contains(text, "\n") && canBeBlock(text) {
		p.block(text, indent)
		return
	}
	p.quoted(text, indent)
}

// block prints a literal block; canBeBlock has said that its text survives one.
func (p *printer) block(text string, indent int) {
	p.text.WriteString("|")
	if text[0] == ' ' || text[0] == '\n' {
		p.text.WriteString("2")
	}
	body := strings.TrimRight(text, "\n")
	switch len(text) - len(body) {
	case 0:
		p.text.WriteString("-")
	case 1:
	default:
		p.text.WriteString("+")
		body = text[:len(text)-1]
	}
	for _, line := range strings.Split(body, "\n") {
		if line == "" {
			p.text.WriteString("\n")
			continue
		}
		p.newLine(indent)
		p.text.WriteString(line)
	}
}

// canBeBlock reports whether a literal block can hold the text: no blank before a line end or at the very end, nothing
// but printable characters, and something to hold.
func canBeBlock(text string) bool {
	if strings.Trim(text, "\n") == "" {
		return false
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasSuffix(line, " ") {
			return false
		}
		for _, r := range line {
			if !isPrintable(r) {
				return false
			}
		}
	}
	return true
}

const foldAt = 80

// quoted prints the text in double quotes, folded before a blank that lies beyond the fold column.
func (p *printer) quoted(text string, indent int) {
	line := p.text.String()
	column := len([]rune(line[strings.LastIndex(line, "\n")+1:])) + 1
	p.text.WriteString(`"`)
	pending := 0
	runes := []rune(text)
	flush := func(end int) {
		p.text.WriteString(string(runes[pending:end]))
		column += end - pending
		pending = end
	}
	for i, r := range runes {
		if escaped := escape(r); escaped != "" || r > 0x7e {
			flush(i)
			if escaped == "" {
				escaped = string(r) // stands for itself, but a line may end after it
			}
			p.text.WriteString(escaped)
			column += len([]rune(escaped))
			pending = i + 1
		}
		waiting := i - pending // -1 right after an escape, as in snakeyaml
		if i == 0 || i >= len(runes)-1 || (r != ' ' && pending < i) || column+waiting <= foldAt {
			continue
		}
		if pending < i {
			flush(i)
		}
		p.text.WriteString(`\`)
		p.newLine(indent)
		column = indent
		if pending < len(runes) && runes[pending] == ' ' {
			p.text.WriteString(`\`)
			column++
		}
	}
	flush(len(runes))
	p.text.WriteString(`"`)
}

var named = map[rune]string{
	0: `\0`, 7: `\a`, 8: `\b`, 9: `\t`, 10: `\n`, 11: `\v`, 12: `\f`, 13: `\r`, 27: `\e`, '"': `\"`, '\\': `\\`,
	0x85: `\N`, 0xa0: `\_`, 0x2028: `\L`, 0x2029: `\P`,
}

// escape gives what stands for the character in double quotes, or nothing when it stands for itself.
func escape(r rune) string {
	if name, there := named[r]; there {
		return name
	}
	switch {
	case isPrintable(r):
		return ""
	case r <= 0xff:
		return fmt.Sprintf(`\x%02x`, r)
	default:
		return fmt.Sprintf(`\u%04x`, r)
	}
}

func isPrintable(r rune) bool {
	return r >= 0x20 && r <= 0x7e || r >= 0xa1 && r <= 0xd7ff && r != 0x2028 && r != 0x2029 ||
		r >= 0xe000 && r <= 0xfffd && r != 0xfeff || r > 0xffff
}

func quoteKey(key string) string {
	switch {
	case plainKey.MatchString(key) && !notText.MatchString(key):
		return key
	case canBeBlock(key + "x"):
		return "'" + strings.ReplaceAll(key, "'", "''") + "'"
	default:
		p := &printer{}
		p.quoted(key, 0)
		return p.text.String()
	}
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
