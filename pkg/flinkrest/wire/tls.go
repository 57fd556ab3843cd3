package wire

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"software.sslmate.com/src/go-pkcs12"
)

// TLSOptions hold what the client needs when security.ssl.rest.enabled is true. PEM and PKCS12 may be mixed; of one
// thing only one form may be given.
type TLSOptions struct {
	// CA is one or more PEM certificates that the server's certificate must lead to. Empty: see TrustStore.
	CA []byte
	// TrustStore is a PKCS12 store of trusted certificates, read with Password. Empty and no CA: the system's roots.
	TrustStore []byte
	// Certificate is the client's PEM certificate chain, for security.ssl.rest.authentication-enabled. Empty: see
	// KeyStore.
	Certificate []byte
	// Key is the PEM private key of Certificate.
	Key []byte
	// KeyStore is a PKCS12 store with the client's key and chain, read with Password. Empty and no Certificate: none.
	KeyStore []byte
	// Password opens TrustStore and KeyStore. It never appears in an error.
	Password string
	// ServerName is verified instead of the host of the base URL. Empty: that host.
	ServerName string
	// AnyServerName accepts a certificate of the CA whatever host it names, which is what Flink's own Java client does
	// (SSLUtils sets no endpoint identification). It needs a CA or TrustStore, since with public roots it would accept
	// any server in the world.
	AnyServerName bool
}

// The files that TLSFromDir looks for: what kubernetes.io/tls Secrets and cert-manager write.
const (
	fileCA         = "ca.crt"
	fileTrustStore = "truststore.p12"
	fileCert       = "tls.crt"
	fileKey        = "tls.key"
	fileKeyStore   = "keystore.p12"
)

// TLSFromDir reads a mounted Secret: ca.crt or truststore.p12, and tls.crt with tls.key or keystore.p12, PEM first. The
// password opens the PKCS12 stores. No directory, or an empty one, as that of an optional Secret is, gives nil. It
// fails if the directory holds only other files, and names what to do with a Java key store (JKS), which is not
// supported.
func TLSFromDir(dir, password string) (*TLSOptions, error) {
	if dir == "" {
		return nil, nil
	}
	o := &TLSOptions{Password: password}
	found := 0
	for _, part := range []struct {
		name string
		into *[]byte
		skip *[]byte // not read when this has been found
	}{
		{fileCA, &o.CA, nil},
		{fileTrustStore, &o.TrustStore, &o.CA},
		{fileCert, &o.Certificate, nil},
		{fileKey, &o.Key, nil},
		{fileKeyStore, &o.KeyStore, &o.Certificate},
	} {
		if part.skip != nil && len(*part.skip) > 0 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, part.name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("flink rest: read TLS files: %w", err)
		}
		*part.into = text
		found++
	}
	if found > 0 {
		return o, nil
	}
	others, err := othersIn(dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("flink rest: read TLS files: %w", err)
	case len(others) == 0:
		return nil, nil
	}
	return nil, fmt.Errorf("flink rest: %s has %s and none of %s, %s, %s, %s, %s; a *.jks store must be converted "+
		"(keytool -importkeystore -deststoretype pkcs12)",
		dir, strings.Join(others, ", "), fileCA, fileTrustStore, fileCert, fileKey, fileKeyStore)
}

// othersIn are the names of the files in a mounted volume, but for those that the kubelet keeps for itself (..data and
// so on).
func othersIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "..") {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// suites are the cipher suites below TLS 1.3 that are offered, see cipherSuites.
var suites = sync.OnceValue(cipherSuites)

// cipherSuites are those of the standard library and, after them, the ones with an RSA key exchange: the default of
// security.ssl.algorithms was TLS_RSA_WITH_AES_128_CBC_SHA for long, and the standard library offers that only when
// asked to.
func cipherSuites() []uint16 {
	var ids []uint16
	for _, suite := range tls.CipherSuites() {
		ids = append(ids, suite.ID)
	}
	return append(ids, tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
		tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_RSA_WITH_AES_256_CBC_SHA)
}

// config makes the TLS configuration; nil options are the zero ones.
func (o *TLSOptions) config() (*tls.Config, error) {
	if o == nil {
		o = &TLSOptions{}
	}
	roots, err := o.roots()
	if err != nil {
		return nil, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: suites(), RootCAs: roots, ServerName: o.ServerName}
	certificate, err := o.certificate()
	if err != nil {
		return nil, err
	}
	if certificate != nil {
		config.Certificates = []tls.Certificate{*certificate}
	}
	if o.AnyServerName {
		if roots == nil {
			return nil, errors.New(
				"flink rest: any server name is acceptable only together with a CA of your own: give one, or have the name " +
					"verified",
			)
		}
		config.InsecureSkipVerify = true // replaced by the check of the chain below
		config.VerifyConnection = func(state tls.ConnectionState) error { return verifyChain(state, roots) }
	}
	return config, nil
}

func (o *TLSOptions) roots() (*x509.CertPool, error) {
	switch {
	case len(o.CA) > 0 && len(o.TrustStore) > 0:
		return nil, errors.New("flink rest: give the CA as PEM or as a trust store, not both")
	case len(o.CA) > 0:
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(o.CA) {
			return nil, errors.New("flink rest: the CA contains no PEM certificate")
		}
		return pool, nil
	case len(o.TrustStore) > 0:
		certificates, err := pkcs12.DecodeTrustStore(o.TrustStore, o.Password)
		if err != nil {
			return nil, storeError("trust store", o.TrustStore, err)
		}
		pool := x509.NewCertPool()
		for _, certificate := range certificates {
			pool.AddCert(certificate)
		}
		return pool, nil
	}
	return nil, nil
}

func (o *TLSOptions) certificate() (*tls.Certificate, error) {
	switch {
	case len(o.Certificate) > 0 && len(o.KeyStore) > 0:
		return nil, errors.New("flink rest: give the client certificate as PEM or as a key store, not both")
	case len(o.Certificate) > 0 || len(o.Key) > 0:
		pair, err := tls.X509KeyPair(o.Certificate, o.Key)
		if err != nil {
			return nil, fmt.Errorf("flink rest: client certificate: %w", err)
		}
		return &pair, nil
	case len(o.KeyStore) > 0:
		key, leaf, chain, err := pkcs12.DecodeChain(o.KeyStore, o.Password)
		if err != nil {
			return nil, storeError("key store", o.KeyStore, err)
		}
		pair := &tls.Certificate{PrivateKey: key, Leaf: leaf, Certificate: [][]byte{leaf.Raw}}
		for _, issuer := range chain {
			pair.Certificate = append(pair.Certificate, issuer.Raw)
		}
		return pair, nil
	}
	return nil, nil
}

// jksMagic starts every Java key store of the old format.
const jksMagic = 0xFEEDFEED

func storeError(what string, store []byte, err error) error {
	if len(store) >= 4 && binary.BigEndian.Uint32(store) == jksMagic {
		return fmt.Errorf(
			"flink rest: the %s is a JKS file; convert it (keytool -importkeystore -deststoretype pkcs12)", what,
		)
	}
	return fmt.Errorf("flink rest: the %s cannot be opened: %w", what, err)
}

// verifyChain checks everything but the host name.
func verifyChain(state tls.ConnectionState, roots *x509.CertPool) error {
	between := x509.NewCertPool()
	for _, certificate := range state.PeerCertificates[1:] {
		between.AddCert(certificate)
	}
	_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
	return err
}
