package render

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

var (
	namePlaceholder      = regexp.MustCompile(`(?i)\{\{name\}\}`)
	namespacePlaceholder = regexp.MustCompile(`(?i)\{\{namespace\}\}`)
	address              = regexp.MustCompile(`^\d+\.\d+\.\d+\.\d+$`)
	httpScheme           = regexp.MustCompile(`(?i)^https?://`)
)

// ParseIngressTemplate fills the placeholders {{name}} and {{namespace}} of spec.ingress.template (in any case, no
// blanks inside) and cuts the result into the host and the path of the rule. Either is empty when the template has
// none. The error is a SpecError that quotes the template as written; a host that no Ingress may have is one, too.
//
//	template          | host | path
//	host              | host | -
//	/path             | -    | /path
//	host/path         | host | /path
//	scheme://host/... | as without the scheme, which must be http or https
//	host:1234/...     | the port must be a number and is dropped
//	...?x, ...#x      | from there on dropped
//
// The path is taken as it stands, because it may be a regular expression for the Ingress controller, such as
// /x(/|$)(.*). That is also why net/url does not parse it.
func ParseIngressTemplate(template, namespace, name string) (host, path string, err error) {
	text := namePlaceholder.ReplaceAllLiteralString(template, name)
	text = namespacePlaceholder.ReplaceAllLiteralString(text, namespace)
	text = strings.TrimSpace(httpScheme.ReplaceAllString(text, ""))
	text, _, _ = strings.Cut(text, "#")
	text, _, _ = strings.Cut(text, "?")
	authority := text
	if slash := strings.IndexByte(text, '/'); slash >= 0 {
		authority, path = text[:slash], text[slash:]
	}
	host, problem := hostOf(authority)
	if problem != "" {
		return "", "", &SpecError{
			Where: "spec.ingress.template", Value: template,
			Problem: "cannot be read as a URL: " + problem + "; write host, /path or host/path",
		}
	}
	if problem := hostProblem(host); problem != "" {
		return "", "", &SpecError{
			Where: "spec.ingress.template", Value: template, Problem: fmt.Sprintf("host %q: %s", host, problem),
		}
	}
	return host, path, nil
}

// hostProblem says why the API server would take no Ingress with this host; empty when it would. No host is every host.
func hostProblem(host string) string {
	problems := validation.IsDNS1123Subdomain(host)
	switch {
	case host == "":
		return ""
	case address.MatchString(host):
		return "must be a DNS name, not an IP address"
	case strings.Contains(host, "*"):
		problems = validation.IsWildcardDNS1123Subdomain(host)
	}
	return strings.Join(problems, "; ")
}

// hostOf takes user and port off an authority.
func hostOf(authority string) (host, problem string) {
	host = authority[strings.LastIndexByte(authority, '@')+1:]
	if strings.HasPrefix(host, "[") {
		return "", fmt.Sprintf("host %q is an address, and an Ingress needs a name", host)
	}
	host, port, hasPort := strings.Cut(host, ":")
	if hasPort && port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < -1 {
			return "", fmt.Sprintf("port %q is not a number", port)
		}
	}
	return strings.TrimSpace(host), ""
}
