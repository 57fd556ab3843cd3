package redact

import (
	"slices"
	"strings"
)

// Most texts that have a trace of a sensitive name give it no value, and a pattern costs much more than a look for the
// name's place in the text. What a pattern finds, its look finds, too.

// mayAssign reports whether a text may have something for the pattern assignment: a sensitive name, and after it no
// more than escapes, a quote and white space up to a sign.
func mayAssign(text string) bool {
	if foldsOddly(text) {
		return true
	}
	for at := range len(text) {
		if text[at] != '=' && text[at] != ':' {
			continue
		}
		before := strings.TrimRight(text[:at], white)
		before = strings.TrimSuffix(strings.TrimSuffix(before, `"`), "'")
		before = strings.TrimRight(before, `\`)
		from := len(before)
		for from > 0 && isNamed(before[from-1]) {
			from--
		}
		if isTraced(before[from:]) {
			return true
		}
	}
	return false
}

// mayGiveOption reports whether a text may have something for the pattern option: a word that begins with a dash and is
// a sensitive name.
func mayGiveOption(text string) bool {
	if foldsOddly(text) {
		return true
	}
	for at := range len(text) {
		if text[at] != '-' || (at > 0 && !strings.ContainsRune(white+`,["'(`, rune(text[at-1]))) {
			continue
		}
		to := at
		for to < len(text) && isNamed(text[to]) {
			to++
		}
		if isTraced(text[at:to]) {
			return true
		}
	}
	return false
}

// white is what a pattern calls white space.
const white = "\t\n\f\r "

// isNamed reports whether a byte may be part of a name, as a pattern has it.
func isNamed(c byte) bool {
	return c == '.' || c == '$' || c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' ||
		'A' <= c && c <= 'Z'
}

// isTraced reports whether a name has one of the words of the patterns.
func isTraced(name string) bool {
	if name == "" {
		return false
	}
	lower := strings.ToLower(name)
	return strings.Contains(lower, "basic-auth") ||
		slices.ContainsFunc(traces, func(trace string) bool { return strings.Contains(lower, trace) })
}

// foldsOddly reports whether a text has one of the letters that are no ASCII and that a pattern takes for one.
func foldsOddly(text string) bool { return strings.ContainsAny(text, "\u017f\u212a") }
