package reach_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/reach"
)

func TestServersOfAClusterMayHavePrivateAddresses(t *testing.T) {
	for reason, row := range map[string]struct {
		addresses string
		permitted bool
	}{
		"of a cluster":         {"10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 fd12:3456::1 64:ff9b::10.0.0.1", true},
		"public":               {"8.8.8.8 2606:4700:4700::1111", true},
		"of the machine":       {"127.0.0.1 127.1.2.3 ::1 ::ffff:127.0.0.1 64:ff9b::127.0.0.1", false},
		"of the link":          {"169.254.0.1 fe80::1 fe80::1%eth0", false},
		"metadata of clouds":   {"169.254.169.254 168.63.129.16 100.100.100.200 fd00:ec2::254 fd20:ce::254", false},
		"of no one":            {"0.0.0.0 :: 255.255.255.255 224.0.0.1 ff02::1 240.0.0.1", false},
		"in another's clothes": {"::127.0.0.1 2002:7f00:1::1 2001:0:7f00:1::1 64:ff9b:1::127.0.0.1", false},
	} {
		for _, address := range strings.Fields(row.addresses) {
			if got := reach.Server(netip.MustParseAddr(address)); got != row.permitted {
				t.Errorf("%s: %s: permitted %t, want %t", reason, address, got, row.permitted)
			}
		}
	}
	if reach.Server(netip.Addr{}) {
		t.Error("no address at all is permitted")
	}
}

func TestWhatIsDeniedIsNotReachedWhateverAllowsIt(t *testing.T) {
	allowed, err := list(t, "jars.example", "10.1.0.0/16").Without([]string{"2600:1f16::/32", "34.64.0.0/10", "10.1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"2600:1f16::1": false, "::ffff:34.65.1.1": false, "34.65.1.1": false, "10.1.2.3": false, "64:ff9b::34.65.1.1": false,
		"2600:1f17::1": true, "34.128.0.1": true, "10.1.2.4": true,
	} {
		if got := allowed.Permits("jars.example", netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: permitted %t, want %t", address, got, want)
		}
	}
	for _, entry := range []string{"jars.example", "10.0.0.0/33", ""} {
		if _, err := list(t).Without([]string{entry}); err == nil {
			t.Errorf("%q was read as a network", entry)
		}
	}
}
