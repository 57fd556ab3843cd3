package redact

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Secrets are values that are known to be secret, wherever they appear. The zero value knows none.
type Secrets struct {
	// known finds them.
	known automaton
}

// Known collects the secrets of configurations, by their keys, and of lists of program arguments. Values of other keys
// count as far as they look like secrets: the password of a URL, a system property in a list of Java options. A value
// that is secret counts as a whole, and so does what looks like a secret in it, and each header of a list of them.
func Known(configs []map[string]string, args ...[]string) Secrets {
	var found []string
	looked := map[string]bool{} // the specs of one resource have most values in common
	for _, config := range configs {
		for name, value := range config {
			if Sensitive(name) {
				found = append(append(append(found, value), parts(value)...), headers(name, value)...)
			} else if !looked[value] {
				looked[value] = true
				found = append(found, parts(value)...)
			}
		}
	}
	for _, list := range args {
		eachArgument(list, func(_, prefix, arg string, secret bool) {
			if secret {
				found = append(found, arg)
			} else {
				found = append(found, parts(prefix+arg)...)
			}
		})
	}
	var values []string
	for _, value := range found {
		if value = strings.TrimSpace(value); isTelling(value) {
			quoted := strconv.Quote(value)
			values = append(values, value, url.QueryEscape(value), quoted[1:len(quoted)-1],
				strings.Join(strings.Fields(value), " "))
		}
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	values = slices.Compact(values)
	if len(values) == 0 {
		return Secrets{}
	}
	return Secrets{known: newAutomaton(values[:min(len(values), mostKnown)])}
}

// parts are the values in a text that look like secrets.
func parts(text string) []string {
	var found []string
	for _, s := range suspects(text) {
		found = append(found, text[s.from:s.to])
	}
	return found
}

// headers are the values of a list of HTTP headers, as Flink has them in one option: name:value, separated by commas.
func headers(option, list string) []string {
	if !strings.Contains(strings.ToLower(option), "header") {
		return nil
	}
	var found []string
	for header := range strings.SplitSeq(list, ",") {
		if _, value, is := strings.Cut(header, ":"); is {
			found = append(found, value)
		}
	}
	return found
}

// Shorter values, and those that are words of our own texts, say little where they stand alone, and hiding them would
// garble every text.
const (
	leastKnown = 4
	// mostKnown bounds how many are looked for, the longest first: every text is searched for each.
	mostKnown = 256
	// certain is the length from which on a value counts inside a longer word, too.
	certain = 8
	// leastLeft is the shortest beginning of a value that is hidden before the mark of a cut.
	leastLeft = 2
)

// marks stand where a text was cut.
var marks = []string{"…", "..."}

var ordinary = regexp.MustCompile(
	`(?i)^(?:true|false|none|null|default|auto|flink|kubernetes|kerberos|password|secret|token|` +
		`\d{1,5}|[\d.]+ ?[a-z]{1,3}|\*+)$`,
)

func isTelling(value string) bool {
	return utf8.RuneCountInString(value) >= leastKnown && !ordinary.MatchString(value) && !strings.Contains(value, Hidden)
}

// Text hides the known secrets, and what looks like a secret, see the function Text.
func (s Secrets) Text(text string) string { return settle(text, s.spans) }

func (s Secrets) spans(text string) []span {
	return append(suspects(text), s.known.spans(text)...)
}

// spans are the values in a text, and the beginnings of values that a cut has left: before its mark, or at the end of
// the text. Whoever cut it may not have known the secrets. The text is read once.
//
//	 #  what is left   of a value of  stands                     hidden
//	L1  >= certain     -              before a mark, at the end  yes
//	L2  >= leastKnown  >= certain     before a mark              yes
//	L3  >= leastLeft   -              before a mark, by itself   yes
//	L4  otherwise      -              -                          no
func (a *automaton) spans(text string) []span {
	if len(a.states) == 0 {
		return nil
	}
	var spans []span
	at, compared := int32(0), 0
	for i := 0; i < len(text); i++ {
		if text[i] == marks[0][0] || text[i] == marks[1][0] {
			if strings.HasPrefix(text[i:], marks[0]) || strings.HasPrefix(text[i:], marks[1]) {
				spans = append(spans, a.left(text[:i], at, true)...)
			}
		}
		at = a.step(at, text[i])
		for found := a.states[at].found; found != 0; found = a.states[a.states[found].fail].found {
			from, to := i+1-a.states[found].depth, 0
			for _, value := range a.states[found].ends {
				length := min(len(value), mostPrefix)
				if len(value) > mostPrefix && from >= compared {
					length += common(value[length:], text[from+length:])
				}
				if length >= certain || standsAlone(text, from, from+length) {
					to = max(to, from+length)
				}
			}
			if to > 0 {
				spans = append(spans, span{from, to})
			}
			if a.states[found].depth == mostPrefix {
				compared = max(compared, to)
			}
		}
	}
	return append(spans, a.left(text, at, false)...)
}

// left is the longest part of a value that the text ends with, if it is hidden. at is the state at its end.
func (a *automaton) left(text string, at int32, marked bool) []span {
	for ; at != 0; at = a.states[at].fail {
		length, end := a.states[at].depth, len(text)
		own := marked && (length >= leastLeft && standsAlone(text, end-length, end) ||
			length >= leastKnown && a.states[at].longest >= certain)
		if (length >= certain || own) && a.states[at].longest > length {
			return []span{{end - length, end}}
		}
	}
	return nil
}

// standsAlone reports whether neither a letter nor a digit touches a part of a text.
func standsAlone(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return !isLetterOrDigit(before) && !isLetterOrDigit(after)
}

func isLetterOrDigit(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// Arguments hides the secrets among the arguments of a program. The list keeps its length.
//
//	arguments                        | shown
//	--password hunter2               | --password ******
//	--password --verbose             | as they are: the next option is no value (ParameterTool)
//	--db.password=hunter2, -Dpw…=…   | --db.password=******
//	password=hunter2                 | password=******
//	--key value, --key=value         | --key ******: what key it is nobody knows
//	anything else                    | as Text shows it
func Arguments(args []string) []string {
	if args == nil {
		return nil
	}
	shown := make([]string, 0, len(args))
	eachArgument(args, func(name, prefix, arg string, secret bool) {
		if secret || (arg != "" && strings.EqualFold(name, "key")) {
			arg = Hidden
		}
		shown = append(shown, Text(prefix+arg))
	})
	return shown
}

// eachArgument calls visit for each argument: with the name that its value has, empty for none, with what stands before
// the value, and whether the value is secret.
func eachArgument(args []string, visit func(name, prefix, value string, secret bool)) {
	option := ""
	for _, arg := range args {
		name, value, assigned := strings.Cut(arg, "=")
		bare := strings.TrimLeft(name, "-")
		isOption := strings.HasPrefix(arg, "-") && bare != ""
		switch {
		case option != "" && !isOption:
			visit(option, "", arg, Sensitive(option))
			option = ""
		case assigned && !strings.ContainsAny(name, " \t\n/?"):
			visit(bare, name+"=", value, Sensitive(name))
			option = ""
		case isOption:
			visit("", "", arg, false)
			option = bare
		default:
			visit("", "", arg, false)
		}
	}
}
