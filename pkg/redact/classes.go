package redact

import (
	"regexp"
	"strings"
)

// javaClass is the class of a Java exception, and that its message follows.
var javaClass = regexp.MustCompile(`(?:[a-zA-Z_$][\w$]*\.)*[A-Z][\w$]*(?:Exception|Error|Failure|Throwable)\b(: ?)`)

// frameLine is a line of a stack trace that says where, not what.
var frameLine = regexp.MustCompile(`^\s+(?:at \S|\.\.\. \d+ )`)

// Classes leaves the messages of Java exceptions out of a text: what the code of a job says. Their classes stay, and
// where they were thrown, and the causes that " <- " joins. A text without a class stays as it is.
func Classes(text string) string {
	if !javaClass.MatchString(text) {
		return text
	}
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if frameLine.MatchString(line) {
			lines = append(lines, line)
			continue
		}
		parts := strings.Split(line, " <- ")
		named := false
		for i, part := range parts {
			if at := javaClass.FindStringSubmatchIndex(part); at != nil {
				parts[i], named = part[:at[2]], true
			} else if i > 0 {
				parts[i] = "" // a cause that has no class is a message
			}
		}
		parts = strings.FieldsFunc(strings.Join(parts, "\x00"), func(r rune) bool { return r == 0 })
		if len(lines) == 0 || named || strings.HasPrefix(line, "Caused by: ") {
			lines = append(lines, strings.Join(parts, " <- "))
		}
	}
	return strings.Join(lines, "\n")
}
