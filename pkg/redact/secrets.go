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
	// values are sorted, the longest first, each once.
	values []string
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
	var s Secrets
	for _, value := range found {
		if value = strings.TrimSpace(value); isTelling(value) {
			quoted := strconv.Quote(value)
			s.values = append(s.values, value, url.QueryEscape(value), quoted[1:len(quoted)-1],
				strings.Join(strings.Fields(value), " "))
		}
	}
	slices.SortFunc(s.values, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	s.values = slices.Compact(s.values)
	s.values = s.values[:min(len(s.values), mostKnown)]
	return s
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
	spans := suspects(text)
	for _, value := range s.values {
		for at := 0; ; {
			i := strings.Index(text[at:], value)
			if i < 0 {
				break
			}
			from, to := at+i, at+i+len(value)
			if len(value) >= certain || standsAlone(text, from, to) {
				spans = append(spans, span{from, to})
			}
			at = from + 1
		}
	}
	return append(spans, s.left(text)...)
}

// left are the beginnings of values that a cut has left: before its mark, or at the end of the text. Whoever cut it may
// not have known the secrets.
//
//	 #  what is left   of a value of  stands                     hidden
//	L1  >= certain     -              before a mark, at the end  yes
//	L2  >= leastKnown  >= certain     before a mark              yes
//	L3  >= leastLeft   -              before a mark, by itself   yes
//	L4  otherwise      -              -                          no
func (s Secrets) left(text string) []span {
	var spans []span
	look := func(end int, marked bool) {
		for _, value := range s.values {
			length := beginning(text[:end], value)
			own := marked && (length >= leastLeft && standsAlone(text, end-length, end) ||
				length >= leastKnown && len(value) >= certain)
			if length >= certain || own {
				spans = append(spans, span{end - length, end})
			}
		}
	}
	for _, mark := range marks {
		for at := 0; ; {
			i := strings.Index(text[at:], mark)
			if i < 0 {
				break
			}
			look(at+i, true)
			at += i + len(mark)
		}
	}
	look(len(text), false)
	return spans
}

// beginning is how many bytes of a value's beginning, but not all of it, a text ends with.
func beginning(text, value string) int {
	for length := min(len(value)-1, len(text)); length > 0; length-- {
		if strings.HasSuffix(text, value[:length]) {
			return length
		}
	}
	return 0
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
