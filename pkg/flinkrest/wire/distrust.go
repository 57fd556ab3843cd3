package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// What to do, by what is to blame.
const (
	trustFix  = "put the CA that signed it into the mounted Secret, as " + fileCA + " or " + fileTrustStore
	nameFix   = "issue one with that name, or accept any name that the CA signed"
	clientFix = "with security.ssl.rest.authentication-enabled it requires a client certificate that it trusts " +
		"(" + fileCert + " with " + fileKey + ", or " +
		fileKeyStore + ", in the mounted Secret); otherwise compare security.ssl.protocol and security.ssl.algorithms"
	tlsOnly = "it accepts TLS only, which the deployed configuration does not set: set security.ssl.rest.enabled to " +
		"true there"
	plainOne = "it does not serve TLS, though the deployed configuration sets security.ssl.rest.enabled"
)

// distrust says why a TLS connection did not come about, and what to do; empty when TLS is not to blame. First match
// wins:
//
//	the error is about                                   to blame
//	a signer that is not known, or no roots at all       the CA in the mounted Secret
//	another name than the host's                         the server's certificate
//	a time at which it does not count, another purpose   the server's certificate
//	an alert that the server sent                        our certificate, or nothing in common
//	an answer that is not TLS                            the deployed configuration
//
// The text of an unchanged world does not change: it has no present time in it.
func distrust(err error) string {
	var (
		signer  x509.UnknownAuthorityError
		roots   x509.SystemRootsError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		alert   *net.OpError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &signer):
		return fmt.Sprintf("its certificate is not trusted (%s): %s", signer, trustFix)
	case errors.As(err, &roots):
		return fmt.Sprintf("its certificate is not trusted (%s): %s", roots, trustFix)
	case errors.As(err, &name):
		return fmt.Sprintf("its certificate has another name (%s): %s", name, nameFix)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		return fmt.Sprintf("a certificate of it is valid from %s to %s: renew it",
			invalid.Cert.NotBefore.UTC().Format(time.RFC3339), invalid.Cert.NotAfter.UTC().Format(time.RFC3339))
	case errors.As(err, &invalid):
		return fmt.Sprintf("its certificate cannot be used here (%s): issue another", invalid)
	case errors.As(err, &alert) && alert.Op == "remote error":
		return fmt.Sprintf("it refuses the connection (%s): %s", alert.Err, clientFix)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return plainOne
	}
	return ""
}

// wantsTLS reports whether an answer to plain http leads to TLS on the same port, as Flink's does
// (RedirectingSslHandler).
func (c *Conn) wantsTLS(response *http.Response) bool {
	if c.base.Scheme != "http" || response.StatusCode < 300 || response.StatusCode > 399 {
		return false
	}
	target, err := response.Location()
	return err == nil && target.Scheme == "https" && target.Port() == c.base.Port()
}
