package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/kn-flink/kn-flink/test/flinksim/authority"
)

// serveTLS answers pings over TLS, as a JobManager with security.ssl.rest.enabled; change edits the server's side.
func serveTLS(t *testing.T, own authority.Identity, clients *x509.CertPool, change ...func(*tls.Config)) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"ping":"tls"}`)
	}))
	server.TLS = own.Server(clients)
	for _, c := range change {
		c(server.TLS)
	}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are wanted
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

const password = "s3cret"

// stores makes PKCS12 stores as the encoder writes them.
func stores(t *testing.T, encoder *pkcs12.Encoder, ca, client authority.Identity) (trust, key []byte) {
	t.Helper()
	trust, err := encoder.EncodeTrustStore([]*x509.Certificate{ca.Cert}, password)
	if err != nil {
		t.Fatal(err)
	}
	key, err = encoder.Encode(client.Key, client.Cert, []*x509.Certificate{ca.Cert}, password)
	if err != nil {
		t.Fatal(err)
	}
	return trust, key
}

func TestTLS(t *testing.T) {
	ca, foreign := authority.CA(t), authority.CA(t)
	server := authority.Issue(t, ca, "127.0.0.1")
	named := authority.Issue(t, ca, "demo-rest.default.svc")
	client, stranger := authority.Issue(t, ca, "operator"), authority.Issue(t, foreign, "stranger")
	modernTrust, modernKey := stores(t, pkcs12.Modern2023, ca, client)
	legacyTrust, legacyKey := stores(t, pkcs12.LegacyDES, ca, client)
	oneWay, mutual := serveTLS(t, server, nil), serveTLS(t, server, ca.Pool())
	other := serveTLS(t, named, nil)
	expired := serveTLS(
		t, authority.Make(t, authority.Request{Issuer: &ca, Names: []string{"127.0.0.1"}, Expired: true}), nil,
	)
	old := serveTLS(t, authority.Make(t, authority.Request{Issuer: &ca, Names: []string{"127.0.0.1"}, RSA: true}),
		ca.Pool(), func(c *tls.Config) {
			c.CipherSuites, c.MaxVersion = []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA}, tls.VersionTLS12
		})
	redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://"+r.Host+r.URL.Path, http.StatusMovedPermanently)
	}))
	t.Cleanup(redirecting.Close)

	rows := map[string]struct {
		url     string
		options *TLSOptions
		fails   string // contained in the message; empty: it works
		reason  string
	}{
		"CA as PEM": {oneWay, &TLSOptions{CA: ca.CertPEM()}, "", ""},
		"CA as PKCS12": {
			oneWay, &TLSOptions{TrustStore: modernTrust, Password: password}, "",
			"as keytool of Java 17 and cert-manager write it",
		},
		"CA as old PKCS12": {
			oneWay, &TLSOptions{TrustStore: legacyTrust, Password: password}, "", "as Java 8 writes it",
		},
		"no CA": {
			oneWay, nil, "unknown authority): put the CA that signed it into the mounted Secret, as ca.crt",
			"the system's roots do not know ours",
		},
		"another CA": {
			oneWay, &TLSOptions{CA: foreign.CertPEM()}, "put the CA that signed it", "nobody else may answer",
		},
		"an expired certificate": {expired, &TLSOptions{CA: ca.CertPEM()}, "renew it", ""},
		"Flink's old cipher suite": {
			old, &TLSOptions{CA: ca.CertPEM(), Certificate: client.CertPEM(), Key: client.KeyPEM(t)}, "",
			"security.ssl.algorithms and security.ssl.protocol as they were until 1.20",
		},
		"client key as PEM": {
			mutual, &TLSOptions{CA: ca.CertPEM(), Certificate: client.CertPEM(), Key: client.KeyPEM(t)}, "", "",
		},
		"client key as PKCS12": {
			mutual, &TLSOptions{CA: ca.CertPEM(), KeyStore: modernKey, Password: password}, "", "mixed with PEM",
		},
		"both as old PKCS12": {
			mutual, &TLSOptions{TrustStore: legacyTrust, KeyStore: legacyKey, Password: password}, "", "",
		},
		"no client key": {
			mutual, &TLSOptions{CA: ca.CertPEM()}, "requires a client certificate",
			"security.ssl.rest.authentication-enabled",
		},
		"a stranger's key": {
			mutual, &TLSOptions{CA: ca.CertPEM(), Certificate: stranger.CertPEM(), Key: stranger.KeyPEM(t)},
			"requires a client certificate that it trusts", "of another CA",
		},
		"another name": {
			other, &TLSOptions{CA: ca.CertPEM()}, "issue one with that name", "the certificate is for the Service",
		},
		"server name given": {
			other, &TLSOptions{CA: ca.CertPEM(), ServerName: "demo-rest.default.svc"}, "", "behind a tunnel",
		},
		"any name": {
			other, &TLSOptions{CA: ca.CertPEM(), AnyServerName: true}, "", "as Flink's Java client",
		},
		"any name, another CA": {
			other, &TLSOptions{CA: foreign.CertPEM(), AnyServerName: true}, "unknown authority", "the chain is still checked",
		},
		"plain text to a TLS port": {
			strings.Replace(oneWay, "https", "http", 1), nil, "no list of errors", "Go's server answers 400",
		},
		"plain text to Flink's": {
			redirecting.URL, nil, "set security.ssl.rest.enabled to true", "Flink's answers with a redirect",
		},
		"TLS to a plain port": {
			strings.Replace(redirecting.URL, "http", "https", 1), nil, "it does not serve TLS",
			"switched on, and not deployed",
		},
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
			if name != "plain text to a TLS port" {
				wantKind(t, err, ErrTLS)
			}
			if _, again := ask(
				connect(t, Options{BaseURL: row.url, TLS: row.options}), context.Background(),
			); again.Error() != err.Error() {
				t.Errorf("an unchanged world has two texts: %v, %v", err, again)
			}
		})
	}
}

func TestTLSOptionsThatCannotBeUsed(t *testing.T) {
	ca := authority.CA(t)
	client := authority.Issue(t, ca, "operator")
	trust, key := stores(t, pkcs12.Modern2023, ca, client)
	jks := []byte{0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2}
	rows := map[string]struct {
		options TLSOptions
		says    string
	}{
		"two CAs": {TLSOptions{CA: ca.CertPEM(), TrustStore: trust, Password: password}, "not both"},
		"two keys": {
			TLSOptions{Certificate: client.CertPEM(), Key: client.KeyPEM(t), KeyStore: key, Password: password}, "not both",
		},
		"not PEM":            {TLSOptions{CA: []byte("x")}, "no PEM certificate"},
		"certificate alone":  {TLSOptions{Certificate: client.CertPEM()}, "client certificate"},
		"key alone":          {TLSOptions{Key: client.KeyPEM(t)}, "client certificate"},
		"key of another":     {TLSOptions{Certificate: client.CertPEM(), Key: ca.KeyPEM(t)}, "client certificate"},
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
	ca := authority.CA(t)
	client := authority.Issue(t, ca, "operator")
	trust, key := stores(t, pkcs12.Modern2023, ca, client)
	url := serveTLS(t, authority.Issue(t, ca, "127.0.0.1"), ca.Pool())
	rows := map[string]struct {
		files  map[string][]byte
		good   bool
		reason string
	}{
		"PEM": {
			map[string][]byte{"ca.crt": ca.CertPEM(), "tls.crt": client.CertPEM(), "tls.key": client.KeyPEM(t)}, true,
			"a kubernetes.io/tls Secret",
		},
		"PKCS12": {
			map[string][]byte{"truststore.p12": trust, "keystore.p12": key}, true, "cert-manager's keystores.pkcs12",
		},
		"both": {
			map[string][]byte{
				"ca.crt": ca.CertPEM(), "tls.crt": client.CertPEM(), "tls.key": client.KeyPEM(t), "truststore.p12": []byte("x"),
				"keystore.p12": []byte("x"),
			},
			true, "PEM is taken",
		},
		"mixed":    {map[string][]byte{"ca.crt": ca.CertPEM(), "keystore.p12": key}, true, ""},
		"JKS only": {map[string][]byte{"keystore.jks": {1}}, false, "what the Java operator mounts"},
		"nothing":  {nil, false, "the system's roots do not know ours"},
		"key missing": {
			map[string][]byte{"ca.crt": ca.CertPEM(), "tls.crt": client.CertPEM()}, false, "half a pair is a mistake",
		},
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
	for _, dir := range []string{"", t.TempDir(), filepath.Join(t.TempDir(), "absent")} {
		if options, err := TLSFromDir(dir, ""); options != nil || err != nil {
			t.Errorf("without the Secret nothing is wrong: %v, %v", options, err)
		}
	}
	volume := t.TempDir()
	if err := os.Mkdir(filepath.Join(volume, "..data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if options, err := TLSFromDir(volume, ""); options != nil || err != nil {
		t.Errorf("what the kubelet keeps for itself is no file of the Secret: %v, %v", options, err)
	}
}
