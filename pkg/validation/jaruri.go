package validation

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/reach"
)

// Presence is what is known of something that was looked up. The zero value is Unknown: nobody looked, or the look
// failed.
type Presence string

// The values of Presence.
const (
	// Unknown never makes a finding.
	Unknown Presence = ""
	// Absent means looked, not there.
	Absent Presence = "Absent"
	// Present means looked, there.
	Present Presence = "Present"
)

// JarPolicy says from where a session job's jar may come.
type JarPolicy flinkconf.JarRules

// MakeJarPolicy reads the policy. An option that cannot be read allows nothing.
func MakeJarPolicy(operator flinkconf.Operator) JarPolicy { return JarPolicy(operator.JarRules()) }

// JarHost is the name lookup of the host that LookupHost named. Zero means that nobody asked; then names pass here.
// pkg/jarsource checks the address that it really connects to in any case: names change.
type JarHost struct {
	// Presence is Absent when the name does not resolve.
	Presence Presence
	// Addresses are all addresses of the name when Present. One restricted address refuses the jar.
	Addresses []netip.Addr
}

// LookupHost returns the host name that has to be resolved before a session job's jarURI can be judged, or "" when none
// has.
func (p JarPolicy) LookupHost(jarURI string) string {
	u, problem := parseJarURI(jarURI)
	if problem != "" || !p.guards(u) || !p.allows(u.Scheme) || p.Allowed.Judge(u.Hostname()) != reach.Name {
		return ""
	}
	return u.Hostname()
}

func (p JarPolicy) allows(scheme string) bool {
	return slices.ContainsFunc(p.Schemes, func(s string) bool { return strings.EqualFold(s, scheme) })
}

// isHTTP reports whether the jar can be fetched at all: pkg/jarsource reads nothing else.
func isHTTP(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// guards reports whether the host of this URI is subject to the restricted-host rule.
func (p JarPolicy) guards(u *url.URL) bool { return !p.AnyAddress && isHTTP(u) }

// restricts reports whether any of the addresses of a host may not be reached; package reach has the list. It is longer
// than the Java operator's: unique-local IPv6, addresses of carriers, metadata services, IPv4 written as IPv6.
func (p JarPolicy) restricts(host string, addresses ...netip.Addr) bool {
	return slices.ContainsFunc(addresses, func(a netip.Addr) bool { return !p.Allowed.Permits(host, a) })
}

// jarURI judges where a session job's jar comes from (S4). The stages follow one another; the first that fails is the
// finding.
//
//	stage                                     | message
//	parses as a URI                           | jarURI is not a valid URI
//	has a scheme                              | jarURI must include a scheme
//	scheme is allowed                         | jarURI scheme '<s>' is not in the allowlist
//	scheme is http or https, our own stage    | jarURI scheme '<s>' is not supported
//	http(s) and guarded: has a host           | jarURI must include a host
//	http(s) and guarded: host resolves        | jarURI host '<h>' cannot be resolved
//	http(s) and guarded: address is reachable | jarURI host '<h>' resolves to a restricted address
func (r *report) jarURI(jarURI string, policy JarPolicy, lookup JarHost) {
	const field = "job.jarURI"
	u, problem := parseJarURI(jarURI)
	if problem != "" {
		r.add(
			field, "jarURI is not a valid URI: "+problem,
			"write it as <scheme>://<host>/<path> and percent-encode other characters",
		)
		return
	}
	if u.Scheme == "" {
		r.add(
			field, "jarURI must include a scheme",
			"put one of "+schemeList(policy)+" before it, as in https://example.com/job.jar",
		)
		return
	}
	scheme, advice := cut(u.Scheme, maxQuoted), "use an allowed scheme, or have the operator's configuration extend "+
		key.ArtifactsAllowedSchemes.Key
	if !isHTTP(u) {
		advice = "name an https URL of the same file, or put the jar on the class path of the cluster's image and leave " +
			"jarURI empty"
	}
	if !policy.allows(u.Scheme) {
		r.add(field, "jarURI scheme '"+scheme+"' is not in the allowlist "+schemeList(policy), advice)
		return
	}
	if !isHTTP(u) {
		r.add(field, "jarURI scheme '"+scheme+"' is not supported: jars are fetched by https or http", advice)
		return
	}
	if !policy.guards(u) {
		return
	}
	host := cut(u.Hostname(), maxQuoted)
	switch kind := policy.Allowed.Judge(u.Hostname()); {
	case kind == reach.None:
		r.add(
			field, "jarURI must include a host for http/https schemes",
			"write it as https://<host>/<path>, the host in ASCII (xn--… for other letters)",
		)
	case kind == reach.Restricted, kind == reach.Odd, kind == reach.Name &&
		policy.restricts(u.Hostname(), lookup.Addresses...):
		r.add(field, "jarURI host '"+host+"' resolves to a restricted address",
			"use a host with a public address, or have the operator's configuration name this one in "+
				key.ArtifactsAllowedHosts.Key)
	case kind == reach.Name && lookup.Presence == Absent:
		r.add(field, "jarURI host '"+host+"' cannot be resolved", "correct the name, or make it known to the cluster's DNS")
	}
}

// parseJarURI reads a URI by the rules of java.net.URI: blanks and the characters "<>\^`{|} must be percent-encoded.
func parseJarURI(jarURI string) (*url.URL, string) {
	if i := strings.IndexFunc(jarURI, isIllegalInURI); i >= 0 {
		return nil, "illegal character " + quote(string([]rune(jarURI[i:])[0])) + " at index " + decimal(i)
	}
	u, err := url.Parse(jarURI)
	if err != nil {
		return nil, "cannot be parsed"
	}
	return u, ""
}

func isIllegalInURI(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune("\"<>\\^`{|}", r)
}

func schemeList(policy JarPolicy) string {
	schemes := make([]string, 0, len(policy.Schemes))
	for _, s := range policy.Schemes {
		schemes = append(schemes, strings.ToLower(s))
	}
	slices.Sort(schemes)
	return cut("["+strings.Join(slices.Compact(schemes), ", ")+"]", 2*maxQuoted)
}
