package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// span is a part of a text, from its first byte to the one after its last.
type span struct{ from, to int }

// Text hides what looks like a secret.
//
//	what                                      | hidden                      | kept
//	scheme://user:password@host               | the password                | the user
//	http(s)://token@host                      | the token                   |
//	?sig=…, ?X-Amz-Signature=… and the like    | the value                   | the name
//	name=value, name: value, "name":"value"   | the value, if Sensitive     | the name
//	--name value                              | the value, if Sensitive     | the name
//	name: with a block of YAML below it       | the block, if Sensitive     | the name
//	name: {…}, name: […]                      | what is within              | the name
//	name: …, value: … of a list               | the value, if Sensitive     | the name
//	Cookie: …, Authorization: …, X-…-Token: … | all of it                   | the name, Bearer, Basic
//	Bearer …, Basic …                         | what follows, unless a word | the scheme
//	user/password@database, curl -u user:…    | the password                | the user
//	sid=…, session="…", auth=… and the like   | the value, unless a word    | the name
//	a PEM block of a private key, a JWT, a    | all of it                   |
//	token of a well-known service (ghp_…)     |                             |
//
// Names of Java classes, such as TokenException, name no secret. A text of more than 16 KiB is cut.
func Text(text string) string { return settle(text, suspects) }

const (
	// mostTurns bounds how often a text is gone through: what is hidden may lay bare another secret.
	mostTurns = 8
	// mostText is where a text is cut before anything is looked for, in bytes: no event, status or log line shows as much,
	// and whoever wrote it must not cost a pass its time.
	mostText = 1 << 14
)

// settle hides what find finds until it finds nothing more.
func settle(text string, find func(string) []span) string {
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText-len(marks[0])], "") + marks[0]
	}
	for range mostTurns {
		spans := find(text)
		if len(spans) == 0 {
			break
		}
		text = hide(text, spans)
	}
	return text
}

// suspects are the spans that look like secrets.
func suspects(text string) []span {
	var spans []span
	lower := strings.ToLower(text)
	for _, f := range finders {
		if slices.ContainsFunc(f.traces, func(trace string) bool { return strings.Contains(lower, trace) }) {
			spans = append(spans, f.find(text)...)
		}
	}
	return slices.DeleteFunc(spans, func(s span) bool { return strings.Trim(text[s.from:s.to], "*") == "" })
}

// finders look for one kind of suspect each. traces are what every text with one has, in lower case: most texts have
// none, and a search for a few words costs less than a regular expression.
var finders = []struct {
	traces []string
	find   func(string) []span
}{
	{[]string{"-----begin"}, func(text string) []span { return whole(privateKey, text) }},
	{[]string{"eyj"}, func(text string) []span { return whole(webToken, text) }},
	{[]string{"bearer", "basic"}, schemes},
	{[]string{"://"}, urls},
	{traces, assignments},
	{traces, options},
	{traces, nested},
	{traces, blocks},
	{traces, lines},
	{[]string{"value"}, listedValues},
	{tokenTraces, func(text string) []span { return whole(tokens, text) }},
	{[]string{"cookie", "authorization", "x-"}, headerValues},
	{[]string{"@", "-u", "--user", "--proxy-user", "mysql", "mariadb", "sshpass"}, logins},
	{[]string{"auth", "session", "sid", "pin", "otp", "sessid", "pw", "sign", "nonce", "csrf", "xsrf"}, weakly},
}

// traces are those of every name that is Sensitive.
var traces = []string{
	"password", "passwd", "passphrase", "secret", "token", "key", "credential", "pwd", "auth-params", "jaas",
	"http-headers", "http.header", "pass", "jwt", "cookie",
}

var (
	privateKey = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`)
	webToken   = regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`)
)

func whole(pattern *regexp.Regexp, text string) []span {
	var spans []span
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		spans = append(spans, span{at[0], at[1]})
	}
	return spans
}

var scheme = regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([\w+/=.~-]{6,})`)

// schemes are the credentials of Authorization headers.
func schemes(text string) []span {
	var spans []span
	for _, at := range scheme.FindAllStringSubmatchIndex(text, -1) {
		if !isWord(text[at[2]:at[3]]) {
			spans = append(spans, span{at[2], at[3]})
		}
	}
	return spans
}

// isWord reports whether a text reads like a word of a sentence: letters, none of them in upper case but the first.
func isWord(text string) bool {
	text = strings.TrimRight(text, ".")
	for i, r := range text {
		if !unicode.IsLetter(r) || (i > 0 && unicode.IsUpper(r)) {
			return false
		}
	}
	return true
}

var (
	address   = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*)://([^\s"'<>]+)`)
	parameter = regexp.MustCompile(`[?&;]([\w.~%-]+)=([^&;#\s"'<>]+)`)
	signature = regexp.MustCompile(
		`(?i)^(?:sig|signature|key|code|auth|x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|` +
			`googleaccessid)$`,
	)
)

// urls are the passwords and the signed parameters of URLs.
func urls(text string) []span {
	var spans []span
	for _, at := range address.FindAllStringSubmatchIndex(text, -1) {
		start, rest := at[4], text[at[4]:at[5]]
		authority := rest[:authorityEnd(rest)]
		if end := strings.LastIndex(authority, "@"); end > 0 {
			colon := strings.Index(authority[:end], ":")
			switch {
			case colon >= 0 && colon+1 < end:
				spans = append(spans, span{start + colon + 1, start + end})
			case colon < 0 && strings.HasPrefix(strings.ToLower(text[at[2]:at[3]]), "http"):
				spans = append(spans, span{start, start + end})
			}
		}
		for _, p := range parameter.FindAllStringSubmatchIndex(rest, -1) {
			if name := rest[p[2]:p[3]]; signature.MatchString(name) || Sensitive(name) {
				spans = append(spans, span{start + p[4], start + p[5]})
			}
		}
	}
	return spans
}

// authorityEnd is where the path, the query or the fragment of a URL begins, given what follows its scheme.
func authorityEnd(rest string) int {
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		return end
	}
	return len(rest)
}

// hide replaces spans, which may overlap. There is at least one.
func hide(text string, spans []span) string {
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var out strings.Builder
	done := 0
	for i := 0; i < len(spans); {
		from, to := spans[i].from, spans[i].to
		for i++; i < len(spans) && spans[i].from <= to; i++ {
			to = max(to, spans[i].to)
		}
		out.WriteString(text[done:from] + Hidden)
		done = to
	}
	return out.String() + text[done:]
}
