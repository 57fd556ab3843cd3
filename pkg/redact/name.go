package redact

import (
	"regexp"
	"slices"
	"strings"
)

// Hidden stands for a secret, as in Flink's own log (GlobalConfiguration.HIDDEN_CONTENT).
const Hidden = "******"

// flinkParts are the parts of key names that make Flink hide a value (GlobalConfiguration.isSensitive, Flink 1.20 and
// 2.2).
var flinkParts = []string{
	"password", "secret", "fs.azure.account.key", "apikey", "api-key", "auth-params", "service-key", "token",
	"basic-auth", "jaas.config", "http-headers",
}

// moreParts are names that programs and file systems give to secrets.
var moreParts = regexp.MustCompile(
	`(?i)passwd|passphrase|passcode|credential|(?:^|[-_.]|[a-z])(?-i:Pass|Jwt|Cookie)$|` +
		`(?:^|[-_.])(?:pass|jwt|cookies?)(?:$|[-_.])|(?:db|pg|my|redis|ssh|smtp|ftp|user)pass$|` +
		`(?:api|access|account|private|service|signing|encryption)[-_. ]?key|(?:^|[-_.])pwd$|http\.header$`,
)

// hints are what every name has that moreParts matches, in lower case. Most names have none, and a pattern costs much
// more.
var hints = []string{"passwd", "passphrase", "credential", "key", "pwd", "http.header", "pass", "jwt", "cookie"}

// notSecret ends names that speak of a secret and do not hold one.
var notSecret = regexp.MustCompile(
	`(?i)(?:provider|providers|file|path|dir|class|type|enabled|timeout|interval|location|name)s?$`,
)

// Sensitive tells whether the value of a key, an argument or an environment variable may be a secret and must not be
// shown.
func Sensitive(name string) bool {
	lower := strings.ToLower(name)
	has := func(part string) bool { return strings.Contains(lower, part) }
	if slices.ContainsFunc(flinkParts, has) {
		return true
	}
	return slices.ContainsFunc(hints, has) && name != "PWD" && moreParts.MatchString(name) && !notSecret.MatchString(name)
}
