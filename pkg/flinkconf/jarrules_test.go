package flinkconf

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// A tenant's header goes where the tenant sends it, the administrator's to hosts that the administrator named.
func TestJarHeader(t *testing.T) {
	const header = "kubernetes.operator.user.artifacts.http.header"
	rules := NewOperator(Config{"kubernetes.operator.user.artifacts.allowed-hosts": "jars.intern"}).JarRules()
	const inside, outside = "https://jars.intern/a.jar", "https://example.com/a.jar"
	for name, row := range map[string]struct {
		reason    string
		effective string
		uri       string
		tenants   []Config
		want      map[string]string
		withheld  bool
	}{
		"none": {"nothing is sent, nothing is withheld", "", outside, nil, map[string]string{}, false},
		"the tenant's own": {
			"the tenant knows it", "a:1", outside, []Config{{header: "a:1"}}, map[string]string{"a": "1"}, false,
		},
		"of the second tenant": {
			"a session job's or its cluster's", "a:1", outside, []Config{{}, {header: "a:1"}},
			map[string]string{"a": "1"}, false,
		},
		"the administrator's, a host of his": {
			"that is what it is for", "a:1", inside, nil, map[string]string{"a": "1"}, false,
		},
		"the administrator's, another host": {
			"a tenant chose the host", "a:1", outside, nil, map[string]string{}, true,
		},
		"the administrator's, no host": {
			"nobody knows where it goes", "a:1", "https://jars.intern:x/a.jar", nil, map[string]string{}, true,
		},
		"of both": {
			"each by itself", "a:1,b:2", outside, []Config{{header: "b:2"}}, map[string]string{"b": "2"}, true,
		},
		"a tenant guesses the name": {
			"the value is what is secret", "a:1", outside, []Config{{header: "a:2"}}, map[string]string{}, true,
		},
		"a tenant's that cannot be read": {
			"it has none", "a:1", outside, []Config{{header: "a"}}, map[string]string{}, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			effective := Config{}
			if row.effective != "" {
				effective[header] = row.effective
			}
			got, withheld, err := rules.JarHeader(effective, row.uri, row.tenants...)
			if err != nil || !maps.Equal(got, row.want) || withheld != row.withheld {
				t.Errorf("%s: %v, withheld %v, %v, want %v, %v", row.reason, got, withheld, err, row.want, row.withheld)
			}
		})
	}
	if got, _, err := rules.JarHeader(Config{header: "a"}, inside); err == nil {
		t.Errorf("a header that cannot be read is no error: %v", got)
	}
}

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
