package certs

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBundle(t *testing.T) {
	day := 24 * time.Hour
	young, middle, old := pair(t, start).CA, pair(t, start.Add(-30*day)).CA, pair(t, start.Add(-60*day)).CA
	dead := pair(t, start.Add(-100*day)).CA
	join := func(texts ...[]byte) []byte { return bytes.Join(texts, nil) }
	rows := map[string]struct {
		old    []byte
		must   [][]byte
		want   []byte
		reason string
	}{
		"first":         {nil, [][]byte{young}, young, "an empty bundle takes what it must"},
		"already there": {young, [][]byte{young}, young, "nothing changes, so nothing is written"},
		"overlap": {
			old, [][]byte{young}, join(young, old), "the certificate of the old authority is still being served",
		},
		"latest first":      {join(old, young), [][]byte{middle}, join(young, middle, old), "one order, whoever wrote it"},
		"expired goes":      {join(dead, old), [][]byte{young}, join(young, old), "it can verify nothing any more"},
		"expired must goes": {nil, [][]byte{young, dead}, young, "the stored authority may be the expired one"},
		"twice":             {join(old, old), [][]byte{young, young}, join(young, old), "once is enough"},
		"not a bundle":      {[]byte("\xff\xfe no PEM"), [][]byte{young}, young, "a broken bundle is replaced"},
		"foreign blocks": {
			join([]byte("-----BEGIN X-----\nAAAA\n-----END X-----\n"), old), [][]byte{young, nil}, join(young, old),
			"only certificates count",
		},
		"several in one": {nil, [][]byte{join(old, young)}, join(young, old), "a Secret of somebody else may hold a chain"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(subjects(row.want), subjects(Bundle(row.old, row.must, start))); diff != "" {
				t.Errorf("%s\n%s", row.reason, diff)
			}
		})
	}
}

// subjects names the certificates of a bundle so that a difference can be read.
func subjects(bundle []byte) []string {
	out := []string{}
	for _, c := range parse(bundle) {
		out = append(out, fmt.Sprintf("%s %x", c.NotAfter.Format(time.DateOnly), c.SerialNumber.Bytes()[:4]))
	}
	return out
}

// TestBundleProperties: must is always trusted, the order of the input does not matter, a second application changes
// nothing, and the size is bounded.
func TestBundleProperties(t *testing.T) {
	var pool [][]byte
	for i := range 14 {
		pool = append(pool, pair(t, start.Add(-time.Duration(i)*8*24*time.Hour)).CA)
	}
	rapid.Check(t, func(t *rapid.T) {
		old := rapid.SliceOf(rapid.SampledFrom(pool)).Draw(t, "old")
		must := rapid.SliceOfN(rapid.SampledFrom(pool), 1, 2).Draw(t, "must")
		got := Bundle(bytes.Join(old, nil), must, start)
		held := parse(got)
		for _, text := range must {
			c := parse(text)[0]
			if !start.After(c.NotAfter) && !slices.ContainsFunc(held, c.Equal) {
				t.Fatalf("an authority that must be trusted is missing")
			}
		}
		if slices.ContainsFunc(held, func(c *x509.Certificate) bool { return start.After(c.NotAfter) }) {
			t.Fatalf("an expired authority is trusted")
		}
		if len(held) > maxOthers+len(must) {
			t.Fatalf("%d authorities", len(held))
		}
		slices.Reverse(old)
		slices.Reverse(must)
		if !bytes.Equal(got, Bundle(bytes.Join(old, nil), must, start)) {
			t.Fatalf("the order of the input shows")
		}
		if !bytes.Equal(got, Bundle(got, must, start)) {
			t.Fatalf("a second application changes the bundle")
		}
	})
}

func TestCertificateIsForTheServiceOnly(t *testing.T) {
	p := pair(t, start, host, "flink-admit.istio-system.svc")
	leaf, err := p.leaf()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		host, host + ".cluster.local", "flink-admit.kourier-system", "flink-admit",
		"flink-admit.istio-system.svc", "flink-admit.istio-system.svc.cluster.local", "flink-admit.istio-system",
	}
	if diff := cmp.Diff(want, leaf.DNSNames); diff != "" {
		t.Errorf("names of the certificate:\n%s", diff)
	}
	if leaf.IsCA || leaf.KeyUsage != x509.KeyUsageDigitalSignature ||
		!slices.Equal(leaf.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}) {
		t.Errorf("the serving certificate may do more than serve: %v %v %v", leaf.IsCA, leaf.KeyUsage, leaf.ExtKeyUsage)
	}
	authority := parse(p.CA)[0]
	if !authority.IsCA || !authority.MaxPathLenZero || bytes.Contains(p.CA, []byte("PRIVATE")) {
		t.Error("the authority must be able to sign this certificate and nothing below it, and its key must be forgotten")
	}
	if got := leaf.NotAfter.Sub(start); got != Lifetime {
		t.Errorf("lives for %s, want %s", got, Lifetime)
	}
	if got := (Pair{}).NotAfter(); !got.IsZero() {
		t.Errorf("an unreadable pair ends at %s, want the zero time", got)
	}
}
