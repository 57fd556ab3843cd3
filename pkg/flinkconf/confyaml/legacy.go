package confyaml

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Skipped is a line of flink-conf.yaml that Flink ignores.
type Skipped struct {
	// Line counts from 1.
	Line int
	// Why says what is wrong with it, without its text, which may be a secret.
	Why string
}

// ParseLegacy reads flink-conf.yaml as Flink before 2.0 does. It never fails: lines it cannot read are skipped.
//
//	line                             | is
//	---------------------------------+---------------------------------------------
//	everything from the first # on   | a comment, even in the middle of a value
//	blank                            | nothing
//	without ": "                     | skipped
//	key or value empty after a trim  | skipped
//	a key again                      | the last one counts
func ParseLegacy(text string) (map[string]string, []Skipped) {
	flat := map[string]string{}
	var skipped []Skipped
	number := 0
	for line := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n") {
		number++
		content, _, _ := strings.Cut(line, "#")
		content = trim(content)
		if content == "" {
			continue
		}
		key, value, found := strings.Cut(content, ": ")
		key, value = trim(key), trim(value)
		switch {
		case !found:
			skipped = append(skipped, Skipped{number, `it has no ": " between a key and a value`})
		case key == "" || value == "":
			skipped = append(skipped, Skipped{number, "its key or its value is empty"})
		default:
			flat[key] = value
		}
	}
	return flat, skipped
}

// PrintLegacy prints entries as flink-conf.yaml, sorted by key. Line breaks inside a value become one blank, because
// Flink would take the rest for lines of their own. Flink reads back every entry but these: a value is cut at '#' and
// trimmed, and an empty one vanishes; there is no escape for them.
func PrintLegacy(flat map[string]string) string {
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(flat)) {
		out.WriteString(oneLine(key) + ": " + oneLine(flat[key]) + "\n")
	}
	return out.String()
}

var lineBreaks = regexp.MustCompile(`[ \t]*[\r\n]+[ \t]*`)

func oneLine(text string) string {
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	return lineBreaks.ReplaceAllString(trim(text), " ")
}

// trim is Java's String.trim.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// UnfitForLegacy says why Flink before 2.0 does not read an entry back from PrintLegacy as it was; empty: it does.
// loses is false where only the white space is another. No escape helps: quotes are a part of the value.
//
//	entry                                  read back                      loses
//	-------------------------------------  -----------------------------  -----
//	a # in key or value                    what stands before it          yes
//	": " in the key                        another key                    yes
//	a line break or white space around it  no line, or another key        yes
//	  in the key, or no key
//	no value, or nothing but white space   not there                      no
//	line breaks in the value               one blank each                 no
//	white space around the value           without it                     no
func UnfitForLegacy(key, value string) (why string, loses bool) {
	switch {
	case strings.Contains(key, "#") || strings.Contains(value, "#"):
		return "it has a #, and from there on Flink takes the line for a comment, within quotes, too", true
	case key == "" || strings.Contains(key, ": ") || strings.ContainsAny(key, "\r\n") || trim(key) != key:
		return `its key has ": ", a line break or white space around it, and Flink reads another key`, true
	case trim(value) == "":
		return "it has no value, and Flink counts it as not set", false
	case strings.ContainsAny(value, "\r\n"):
		return "it has several lines, and Flink gets blanks in place of the line breaks", false
	case trim(value) != value:
		return "it has white space around it, and Flink gets it without", false
	}
	return "", false
}
