package view

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
)

// errorText is the message of status.error, which is JSON of the Java operator's form, or plain text.
func errorText(text string) string {
	var e struct {
		Message string `json:"message"`
	}
	if json.Unmarshal([]byte(text), &e) == nil && e.Message != "" {
		text = e.Message
	}
	return summary.OneLine(text, summary.MaxMessageLength)
}

// ago is how long something is since, as kubectl writes ages; "-" when it is not known.
func ago(at *time.Time, now time.Time) string {
	if at == nil {
		return "-"
	}
	return duration.HumanDuration(max(now.Sub(*at), 0))
}

// brief is a text cut to a width at a character.
func brief(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:width-1]), " ") + "…"
}

// sorted are the names of a map in their order.
func sorted[T any](all map[string]T) []string { return slices.Sorted(maps.Keys(all)) }

// wrapWidth is how wide the lines of a paragraph become.
const wrapWidth = 100

// wrapped are the lines of a text, broken between words.
func wrapped(text string) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > wrapWidth {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// Printable is a text without what would change a terminal or hide a part of the text there: control characters but
// tabs, and characters that turn the direction of writing. A question mark stands in their place.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case unicode.IsControl(r), r == utf8.RuneError, unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
			return '?'
		}
		return r
	}, text)
}

// PrintableLines is that of a text of several lines.
func PrintableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}
