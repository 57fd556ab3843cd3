package wire

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

// identity is a key with its certificate.
type identity struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func (i identity) certPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.cert.Raw})
}

func (i identity) keyPEM(t *testing.T) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(i.key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// issue makes a certificate for the names, signed by the issuer, or a CA signed by itself if there is none.
func issue(t *testing.T, issuer *identity, names ...string) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: strings.Join(names, "+")},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := template, key
	if issuer == nil {
		template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
	} else {
		parent, signer = issuer.cert, issuer.key
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return identity{key, cert}
}

// serveTLS answers pings over TLS, as a JobManager with security.ssl.rest.enabled; clients nil: without client certificates.
func serveTLS(t *testing.T, own identity, clients *x509.CertPool) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"ping":"tls"}`) }))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{own.cert.Raw}, PrivateKey: own.key}}}
	if clients != nil {
		server.TLS.ClientAuth, server.TLS.ClientCAs = tls.RequireAndVerifyClientCert, clients
	}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are wanted
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

func pool(i identity) *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(i.cert)
	return p
}

const password = "s3cret"

// stores makes PKCS12 stores as the encoder writes them.
func stores(t *testing.T, encoder *pkcs12.Encoder, ca, client identity) (trust, key []byte) {
	t.Helper()
	trust, err := encoder.EncodeTrustStore([]*x509.Certificate{ca.cert}, password)
	if err != nil {
		t.Fatal(err)
	}
	key, err = encoder.Encode(client.key, client.cert, []*x509.Certificate{ca.cert}, password)
	if err != nil {
		t.Fatal(err)
	}
	return trust, key
}

func TestTLS(t *testing.T) {
	ca, foreign := issue(t, nil), issue(t, nil)
	server := issue(t, &ca, "127.0.0.1")
	named := issue(t, &ca, "demo-rest.default.svc")
	client, stranger := issue(t, &ca, "operator"), issue(t, &foreign, "stranger")
	modernTrust, modernKey := stores(t, pkcs12.Modern2023, ca, client)
	legacyTrust, legacyKey := stores(t, pkcs12.LegacyDES, ca, client)
	oneWay, mutual := serveTLS(t, server, nil), serveTLS(t, server, pool(ca))
	other := serveTLS(t, named, nil)

	rows := map[string]struct {
		url     string
		options *TLSOptions
		fails   string // contained in the message; empty: it works
		reason  string
	}{
		"CA as PEM":                {oneWay, &TLSOptions{CA: ca.certPEM()}, "", ""},
		"CA as PKCS12":             {oneWay, &TLSOptions{TrustStore: modernTrust, Password: password}, "", "as keytool of Java 17 and cert-manager write it"},
		"CA as old PKCS12":         {oneWay, &TLSOptions{TrustStore: legacyTrust, Password: password}, "", "as Java 8 writes it"},
		"no CA":                    {oneWay, nil, "unknown authority", "the system's roots do not know ours"},
		"another CA":               {oneWay, &TLSOptions{CA: foreign.certPEM()}, "unknown authority", "nobody else may answer"},
		"client key as PEM":        {mutual, &TLSOptions{CA: ca.certPEM(), Certificate: client.certPEM(), Key: client.keyPEM(t)}, "", ""},
		"client key as PKCS12":     {mutual, &TLSOptions{CA: ca.certPEM(), KeyStore: modernKey, Password: password}, "", "mixed with PEM"},
		"both as old PKCS12":       {mutual, &TLSOptions{TrustStore: legacyTrust, KeyStore: legacyKey, Password: password}, "", ""},
		"no client key":            {mutual, &TLSOptions{CA: ca.certPEM()}, "certificate required", "security.ssl.rest.authentication-enabled"},
		"a stranger's key":         {mutual, &TLSOptions{CA: ca.certPEM(), Certificate: stranger.certPEM(), Key: stranger.keyPEM(t)}, "certificate", "of another CA"},
		"another name":             {other, &TLSOptions{CA: ca.certPEM()}, "127.0.0.1", "the certificate is for the Service"},
		"server name given":        {other, &TLSOptions{CA: ca.certPEM(), ServerName: "demo-rest.default.svc"}, "", "behind a tunnel"},
		"any name":                 {other, &TLSOptions{CA: ca.certPEM(), AnyServerName: true}, "", "as Flink's Java client"},
		"any name, another CA":     {other, &TLSOptions{CA: foreign.certPEM(), AnyServerName: true}, "unknown authority", "the chain is still checked"},
		"plain text to a TLS port": {strings.Replace(oneWay, "https", "http", 1), nil, "no list of errors", "Go's server answers 400, Flink's closes"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got, err := ask(connect(t, Options{BaseURL: row.url, TLS: row.options}), context.Background())
			if row.fails == "" {
				if err != nil || *got.Ping != "tls" {
					t.Fatalf("%s: %v", row.reason, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.fails) || !Unknown(err) {
				t.Errorf("%s: must fail with %q: %v", row.reason, row.fails, err)
			}
		})
	}
}

func TestTLSOptionsThatCannotBeUsed(t *testing.T) {
	ca := issue(t, nil)
	client := issue(t, &ca, "operator")
	trust, key := stores(t, pkcs12.Modern2023, ca, client)
	jks := []byte{0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2}
	rows := map[string]struct {
		options TLSOptions
		says    string
	}{
		"two CAs":            {TLSOptions{CA: ca.certPEM(), TrustStore: trust, Password: password}, "not both"},
		"two keys":           {TLSOptions{Certificate: client.certPEM(), Key: client.keyPEM(t), KeyStore: key, Password: password}, "not both"},
		"not PEM":            {TLSOptions{CA: []byte("x")}, "no PEM certificate"},
		"certificate alone":  {TLSOptions{Certificate: client.certPEM()}, "client certificate"},
		"key alone":          {TLSOptions{Key: client.keyPEM(t)}, "client certificate"},
		"key of another":     {TLSOptions{Certificate: client.certPEM(), Key: ca.keyPEM(t)}, "client certificate"},
		"wrong password":     {TLSOptions{TrustStore: trust, Password: "other-s3cret"}, "trust store cannot be opened"},
		"wrong key password": {TLSOptions{KeyStore: key, Password: "other-s3cret"}, "key store cannot be opened"},
		"JKS trust store":    {TLSOptions{TrustStore: jks}, "keytool"},
		"JKS key store":      {TLSOptions{KeyStore: jks}, "keytool"},
		"any name, any CA":   {TLSOptions{AnyServerName: true}, "CA of your own"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{BaseURL: "https://x", TLS: &row.options})
			if err == nil || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("must fail with %q and without the password: %v", row.says, err)
			}
		})
	}
}

func TestTLSFromDir(t *testing.T) {
	ca := issue(t, nil)
	client := issue(t, &ca, "operator")
	trust, key := stores(t, pkcs12.Modern2023, ca, client)
	url := serveTLS(t, issue(t, &ca, "127.0.0.1"), pool(ca))
	rows := map[string]struct {
		files  map[string][]byte
		good   bool
		reason string
	}{
		"PEM":         {map[string][]byte{"ca.crt": ca.certPEM(), "tls.crt": client.certPEM(), "tls.key": client.keyPEM(t)}, true, "a kubernetes.io/tls Secret"},
		"PKCS12":      {map[string][]byte{"truststore.p12": trust, "keystore.p12": key}, true, "cert-manager's keystores.pkcs12"},
		"both":        {map[string][]byte{"ca.crt": ca.certPEM(), "tls.crt": client.certPEM(), "tls.key": client.keyPEM(t), "truststore.p12": []byte("x"), "keystore.p12": []byte("x")}, true, "PEM is taken"},
		"mixed":       {map[string][]byte{"ca.crt": ca.certPEM(), "keystore.p12": key}, true, ""},
		"JKS only":    {map[string][]byte{"keystore.jks": {1}}, false, "what the Java operator mounts"},
		"nothing":     {nil, false, ""},
		"key missing": {map[string][]byte{"ca.crt": ca.certPEM(), "tls.crt": client.certPEM()}, false, "half a pair is a mistake"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range row.files {
				if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			options, err := TLSFromDir(dir, password)
			if err == nil {
				var c *Conn
				if c, err = New(Options{BaseURL: url, TLS: options}); err == nil {
					_, err = ask(c, context.Background())
				}
			}
			if (err == nil) != row.good {
				t.Errorf("%s: %v", row.reason, err)
			}
		})
	}
	if _, err := TLSFromDir(filepath.Join(t.TempDir(), "absent"), ""); err == nil {
		t.Error("a directory that does not exist is an error")
	}
}
