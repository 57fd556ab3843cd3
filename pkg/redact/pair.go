package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// named is a name that may speak of a secret.
const named = `[\w.$\-]*(?i:password|passwd|passphrase|secret|token|key|credential|pwd|auth-params|basic-auth|` +
	`jaas\.config|http-headers|http\.header|pass|jwt|cookie)[\w.$\-]*`

var (
	assignment = regexp.MustCompile(`(` + named + `)(\\*["']?\s*(?:=>|=|:)[ \t]*)`)
	option     = regexp.MustCompile(`(?:^|[\s,\["'(])(--?` + named + `)(?:["']?,?\s+|["'],)`)
)

// assignments are the values that a text gives to sensitive names.
func assignments(text string) []span {
	if !mayAssign(text) {
		return nil
	}
	var spans []span
	done := 0
	for _, m := range assignment.FindAllStringSubmatchIndex(text, -1) {
		name, sign := text[m[2]:m[3]], text[m[4]:m[5]]
		if m[0] < done || !Sensitive(name) || isCode(name) {
			continue
		}
		if value := valueAt(text, m[1], "\"',;&)]}<>"); !isSentence(text[:m[2]], name, sign, text[value.from:value.to]) {
			spans = append(spans, value)
			done = value.to
		}
	}
	return spans
}

// options are the values that follow sensitive names of a program's options.
func options(text string) []span {
	if !mayGiveOption(text) {
		return nil
	}
	var spans []span
	done := 0
	for _, m := range option.FindAllStringSubmatchIndex(text, -1) {
		if m[0] < done || !Sensitive(text[m[2]:m[3]]) {
			continue
		}
		if value := valueAt(text, m[1], "\"',]"); !strings.HasPrefix(text[value.from:value.to], "-") {
			spans = append(spans, value)
			done = value.to
		}
	}
	return spans
}

const (
	// mostQuoted is how far away the quote that closes a value may be, in bytes.
	mostQuoted = 4096
	// mostEscapes is how often a quote may be escaped.
	mostEscapes = 8
)

// valueAt is the value that begins at a place: what stands in quotes, which may be escaped themselves, or else
// everything up to white space or one of the ends. A quote that nothing closes, because the text was cut, counts for
// nothing.
func valueAt(text string, at int, ends string) span {
	open := at
	for open < min(len(text), at+mostEscapes) && text[open] == '\\' {
		open++
	}
	if open < len(text) && strings.ContainsRune(`"'`, rune(text[open])) {
		within := text[open+1 : min(len(text), open+1+mostQuoted)]
		if length := closing(within, text[at:open+1]); length >= 0 {
			return span{open + 1, open + 1 + length}
		}
		at = open + 1
	}
	bare := strings.IndexFunc(text[at:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(ends, r) })
	if bare < 0 {
		bare = len(text) - at
	}
	return span{at, at + len(strings.TrimRight(text[at:at+bare], `\`))}
}

// closing is where a quote ends that was opened by a mark: a quote, or an escaped quote. -1 when it does not.
func closing(text, mark string) int {
	if len(mark) > 1 {
		return strings.Index(text, mark)
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case mark[0]:
			return i
		}
	}
	return -1
}

// isCode reports whether a name is that of a Java class or file.
func isCode(name string) bool {
	last := name[strings.LastIndex(name, ".")+1:]
	ends := func(end string) bool { return strings.HasSuffix(name, end) }
	return slices.ContainsFunc([]string{"Exception", "Error", "Failure", ".java", ".scala", ".kt"}, ends) ||
		(last != name && last != "" && unicode.IsUpper(rune(last[0])) && strings.ToUpper(last) != last)
}

// isSentence reports whether a colon ends the first half of a sentence: after the path of an object, or after the bare
// word token or secret, when a word or a class follows.
func isSentence(before, name, sign, value string) bool {
	if sign != ": " {
		return false
	}
	bare := slices.Contains([]string{"token", "tokens", "secret", "secrets"}, strings.ToLower(name))
	return strings.HasSuffix(before, "/") || (bare && isWord(strings.ReplaceAll(value, ".", "")) || bare &&
		classLike.MatchString(value))
}

var classLike = regexp.MustCompile(`^(?:[a-z]\w*\.)+[A-Z]\w*:?$`)
