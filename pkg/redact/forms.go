package redact

import (
	"regexp"
	"strings"
	"unicode"
)

// tokens are the credentials of well-known services, by the beginnings that their makers gave them so that they can be
// found. Each is followed by enough of the rest that no word is taken for one.
var tokens = regexp.MustCompile(`\b(?:` +
	`gh[opusr]_\w{16,}|github_pat_\w{8,}|gl(?:pat|dt|rt|ptt|ft|soat)-[\w-]{16,}|` + // GitHub, GitLab
	`xox[abeoprs]-[\w-]{8,}|xapp-[\w-]{8,}|` + // Slack
	`(?:AKIA|ASIA|AIDA|AROA)[A-Z0-9]{12,}|` + // AWS
	`sk-[\w-]{16,}|[rs]k_(?:live|test)_\w{8,}|` + // OpenAI and others, Stripe
	`AIza[\w-]{30,}|ya29\.[\w-]{16,}|GOCSPX-[\w-]{16,}|` + // Google
	`hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{16,}|pypi-[\w-]{16,}|dckr_pat_[\w-]{16,}|` + // registries
	`hv[sbr]\.[\w-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|` + // Vault, SendGrid
	`dop_v1_[0-9a-f]{16,}|dapi[0-9a-f]{32}|` + // DigitalOcean, Databricks
	`shp(?:at|ca|pa|ss)_[0-9a-fA-F]{16,}|lin_api_\w{16,}|eyJ[\w-]{40,})` +
	`|AGE-SECRET-KEY-1[0-9A-Z]{16,}|\bAccountKey=[\w+/=]{16,}`)

// traces of tokens, in lower case.
var tokenTraces = []string{
	"gh", "github_pat", "gl", "xox", "xapp-", "akia", "asia", "aida", "aroa", "sk-", "k_live_", "k_test_", "aiza", "ya29.",
	"gocspx-",
	"hf_", "npm_", "pypi-", "dckr_pat_", "hv", "sg.", "dop_v1_", "dapi", "shp", "lin_api_", "eyj", "age-secret-key",
	"accountkey",
}

var (
	// header is a header whose whole value is secret, in any case, up to the end of the line or of its quotes. An option
	// that ends so, as high-availability.zookeeper.client.authorization, is none.
	header = regexp.MustCompile(`(?i)(?:^|[^\w.$-])(?:(?:set-)?cookie2?|(?:proxy-)?authorization|` +
		`x-[\w-]*(?:token|auth|key|secret|session)[\w-]*)\\*["']?\s*[:=]\s*(\\*["']?(?:(?:bearer|basic)\s+)?)([^\r\n]+)`)
	// login is user/password@database, as Oracle's tools have it: after a word that says so, or before a host with a port,
	// a service or a domain.
	login = regexp.MustCompile(`(?i)(?:\b(?:sqlplus|sqlldr|expdp|impdp|connect|conn)\s+|\bthin:|\boci8?:)` +
		`[\w$#]+/([^\s/@"']+)@|(?:^|[\s"'=(,])[A-Za-z][\w$#]*/([^\s/@"']+)@(?://|\()`)
	// host is the rest of a login whose database is a bare host.
	hostLogin = regexp.MustCompile(`(?:^|[\s"'=(,])[A-Za-z][\w$#]*/([^\s/@"']+)@[A-Za-z][\w.-]*(?::\d+)?/[\w.$-]+`)
	// curlUser is a user and a password in one argument.
	curlUser = regexp.MustCompile(`(?:^|\s)(?:-u|--user|--proxy-user)[\s=]+["']?[^\s:"']+:([^\s"']+)`)
	// shortPassword is the password of mysql and its like, which take it without a space.
	shortPassword = regexp.MustCompile(
		`(?i)\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass)\b[^\r\n]*?\s-p["']?([^\s"'-][^\s"']*)`)
	// listed is a value beside its name, as environments of pods have them.
	listed = regexp.MustCompile(
		`(?i)["']?\b(?:name|key)["']?\s*[:=]\s*\\*["']?([\w.$-]+)\\*["']?\s*,?\s*\\*["']?value\\*["']?\s*[:=]\s*`)
	// block is a name with a YAML block below it.
	block = regexp.MustCompile(`(?m)^([ \t]*)(?:- )?["']?([\w.$-]+)["']?[ \t]*:[ \t]*(?:[|>][-+0-9]*)?[ \t]*(?:#.*)?\r?\n`)
	// line is a line that is one assignment.
	line = regexp.MustCompile(`(?m)^[ \t]*(?:- |export +|set +|-D|ENV +)?["']?([\w.$-]+)["']?[ \t]*[=:][ \t]*` +
		`([^\s"'{\[|>,;&][^\r\n]*)`)
)

// groups are the spans of the groups of a pattern that took part, from the first given on.
func groups(pattern *regexp.Regexp, text string, first int) []span {
	var spans []span
	for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
		for g := 2 * first; g < len(at); g += 2 {
			if at[g] >= 0 && at[g] < at[g+1] {
				spans = append(spans, span{at[g], at[g+1]})
			}
		}
	}
	return spans
}

