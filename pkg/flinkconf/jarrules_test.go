package flinkconf

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestJarRules(t *testing.T) {
	const prefix = "kubernetes.operator.user.artifacts."
	type rules struct {
		schemes []string
		any     bool
		size    int64
		// inside: jars.intern may be reached at a private address; machine: 127.0.0.1 may be.
		inside, machine bool
		broken          string
	}
	https := []string{"https"}
	rows := map[string]struct {
		reason  string
		options Config
		want    rules
	}{
		"nothing is set": {"public servers, by https, of any size", nil, rules{schemes: https}},
		"all is set": {"as said", Config{
			prefix + "allowed-schemes": "https;http", prefix + "disallow-restricted-hosts": "false",
			prefix + "allowed-hosts": "jars.intern; 127.0.0.1", prefix + "max-size": "200 mb",
		}, rules{schemes: []string{"https", "http"}, any: true, size: 200 << 20, inside: true, machine: true}},
		"a network": {
			"an address opens itself", Config{prefix + "allowed-hosts": "127.0.0.0/8"}, rules{schemes: https, machine: true},
		},
		"a default of a namespace": {"a tenant could widen it", Config{
			"kubernetes.operator.default-configuration.namespace.a." + prefix + "allowed-hosts": "127.0.0.1",
		}, rules{schemes: https}},
		"schemes that nobody can read": {
			"none", Config{prefix + "allowed-schemes": "'https"}, rules{broken: "allowed-schemes"},
		},
		"a switch that nobody can read": {
			"it is on", Config{prefix + "disallow-restricted-hosts": "no"},
			rules{schemes: https, broken: "disallow-restricted-hosts"},
		},
		"hosts that nobody can read": {
			"none", Config{prefix + "allowed-hosts": "jars.intern;http://x"}, rules{schemes: https, broken: "allowed-hosts"},
		},
		"a size that nobody can read": {
			"it is told", Config{prefix + "max-size": "large"}, rules{schemes: https, broken: "max-size"},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			r := NewOperator(row.options).JarRules()
			got := rules{
				schemes: r.Schemes, any: r.AnyAddress, size: r.MaxBytes,
				inside:  r.Allowed.Permits("jars.intern", netip.MustParseAddr("10.1.2.3")),
				machine: r.Allowed.Permits("127.0.0.1", netip.MustParseAddr("127.0.0.1")),
			}
			notes := strings.Join(r.Notes(), "\n")
			if (row.want.broken == "") != (notes == "") || !strings.Contains(notes, row.want.broken) {
				t.Errorf("notes %q, want one about %q", notes, row.want.broken)
			}
			same := slices.Equal(got.schemes, row.want.schemes) && got.any == row.want.any && got.size == row.want.size &&
				got.inside == row.want.inside && got.machine == row.want.machine
			if !same {
				t.Errorf("got %+v, want %+v: %s", got, row.want, row.reason)
			}
		})
	}
}
