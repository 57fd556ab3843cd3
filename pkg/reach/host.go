package reach

import (
	"net/netip"
	"strings"
	"unicode"
)

// Kind is what the text of a host says by itself, before any name is resolved.
type Kind int

// The kinds of hosts.
const (
	// None: there is none, or one in other letters than a URI's.
	None Kind = iota
	// Name has to be resolved.
	Name
	// Restricted is an address, or a name that always leads to one, that may not be reached.
	Restricted
	// Permitted is one that may be reached.
	Permitted
	// Odd is a number that resolvers read as an address: 127.1, 0x7f000001.
	Odd
)

// localhost is where its name leads, whatever DNS says.
var localhost = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// Judge tells the kind of a host.
func (l AllowList) Judge(host string) Kind {
	if host == "" || strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return None
	}
	judge := func(addr netip.Addr) Kind {
		if l.Permits(host, addr) {
			return Permitted
		}
		return Restricted
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return judge(addr)
	}
	name := plain(host)
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case last == "localhost":
		return judge(localhost)
	case last != "" && strings.Trim(last, "0123456789") == "", strings.HasPrefix(last, "0x"):
		return Odd
	}
	return Name
}
