package validation

import (
	"net/netip"
	"testing"
)

// Whatever is accepted as a jar's place is one that the download may really use.
func FuzzJarURI(f *testing.F) {
	for _, seed := range []string{"https://example.com/a.jar", "https://10.0.0.1/a.jar", "https://[::ffff:127.0.0.1]/a",
		"https://127.1/a", "ht tp://x",
		"https://u:p@localhost:1/a", "s3://b/k", "https://[fe80::1%25eth0]/a", "https://0x7f.0.0.1/a", "//x",
		"https://%31%30.0.0.1/a", "https://１２７.0.0.1/"} {
		f.Add(seed)
	}
	policy := JarPolicy{Schemes: []string{"https"}}
	f.Fuzz(func(t *testing.T, uri string) {
		r := &report{base: "spec"}
		r.jarURI(uri, policy, JarHost{})
		if len(r.findings) > 1 {
			t.Fatalf("%d findings for one URI", len(r.findings))
		}
		if len(r.findings) == 1 {
			return
		}
		u, problem := parseJarURI(uri)
		if problem != "" || u.Scheme != "https" || u.Hostname() == "" {
			t.Fatalf("accepted %q: %s", uri, problem)
		}
		if addr, err := netip.ParseAddr(u.Hostname()); err == nil && policy.restricts(addr.String(), addr) {
			t.Fatalf("accepted the restricted address %s", addr)
		} else if err != nil && policy.LookupHost(uri) != u.Hostname() {
			t.Fatalf("accepted %q without a lookup of %q", uri, u.Hostname())
		}
	})
}
