package reach

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// AllowList are hosts and networks that may be reached although they are not public. The zero value has none.
type AllowList struct {
	hosts    []string
	networks []netip.Prefix
	denied   []netip.Prefix
}

// Without is the list with networks that may not be reached whatever else says, such as those of pods and nodes that
// have public addresses. Each is an address or a network.
func (l AllowList) Without(entries []string) (AllowList, error) {
	denied, err := ParseAllowList(entries)
	switch {
	case err != nil:
		return l, err
	case len(denied.hosts) > 0:
		return l, fmt.Errorf("%.80q is neither an address nor a network", denied.hosts[0])
	}
	l.denied = denied.networks
	return l, nil
}

var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`)

// ParseAllowList reads host names, addresses, and networks such as 10.1.0.0/16. A name opens the private addresses that
// it resolves to, and no closed ones; an address or network opens itself, whatever it is.
func ParseAllowList(entries []string) (AllowList, error) {
	var list AllowList
	for _, entry := range entries {
		network, err := netip.ParsePrefix(entry)
		if addr, addrErr := netip.ParseAddr(entry); addrErr == nil && addr.Zone() == "" {
			network, err = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), nil
		}
		name := plain(entry)
		switch {
		case err == nil && !network.Addr().Is4In6():
			list.networks = append(list.networks, network)
		case err != nil && hostName.MatchString(name):
			list.hosts = append(list.hosts, name)
		default:
			return AllowList{}, fmt.Errorf("%.80q is neither a host name, nor an address, nor a network", entry)
		}
	}
	return list, nil
}

// Names says whether the list has a host itself: its name or, of an address, that address and not only a network around
// it.
func (l AllowList) Names(host string) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return slices.Contains(l.hosts, plain(host))
	}
	addr = addr.Unmap()
	return slices.Contains(l.networks, netip.PrefixFrom(addr, addr.BitLen()))
}

// plain is a host name as it is compared.
func plain(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

var (
	// private are addresses of clusters and organisations (RFC 1918, 6598, 4193).
	private = networks("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
	// closed are addresses of the machine, of its link and of its cloud, and those that no server has (IANA's registries
	// of special-purpose addresses).
	closed = networks(
		"0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
		// the metadata of Alibaba Cloud, Azure, AWS and Google Cloud that is not link-local
		"100.100.100.200/32", "168.63.129.16/32", "fd00:ec2::254/128", "fd20:ce::254/128",
	)
	// global are the addresses of IPv6 that a public server may have.
	global = netip.MustParsePrefix("2000::/3")
	// translated are addresses of IPv4 as a network with IPv6 only writes them (RFC 6052).
	translated = netip.MustParsePrefix("64:ff9b::/96")
)

func networks(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// Server says whether an address may be that of a server of the cluster or its network that a user names: any but those
// of the machine itself, of its link and of its cloud, and those that no server has.
func Server(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	in := func(network netip.Prefix) bool { return network.Contains(addr) }
	switch {
	case translated.Contains(addr):
		bytes := addr.As16()
		return Server(netip.AddrFrom4([4]byte(bytes[12:])))
	case slices.ContainsFunc(closed, in):
		return false
	}
	return addr.Is4() || global.Contains(addr) || slices.ContainsFunc(private, in)
}

// Permits says whether an address of a host may be reached. The first row that fits counts.
//
//	address                               may be reached
//	IPv4 mapped or translated to IPv6     as the IPv4 address
//	in a denied network                   no
//	in a network of the list              yes
//	closed                                no
//	private                               if the list has the host
//	any other of IPv4, global of IPv6     yes
//	any other                             no
func (l AllowList) Permits(host string, addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	in := func(network netip.Prefix) bool { return network.Contains(addr) }
	switch {
	case translated.Contains(addr):
		bytes := addr.As16()
		return l.Permits(host, netip.AddrFrom4([4]byte(bytes[12:])))
	case slices.ContainsFunc(l.denied, in):
		return false
	case slices.ContainsFunc(l.networks, in):
		return true
	case slices.ContainsFunc(closed, in):
		return false
	case slices.ContainsFunc(private, in):
		return slices.Contains(l.hosts, plain(host))
	}
	return addr.Is4() || global.Contains(addr)
}
