package authority

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// Identity is a key with its certificate.
type Identity struct {
	// Key is the private key.
	Key crypto.Signer
	// Cert is the certificate of it.
	Cert *x509.Certificate
}

// Request says what certificate is wanted.
type Request struct {
	// Issuer signs it; nil makes a CA that signs itself.
	Issuer *Identity
	// Names are the hosts, by name or by address.
	Names []string
	// RSA asks for an RSA key, as keytool makes it; otherwise it is an elliptic one.
	RSA bool
	// Expired makes it one of yesterday.
	Expired bool
}

// CA is a new authority.
func CA(t testing.TB) Identity { return Make(t, Request{}) }

// Issue makes a certificate of an authority for the names.
func Issue(t testing.TB, issuer Identity, names ...string) Identity {
	t.Helper()
	return Make(t, Request{Issuer: &issuer, Names: names})
}

// Make makes what is asked for. It counts from an hour ago for two hours.
func Make(t testing.TB, r Request) Identity {
	t.Helper()
	key := makeKey(t, r.RSA)
	now := time.Now()
	if r.Expired {
		now = now.Add(-24 * time.Hour)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: strings.Join(r.Names, "+")},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := template, key
	if r.Issuer == nil {
		template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
	} else {
		parent, signer = r.Issuer.Cert, r.Issuer.Key
	}
	for _, name := range r.Names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return Identity{key, cert}
}

func makeKey(t testing.TB, asRSA bool) crypto.Signer {
	t.Helper()
	if asRSA {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// CertPEM is the certificate as PEM.
func (i Identity) CertPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.Cert.Raw})
}

// KeyPEM is the key as PEM, PKCS8.
func (i Identity) KeyPEM(t testing.TB) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(i.Key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// Pool holds the certificate alone.
func (i Identity) Pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(i.Cert)
	return p
}

// Server is the configuration of a server with this identity. With clients, it wants certificates that they signed.
func (i Identity) Server(clients *x509.CertPool) *tls.Config {
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{i.Cert.Raw}, PrivateKey: i.Key}}}
	if clients != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, clients
	}
	return config
}
