package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

const (
	// Lifetime is how long a certificate and its authority are valid. A stolen key is useful for at most this long;
	// a third of it is the time in which daily renewals may fail before anything breaks: thirty tries.
	Lifetime = 90 * 24 * time.Hour
	// renewShare: a pair is renewed when less than Lifetime/renewShare of its life remains.
	renewShare = 3
	// skew is how far the clock of the API server may run behind ours.
	skew = time.Hour
	// authorityName is the subject of every authority made here. Nothing decides by it; it is for people.
	authorityName = "kn-flink admission authority"
)

// Pair is a serving certificate with its key and the authority that signed it, each as PEM.
type Pair struct {
	// CA holds the authority's certificate, or several when somebody else maintains the Secret. Secret key ca.crt.
	CA []byte
	// Cert is the serving certificate. Secret key tls.crt.
	Cert []byte
	// Key is the private key of Cert. Secret key tls.key.
	Key []byte
}

// Make returns a pair for the given Services (`<service>.<namespace>.svc`, at least one) that is valid from an hour
// before now until Lifetime after it. The authority's private key exists only inside this call. It fails only without
// randomness.
func Make(services []string, now time.Time) (Pair, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("make the authority's key: %w", err)
	}
	authority, err := template(authorityName, now)
	if err != nil {
		return Pair{}, err
	}
	authority.IsCA, authority.MaxPathLenZero = true, true
	authority.KeyUsage = x509.KeyUsageCertSign
	ca, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		return Pair{}, fmt.Errorf("sign the authority: %w", err)
	}
	// Read back, because signing needs the key identifier that CreateCertificate gave the authority.
	if authority, err = x509.ParseCertificate(ca); err != nil {
		return Pair{}, fmt.Errorf("read the authority back: %w", err)
	}

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("make the serving key: %w", err)
	}
	leaf, err := template(services[0], now)
	if err != nil {
		return Pair{}, err
	}
	leaf.DNSNames = alternatives(services)
	leaf.KeyUsage = x509.KeyUsageDigitalSignature
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	cert, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), authorityKey)
	if err != nil {
		return Pair{}, fmt.Errorf("sign the serving certificate: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("encode the serving key: %w", err)
	}
	return Pair{CA: encode("CERTIFICATE", ca), Cert: encode("CERTIFICATE", cert), Key: encode("PRIVATE KEY", keyDER)}, nil
}

// Check returns why the pair must be replaced, or nil when it is good: the key fits, the certificate is signed by the
// authority beside it, covers every name, is valid now and will be for another third of its life.
func (p Pair) Check(names []string, now time.Time) error {
	leaf, err := p.leaf()
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(p.CA) {
		return errors.New("ca.crt contains no certificate")
	}
	usage := []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, KeyUsages: usage}); err != nil {
		return fmt.Errorf("tls.crt is not signed by ca.crt: %w", err)
	}
	for _, name := range names {
		if err := leaf.VerifyHostname(name); err != nil {
			return fmt.Errorf("tls.crt is for other names: %w", err)
		}
	}
	if left := leaf.NotAfter.Sub(now); left < leaf.NotAfter.Sub(leaf.NotBefore)/renewShare {
		return fmt.Errorf("tls.crt expires in %s", left.Round(time.Hour))
	}
	return nil
}

// NotAfter is the end of the serving certificate's life; the zero time when the pair cannot be read.
func (p Pair) NotAfter() time.Time {
	leaf, err := p.leaf()
	if err != nil {
		return time.Time{}
	}
	return leaf.NotAfter
}

// leaf reads the serving certificate and proves that the key belongs to it.
func (p Pair) leaf() (*x509.Certificate, error) {
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		return nil, fmt.Errorf("tls.crt and tls.key are not a pair: %w", err)
	}
	return pair.Leaf, nil
}

// alternatives are the names under which DNS knows the Services. The API server uses the first form only; the others
// are for people with curl.
func alternatives(services []string) []string {
	var out []string
	for _, service := range services {
		local := strings.TrimSuffix(service, ".svc")
		name, _, _ := strings.Cut(local, ".")
		for _, n := range []string{service, service + ".cluster.local", local, name} {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// template is what the authority and the serving certificate have in common: a random serial number and a life.
func template(name string, now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("draw a serial number: %w", err)
	}
	return &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.Add(-skew),
		NotAfter:              now.Add(Lifetime),
		BasicConstraintsValid: true,
	}, nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
