package confyaml

import (
	"fmt"
	"regexp"
	"strings"
)

// notString matches the texts that YAML's core schema reads as something else than a string.
var notString = regexp.MustCompile(`^(?:` +
	`~|null|Null|NULL|` +
	`true|True|TRUE|false|False|FALSE|` +
	`[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|` +
	`[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|` +
	`[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)` +
	`)$`)

// scalar prints a string value of a line that is indented so far.
//
//	text                                            | style
//	------------------------------------------------+--------------
//	has characters that need an escape              | "double"
//	has line breaks, none of them after a blank     | literal block
//	has other line breaks                           | "double"
//	is empty, reads as another type, or would       | 'single'
//	be taken for YAML's own signs                   |
//	anything else                                   | plain
func scalar(text string, indent int) string {
	switch {
	case needsEscape(text):
		return doubleQuoted(text)
	case strings.Contains(text, "\n"):
		if strings.HasSuffix(text, " ") || strings.Contains(text, " \n") {
			return doubleQuoted(text)
		}
		return literal(text, indent+2)
	case plain(text):
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// keyText prints one part of a key, which stands on the line of its value.
func keyText(name string) string {
	if needsEscape(name) || strings.Contains(name, "\n") {
		return doubleQuoted(name)
	}
	return scalar(name, 0)
}

// plain tells whether a single line reads back as the same string without quotes.
func plain(text string) bool {
	if text == "" || text[0] == ' ' || text[len(text)-1] == ' ' || notString.MatchString(text) {
		return false
	}
	if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") {
		return false
	}
	if strings.ContainsRune("#,[]{}&*!|>'\"%@`", rune(text[0])) {
		return false
	}
	if strings.ContainsRune("?:-", rune(text[0])) && (len(text) == 1 || text[1] == ' ') {
		return false
	}
	return !strings.Contains(text, ": ") && !strings.HasSuffix(text, ":") && !strings.Contains(text, " #")
}

// needsEscape tells whether a text has a character that only a double quoted string can hold safely: control characters
// and the line breaks of older YAML versions, which some readers turn into a line feed.
func needsEscape(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && escape(r) != "" && r != '"' && r != '\\'
	})
}

// escapes are the characters that have a short escape sequence.
var escapes = map[rune]string{
	0: `\0`, '\a': `\a`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\v': `\v`, '\f': `\f`, '\r': `\r`, 0x1b: `\e`, '"': `\"`,
	'\\': `\\`,
	0x85: `\N`, 0x2028: `\L`, 0x2029: `\P`,
}

// escape returns the escape sequence of a character in a double quoted string, "" when it stands for itself.
func escape(r rune) string {
	switch {
	case escapes[r] != "":
		return escapes[r]
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return fmt.Sprintf(`\x%02x`, r)
	case r == 0xfeff || r == 0xfffe || r == 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return ""
}

func doubleQuoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		if r == 0xa0 { // the one character that needs no quotes, but looks like a blank inside them
			out.WriteString(`\_`)
			continue
		}
		if sequence := escape(r); sequence != "" {
			out.WriteString(sequence)
			continue
		}
		out.WriteRune(r)
	}
	out.WriteByte('"')
	return out.String()
}

// literal prints a text of several lines as a block. The header says how much it is indented when it starts with a
// blank or an empty line, and what happens to the line breaks at its end.
func literal(text string, indent int) string {
	header := "|"
	if text[0] == ' ' || text[0] == '\n' {
		header += "2"
	}
	body := text
	switch {
	case !strings.HasSuffix(text, "\n"):
		header += "-"
	case text == "\n" || strings.HasSuffix(text, "\n\n"):
		header += "+"
		body = text[:len(text)-1]
	default:
		body = text[:len(text)-1]
	}
	var out strings.Builder
	out.WriteString(header)
	for line := range strings.SplitSeq(body, "\n") {
		out.WriteString("\n")
		if line != "" {
			out.WriteString(strings.Repeat(" ", indent) + line)
		}
	}
	return out.String()
}
