package podtemplate

import (
	"fmt"
	"regexp"
	"strings"
)

// plainKey matches the mapping keys that need no quotes; a number, a boolean or null among them is caught by notText.
var (
	plainKey = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./-]*$`)
	notText  = regexp.MustCompile(`^(null|true|false|-?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?)$`)
)

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