// headers are the values of headers that are secret as a whole. A scheme stays.
func headerValues(text string) []span {
	var spans []span
	for _, at := range header.FindAllStringSubmatchIndex(text, -1) {
		value := text[at[4]:at[5]]
		if quote := strings.TrimLeft(text[at[2]:at[3]], `\`); quote != "" && strings.ContainsRune(`"'`, rune(quote[0])) {
			value, _, _ = strings.Cut(value, quote[:1])
		}
		if value = strings.TrimRight(value, ` \"'`); value != "" && !isProse(value) {
			spans = append(spans, span{at[4], at[4] + len(value)})
		}
	}
	return spans
}

// isProse reports whether a text reads like words of a sentence.
func isProse(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if !isWord(strings.TrimRight(word, ",:;")) {
			return false
		}
	}
	return true
}

// logins are passwords that stand beside their user.
func logins(text string) []span {
	var spans []span
	for _, pattern := range []*regexp.Regexp{login, hostLogin, curlUser, shortPassword} {
		spans = append(spans, groups(pattern, text, 1)...)
	}
	return spans
}

// listedValues are values beside a sensitive name, in an object or two lines of a list.
func listedValues(text string) []span {
	var spans []span
	for _, at := range listed.FindAllStringSubmatchIndex(text, -1) {
		if !Sensitive(text[at[2]:at[3]]) {
			continue
		}
		if value := valueAt(text, at[1], "\"',;&)]}<>"); value.from < value.to {
			spans = append(spans, value)
		}
	}
	return spans
}

// blocks are the lines below a sensitive name that are further in than it.
func blocks(text string) []span {
	var spans []span
	done := 0
	for _, at := range block.FindAllStringSubmatchIndex(text, -1) {
		if at[0] < done || !Sensitive(text[at[4]:at[5]]) {
			continue
		}
		indent, from, to := at[3]-at[2], at[1], at[1]
		for to < len(text) {
			end := len(text)
			if i := strings.IndexByte(text[to:], '\n'); i >= 0 {
				end = to + i + 1
			}
			row := strings.TrimRight(text[to:end], " \t\r\n")
			inner := strings.TrimLeft(row, " \t")
			if in := len(row) - len(inner); row != "" && (in < indent || in == indent && !strings.HasPrefix(inner, "- ")) {
				break
			}
			to = end
		}
		for from < to && unicode.IsSpace(rune(text[from])) {
			from++
		}
		for to > from && unicode.IsSpace(rune(text[to-1])) {
			to--
		}
		if from < to {
			spans = append(spans, span{from, to})
		}
		done = max(done, to)
	}
	return spans
}

// ends are where the value of a line ends: before another assignment, or a sign that parts them.
var ends = regexp.MustCompile(`[ \t]+["']?[\w.$-]+["']?[ \t]*[=:]|[ \t]+--?[A-Za-z]|[,;&<>]|["'}\])]`)

// lines are the values of lines that assign one to a sensitive name: all words of them.
func lines(text string) []span {
	var spans []span
	for _, at := range line.FindAllStringSubmatchIndex(text, -1) {
		name, value := text[at[2]:at[3]], text[at[4]:at[5]]
		if !Sensitive(name) || isCode(name) || isSentence(text[:at[2]], name, ": ", value) ||
			isSpoken(text[at[3]:at[4]], value) {
			continue
		}
		if end := ends.FindStringIndex(value); end != nil {
			value = value[:end[0]]
		}
		if value = strings.TrimRight(value, ` \`+"\t"); value != "" {
			spans = append(spans, span{at[4], at[4] + len(value)})
		}
	}
	return spans
}

// isSpoken reports whether a colon is one of a sentence: a space and words follow.
func isSpoken(sign, value string) bool {
	return strings.HasSuffix(sign, ": ") && strings.Contains(value, " ") && isProse(value)
}

// nested are the objects and lists that a text gives to sensitive names.
func nested(text string) []span {
	var spans []span
	done := 0
	for _, m := range assignment.FindAllStringSubmatchIndex(text, -1) {
		opens := m[1] < len(text) && strings.ContainsRune("{[", rune(text[m[1]]))
		if m[0] < done || !opens || !Sensitive(text[m[2]:m[3]]) {
			continue
		}
		depth, end := 0, min(len(text), m[1]+mostQuoted)
		for i := m[1]; i < end; i++ {
			switch text[i] {
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			if depth == 0 {
				end = i
			}
		}
		if inner := strings.TrimSpace(text[m[1]+1 : end]); inner != "" {
			spans = append(spans, span{m[1] + 1, end})
		}
		done = end
	}
	return spans
}

// weak are names that hold a secret in some texts and none in others: what follows must look like one, too.
var weak = regexp.MustCompile(`(?i)(?:^|[\s"'?&;,({\[])((?:[\w-]*[-_.])?(?:auth|session|sessionid|sid|pin|otp|` +
	`jsessionid|phpsessid|pw|sign|nonce|csrf|xsrf))\\*["']?\s*(?:=|:\s*\\*["'])\s*\\*["']?([^\s"',;&)\]}<>\\]{6,})`)

// weakly are values of weak names that are no word: with a digit, or with capitals inside.
func weakly(text string) []span {
	var spans []span
	for _, at := range weak.FindAllStringSubmatchIndex(text, -1) {
		if value := text[at[4]:at[5]]; !isWord(value) && strings.ContainsFunc(value, func(r rune) bool {
			return unicode.IsDigit(r) || unicode.IsUpper(r)
		}) {
			spans = append(spans, span{at[4], at[5]})
		}
	}
	return spans
}
