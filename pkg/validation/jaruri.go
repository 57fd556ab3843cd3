package validation

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
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

// JarPolicy says from where a session job's jar may come. It is read from the operator's base configuration alone, so
// that no tenant can widen it.
type JarPolicy struct {
	// AllowedSchemes are the URI schemes, in any case (kubernetes.operator.user.artifacts.allowed-schemes). Empty allows
	// none.
	AllowedSchemes []string
	// BlockRestrictedHosts keeps http and https from reaching private addresses
	// (kubernetes.operator.user.artifacts.disallow-restricted-hosts).
	BlockRestrictedHosts bool
}

// MakeJarPolicy reads the policy. A list that cannot be read allows nothing, a switch that cannot be read blocks.
func MakeJarPolicy(operator flinkconf.Operator) JarPolicy {
	base := operator.Base()
	schemes, _ := base.List(key.ArtifactsAllowedSchemes) // no list, no scheme: the message names the key
	block, err := base.Bool(key.ArtifactsDisallowRestrictedHosts)
	return JarPolicy{AllowedSchemes: schemes, BlockRestrictedHosts: block || err != nil}
}

// JarHost is the name lookup of the host that LookupHost named. Zero means that nobody asked; then names pass here.
// pkg/jarsource checks the address that it really connects to in any case, and more strictly: names change.
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
	if problem != "" || !p.guards(u) || !p.allows(u.Scheme) || classifyHost(u.Hostname()) != hostName {
		return ""
	}
	return u.Hostname()
}

// RestrictedAddress reports whether an address may not be reached for a jar: loopback, link-local, private IPv4 (10/8,
// 172.16/12, 192.168/16), IPv6 site-local (fec0::/10), unspecified or multicast. These are the classes of
// java.net.InetAddress, so IPv6 unique-local addresses (fc00::/7) pass.
func RestrictedAddress(addr netip.Addr) bool {
	addr = addr.Unmap()
	return addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() || addr.IsMulticast() ||
		addr.Is4() && addr.IsPrivate() || siteLocal.Contains(addr.WithZone(""))
}

var siteLocal = netip.MustParsePrefix("fec0::/10")

func (p JarPolicy) allows(scheme string) bool {
	return slices.ContainsFunc(p.AllowedSchemes, func(s string) bool { return strings.EqualFold(s, scheme) })
}

// guards reports whether the host of this URI is subject to the restricted-host rule.
func (p JarPolicy) guards(u *url.URL) bool {
	return p.BlockRestrictedHosts && (u.Scheme == "http" || u.Scheme == "https")
}

type hostKind int

const (
	hostMissing    hostKind = iota // none, or one in other letters than a URI's
	hostName                       // has to be resolved
	hostRestricted                 // an address or name that may not be reached
	hostPublic                     // an address that may be reached
	hostOdd                        // a number that resolvers read as an address: 127.1, 0x7f000001
)

func classifyHost(host string) hostKind {
	if host == "" || strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return hostMissing
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if RestrictedAddress(addr) {
			return hostRestricted
		}
		return hostPublic
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case last == "localhost":
		return hostRestricted
	case last != "" && strings.Trim(last, "0123456789") == "", strings.HasPrefix(last, "0x"):
		return hostOdd
	}
	return hostName
}

// jarURI judges where a session job's jar comes from (S4). The stages follow one another; the first that fails is the
// finding.
//
//	stage                                     | message
//	parses as a URI                           | jarURI is not a valid URI
//	has a scheme                              | jarURI must include a scheme
//	scheme is allowed                         | jarURI scheme '<s>' is not in the allowlist
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
	if !policy.allows(u.Scheme) {
		r.add(field, "jarURI scheme '"+cut(u.Scheme, maxQuoted)+"' is not in the allowlist "+schemeList(policy),
			"use an allowed scheme, or have the operator's configuration extend "+key.ArtifactsAllowedSchemes.Key)
		return
	}
	if !policy.guards(u) {
		return
	}
	host := cut(u.Hostname(), maxQuoted)
	switch kind := classifyHost(u.Hostname()); {
	case kind == hostMissing:
		r.add(
			field, "jarURI must include a host for http/https schemes",
			"write it as https://<host>/<path>, the host in ASCII (xn--… for other letters)",
		)
	case kind == hostRestricted, kind == hostOdd, kind == hostName &&
		slices.ContainsFunc(lookup.Addresses, RestrictedAddress):
		r.add(field, "jarURI host '"+host+"' resolves to a restricted address",
			"use a host with a public address, or have the operator's configuration set "+
				key.ArtifactsDisallowRestrictedHosts.Key+" to false")
	case kind == hostName && lookup.Presence == Absent:
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
	schemes := make([]string, 0, len(policy.AllowedSchemes))
	for _, s := range policy.AllowedSchemes {
		schemes = append(schemes, strings.ToLower(s))
	}
	slices.Sort(schemes)
	return cut("["+strings.Join(slices.Compact(schemes), ", ")+"]", 2*maxQuoted)
}
