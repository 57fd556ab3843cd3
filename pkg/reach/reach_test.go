package reach_test

import (
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/reach"
)

func list(t *testing.T, entries ...string) reach.AllowList {
	t.Helper()
	allowed, err := reach.ParseAllowList(entries)
	if err != nil {
		t.Fatal(err)
	}
	return allowed
}

func TestAddressesThatNobodyAllowed(t *testing.T) {
	for reason, row := range map[string]struct {
		addresses string
		permitted bool
	}{
		"public":                      {"8.8.8.8 1.1.1.1 223.255.255.255", true},
		"beside private":              {"172.15.255.255 172.32.0.1 100.63.0.1 100.128.0.1 11.0.0.1", true},
		"public IPv6":                 {"2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450:4001::1", true},
		"public, mapped":              {"::ffff:8.8.8.8", true},
		"public, translated":          {"64:ff9b::8.8.8.8", true},
		"private":                     {"10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1", false},
		"unique local":                {"fc00::1 fd12:3456::1", false},
		"shared by a carrier":         {"100.64.0.1 100.127.255.255", false},
		"loopback":                    {"127.0.0.1 127.1.2.3 ::1", false},
		"link-local":                  {"169.254.0.1 fe80::1 fe80::1%eth0", false},
		"multicast":                   {"224.0.0.1 239.255.255.255 ff02::1 ff0e::1", false},
		"unspecified":                 {"0.0.0.0 0.1.2.3 ::", false},
		"broadcast and reserved":      {"255.255.255.255 240.0.0.1", false},
		"metadata of clouds":          {"169.254.169.254 168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254", false},
		"private, mapped":             {"::ffff:10.0.0.1 ::ffff:127.0.0.1 ::ffff:169.254.169.254", false},
		"private, compatible":         {"::10.0.0.1 ::127.0.0.1", false},
		"private, translated":         {"64:ff9b::10.0.0.1 64:ff9b::169.254.169.254", false},
		"local translation":           {"64:ff9b:1::8.8.8.8", false},
		"private, in 6to4 and Teredo": {"2002:a00:1::1 2001:0:a00:1::1", false},
		"site-local":                  {"fec0::1", false},
		"documentation and tests":     {"192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 2001:db8::1 3fff::1", false},
	} {
		t.Run(reason, func(t *testing.T) {
			for _, address := range strings.Fields(row.addresses) {
				if got := list(t).Permits("jars.example", netip.MustParseAddr(address)); got != row.permitted {
					t.Errorf("%s: permitted %t, want %t", address, got, row.permitted)
				}
			}
		})
	}
	if list(t).Permits("jars.example", netip.Addr{}) {
		t.Error("no address at all is permitted")
	}
}

func TestAllowList(t *testing.T) {
	for name, row := range map[string]struct {
		entries, host, address string
		permitted              bool
		reason                 string
	}{
		"host": {"nexus.tools.svc", "nexus.tools.svc", "10.0.0.1", true, "a name opens private addresses"},
		"host in other letters": {
			"Nexus.tools.svc.", "nexus.TOOLS.svc", "fd12::1", true, "names are compared without case and the last dot",
		},
		"other host": {"nexus.tools.svc", "evil.example", "10.0.0.1", false, "only for that host"},
		"host below": {"tools.svc", "nexus.tools.svc", "10.0.0.1", false, "a name is not a domain"},
		"host at loopback": {
			"nexus.tools.svc", "nexus.tools.svc", "127.0.0.1", false, "its DNS may be somebody else's",
		},
		"host at metadata": {
			"nexus.tools.svc", "nexus.tools.svc", "169.254.169.254", false, "its DNS may be somebody else's",
		},
		"host, translated":    {"nexus.tools.svc", "nexus.tools.svc", "64:ff9b::10.0.0.1", true, "as the IPv4 address"},
		"network":             {"10.1.0.0/16", "any.example", "10.1.2.3", true, "a network opens itself for all hosts"},
		"network, mapped":     {"10.1.0.0/16", "any.example", "::ffff:10.1.2.3", true, "as the IPv4 address"},
		"beside the network":  {"10.1.0.0/16", "any.example", "10.2.0.1", false, "and nothing else"},
		"network of loopback": {"127.0.0.0/8", "any.example", "127.0.0.1", true, "whoever names it means it"},
		"address":             {"192.168.1.5", "any.example", "192.168.1.5", true, "a network of one"},
		"mapped address":      {"::ffff:192.168.1.5", "any.example", "192.168.1.5", true, "a network of one"},
		"beside the address":  {"192.168.1.5", "any.example", "192.168.1.6", false, "and nothing else"},
		"IPv6 network":        {"fd00:1::/32", "any.example", "fd00:1::5", true, "a network opens itself"},
		"zone":                {"fe80::/10", "any.example", "fe80::1%eth0", true, "the link is not part of the address"},
		"several":             {"a.svc 10.1.0.0/16 b.svc", "b.svc", "10.9.9.9", true, "each counts"},
	} {
		t.Run(name, func(t *testing.T) {
			allowed := list(t, strings.Fields(row.entries)...)
			if got := allowed.Permits(row.host, netip.MustParseAddr(row.address)); got != row.permitted {
				t.Errorf("permitted %t, want %t: %s", got, row.permitted, row.reason)
			}
		})
	}
}

func TestAllowListRefuses(t *testing.T) {
	for _, entry := range []string{
		"", ".", "-x", "nexus:8081", "https://nexus", "*.svc", "10.0.0.0/33", "10.0.0/8", "fe80::1%eth0", "a b",
		"nexus/x", "::ffff:10.0.0.0/104", "nexüs",
	} {
		if _, err := reach.ParseAllowList([]string{"nexus.svc", entry}); err == nil {
			t.Errorf("%q was accepted", entry)
		}
	}
}

// The standard library knows some of the classes: none of their addresses is permitted, however it is written.
func TestClassesOfTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v4 := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "IPv4"))
		v6 := [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "IPv6"))
		v6[0] = rapid.SampledFrom([]byte{0, 0x20, 0x26, 0xfc, 0xfe, 0xff, v6[0]}).Draw(t, "first byte")
		translated := [16]byte{0: 0x00, 1: 0x64, 2: 0xff, 3: 0x9b}
		copy(translated[12:], v4[:])
		plain := netip.AddrFrom4(v4)
		permitted := reach.AllowList{}.Permits("h", plain)
		for _, addr := range []netip.Addr{netip.AddrFrom16(plain.As16()), netip.AddrFrom16(translated)} {
			if got := (reach.AllowList{}).Permits("h", addr); got != permitted {
				t.Errorf("%s: permitted %t, but %s %t", addr, got, plain, permitted)
			}
		}
		for _, addr := range []netip.Addr{plain, netip.AddrFrom16(v6)} {
			public := addr.Unmap().IsGlobalUnicast() && !addr.Unmap().IsPrivate()
			if (reach.AllowList{}).Permits("h", addr) && !public {
				t.Errorf("%s is permitted", addr)
			}
		}
	})
}

func TestNames(t *testing.T) {
	allowed := list(t, "Repo.example.com", "10.1.0.0/16", "10.2.0.7")
	rows := map[string]bool{
		"repo.example.com": true, "repo.example.com.": true, "example.com": false, "10.1.0.7": false, "10.2.0.7": true,
		"::ffff:10.2.0.7": true, "": false,
	}
	for host, want := range rows {
		if got := allowed.Names(host); got != want {
			t.Errorf("%q: %t, want %t", host, got, want)
		}
	}
}
