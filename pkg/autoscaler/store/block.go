package store

import "strings"

// block scans the YAML that Java writes: mappings and lists in block form, plain scalars, and scalars in double quotes
// without escapes. Anything else is left to the library, which takes ten times as long for it.
type block struct {
	lines []blockLine
	next  int
}

// blockLine is a line without its indent and its end.
type blockLine struct {
	indent int
	text   string
}

// parseBlock reads a text that is in that form. It reports whether it is.
func parseBlock(text string) (node, bool) {
	if text == "--- {}\n" {
		return node{kind: mapping}, true
	}
	body, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return node{}, false
	}
	b := &block{lines: make([]blockLine, 0, strings.Count(body, "\n"))}
	for body != "" {
		line, rest, ended := strings.Cut(body, "\n")
		plain := strings.TrimLeft(line, " ")
		if !ended || plain == "" {
			return node{}, false
		}
		b.lines = append(b.lines, blockLine{indent: len(line) - len(plain), text: plain})
		body = rest
	}
	root, ok := b.mapping(0)
	return root, ok && b.next == len(b.lines)
}

// at reports whether there is a line of that indent, and whether it is an item of a list.
func (b *block) at(indent int) (there, item bool) {
	if b.next >= len(b.lines) || b.lines[b.next].indent != indent {
		return false, false
	}
	return true, strings.HasPrefix(b.lines[b.next].text, "- ")
}

// mapping reads the entries of an indent. At least one is there.
func (b *block) mapping(indent int) (node, bool) {
	n := node{kind: mapping}
	for {
		there, item := b.at(indent)
		if !there || item {
			return n, len(n.keys) > 0
		}
		key, rest, ok := splitKey(b.lines[b.next].text)
		if !ok {
			return n, false
		}
		b.next++
		value, ok := b.value(indent, rest)
		if !ok {
			return n, false
		}
		n.keys, n.values = append(n.keys, key), append(n.values, value)
	}
}

// value reads what follows a key: on its line, or below it. The items of a list stand at the indent of their key.
func (b *block) value(indent int, rest string) (node, bool) {
	if rest != "" {
		return blockScalar(rest)
	}
	if _, item := b.at(indent); item {
		return b.sequence(indent)
	}
	if b.next < len(b.lines) && b.lines[b.next].indent > indent {
		return b.mapping(b.lines[b.next].indent)
	}
	return node{}, false
}

// sequence reads the items of a list: scalars, or mappings whose first entry stands behind the dash.
func (b *block) sequence(indent int) (node, bool) {
	n := node{kind: sequence}
	for {
		there, item := b.at(indent)
		if !there || !item {
			return n, true
		}
		line := &b.lines[b.next]
		text := line.text[2:]
		var value node
		_, _, isEntry := splitKey(text)
		ok := true
		if isEntry {
			line.indent, line.text = indent+2, text
			value, ok = b.mapping(indent + 2)
		} else {
			b.next++
			value, ok = blockScalar(text)
		}
		if !ok {
			return n, false
		}
		n.values = append(n.values, value)
	}
}

// splitKey splits key: value. The value is empty where it stands below.
func splitKey(text string) (key, rest string, ok bool) {
	end := 0
	if strings.HasPrefix(text, `"`) {
		closing := strings.IndexByte(text[1:], '"')
		if closing < 0 || !isSimple(text[1:closing+1]) {
			return "", "", false
		}
		key, end = text[1:closing+1], closing+2
	} else {
		for end < len(text) && isPlain(text[end]) {
			end++
		}
		key = text[:end]
	}
	if key == "" || end >= len(text) || text[end] != ':' {
		return "", "", false
	}
	rest = text[end+1:]
	if rest == "" {
		return key, "", true
	}
	if len(rest) < 2 || rest[0] != ' ' || rest[1] == ' ' {
		return "", "", false
	}
	return key, rest[1:], true
}

// blockScalar reads a scalar, or an empty mapping or list.
func blockScalar(text string) (node, bool) {
	switch {
	case text == "{}":
		return node{kind: mapping}, true
	case text == "[]":
		return node{kind: sequence}, true
	case len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"':
		inner := text[1 : len(text)-1]
		return node{text: inner, quoted: true}, isSimple(inner)
	}
	for i := range len(text) {
		if !isPlain(text[i]) {
			return node{}, false
		}
	}
	return node{text: text}, text != "-" && !strings.HasPrefix(text, "---")
}

// isSimple reports whether a text in double quotes stands for itself.
func isSimple(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// isPlain are the characters of names and numbers.
func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_' ||
		c == '+'
}
