package controlplane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// lifetime of certificates. All but the authority's are made anew at each start.
const lifetime = 10 * 365 * 24 * time.Hour

// pki is a directory of PEM files: NAME.crt and NAME.key.
type pki struct {
	dir    string
	caCert *x509.Certificate
	caKey  crypto.Signer
}

// leaf is a certificate that the authority signs.
type leaf struct {
	name        string // of the files
	user, group string // who its holder is to the API server
	server      bool   // whether it serves, too
	hosts       []string
	addresses   []string
}

// loadPKI makes the authority and the key of service accounts if dir has none, and everything else.
func loadPKI(dir, server string) (*pki, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	p := &pki{dir: dir}
	if err := p.authority(); err != nil {
		return nil, fmt.Errorf("certificate authority in %s: %w", dir, err)
	}
	if _, err := p.key("service-accounts"); err != nil {
		return nil, err
	}
	for _, l := range []leaf{
		{name: "apiserver", user: "kube-apiserver", server: true, addresses: []string{server, "127.0.0.1", "10.96.0.1"},
			hosts: []string{
				"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
				"kubernetes.default.svc.cluster.local",
			}},
		{name: "apiserver-kubelet", user: "kube-apiserver-kubelet-client", group: masters},
		{name: "front-proxy-client", user: "front-proxy-client"},
		{name: "admin", user: "kubernetes-admin", group: masters},
		// What the parts may do is not what is tested here: they need no accounts of their own.
		{name: "kube-controller-manager", user: "system:kube-controller-manager", group: masters},
		{name: "kube-scheduler", user: "system:kube-scheduler", group: masters},
	} {
		if err := p.sign(l); err != nil {
			return nil, fmt.Errorf("certificate %s: %w", l.name, err)
		}
	}
	return p, nil
}

const masters = "system:masters"

func (p *pki) path(file string) string { return filepath.Join(p.dir, file) }

// read returns the content of a file that loadPKI wrote.
func (p *pki) read(file string) ([]byte, error) { return os.ReadFile(p.path(file)) }

// authority loads or makes the self-signed certificate that everyone trusts.
func (p *pki) authority() error {
	key, err := p.key("ca")
	if err != nil {
		return err
	}
	p.caKey = key
	content, err := p.read("ca.crt")
	if err == nil {
		block, _ := pem.Decode(content)
		if block == nil {
			return fmt.Errorf("%s is no PEM file: delete the directory", p.path("ca.crt"))
		}
		p.caCert, err = x509.ParseCertificate(block.Bytes)
		return err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	template := certificate("kn-flink-local", "")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage |= x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	if p.caCert, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	return p.write("ca.crt", "CERTIFICATE", der)
}

// sign makes a key and a certificate for it, replacing the ones of an earlier start.
func (p *pki) sign(l leaf) error {
	key, err := p.key(l.name)
	if err != nil {
		return err
	}
	template := certificate(l.user, l.group)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if l.server {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	template.DNSNames = l.hosts
	for _, address := range l.addresses {
		template.IPAddresses = append(template.IPAddresses, net.ParseIP(address))
	}
	der, err := x509.CreateCertificate(rand.Reader, template, p.caCert, key.Public(), p.caKey)
	if err != nil {
		return err
	}
	return p.write(l.name+".crt", "CERTIFICATE", der)
}

func certificate(user, group string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // the kernel has no random numbers
	}
	subject := pkix.Name{CommonName: user}
	if group != "" {
		subject.Organization = []string{group}
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(lifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

// key loads NAME.key or makes it.
func (p *pki) key(name string) (crypto.Signer, error) {
	content, err := p.read(name + ".key")
	if errors.Is(err, fs.ErrNotExist) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		der, err := x509.MarshalECPrivateKey(key)
		if err != nil {
			return nil, err
		}
		return key, p.write(name+".key", "EC PRIVATE KEY", der)
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, fmt.Errorf("%s is no PEM file: delete the directory", p.path(name+".key"))
	}
	return x509.ParseECPrivateKey(block.Bytes)
}

// write replaces a file as a whole: a start that is killed leaves no half of one.
func (p *pki) write(file, kind string, der []byte) error {
	content := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(p.path(file+".part"), content, 0o600); err != nil {
		return err
	}
	return os.Rename(p.path(file+".part"), p.path(file))
}
