package certs

import (
	"bytes"
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"time"
)

// maxOthers bounds how many authorities a bundle keeps beside those it must hold, so that renewals which fail half-way
// for weeks (each leaves an authority that signed nothing in use) cannot fill a webhook configuration.
const maxOthers = 8

// Bundle returns a caBundle that trusts the authorities in must and, of those in old, the latest few. What has expired
// or is not a certificate is dropped. Equal sets give equal bytes, ordered by expiry, latest first.
func Bundle(old []byte, must [][]byte, now time.Time) []byte {
	expired := func(c *x509.Certificate) bool { return now.After(c.NotAfter) }
	var out []*x509.Certificate
	for _, text := range must {
		out = union(out, parse(text))
	}
	others := slices.DeleteFunc(parse(old), func(c *x509.Certificate) bool { return slices.ContainsFunc(out, c.Equal) })
	slices.SortFunc(others, later)
	out = slices.DeleteFunc(union(out, others[:min(len(others), maxOthers)]), expired)
	slices.SortFunc(out, later)

	var text []byte
	for _, c := range out {
		text = append(text, encode("CERTIFICATE", c.Raw)...)
	}
	return text
}

// union adds to a what b has more.
func union(a, b []*x509.Certificate) []*x509.Certificate {
	for _, c := range b {
		if !slices.ContainsFunc(a, c.Equal) {
			a = append(a, c)
		}
	}
	return a
}

// later orders by expiry, latest first, and by content where that is equal.
func later(a, b *x509.Certificate) int {
	return cmp.Or(b.NotAfter.Compare(a.NotAfter), bytes.Compare(a.Raw, b.Raw))
}

// parse returns the certificates in a PEM text and skips everything else.
func parse(text []byte) []*x509.Certificate {
	var out []*x509.Certificate
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return out
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil && block.Type == "CERTIFICATE" {
			out = append(out, c)
		}
	}
}
