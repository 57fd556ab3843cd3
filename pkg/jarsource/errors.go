package jarsource

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Reasons that several errors have; the package's comment has all.
const (
	// reasonURI: the address of the jar, or what is sent with it, cannot be used.
	reasonURI = "JarURIInvalid"
	// reasonRedirect: the server of the jar leads to an address that is not followed.
	reasonRedirect = "JarRedirectRefused"
	// reasonUnreadable: the server does not send a jar, or not to its end.
	reasonUnreadable = "JarUnreadable"
)

// visit makes a URL the one that errors speak of.
func (f *fetch) visit(u *url.URL) {
	for _, values := range u.Query() {
		f.hide(values...)
	}
	if f.op = strings.TrimSpace("fetch jar " + shown(u)); f.first == "" {
		f.first = f.op
	} else {
		f.op = f.first + ", redirected to " + shown(u)
	}
}

func (f *fetch) hide(secrets ...string) {
	for _, secret := range secrets {
		f.secrets["secret "+strconv.Itoa(len(f.secrets))] = secret
	}
}

// shown is a URL without user, query values and fragment, cut short.
func shown(u *url.URL) string {
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	text, sign := bare.String(), "?"
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, named := strings.Cut(part, "="); named {
			text += sign + name + "=" + redact.Hidden
		} else if part != "" {
			text += sign + redact.Hidden
		}
		sign = "&"
	}
	if len(text) > mostShown {
		text = text[:mostShown] + "..."
	}
	return text
}

// mostShown is how much of a URL is shown, in bytes.
const mostShown = 200

// fail makes an error. It keeps no cause: the texts of causes may have secrets.
func (f *fetch) fail(kind fail.Kind, reason, format string, args ...any) error {
	text := redact.Known([]map[string]string{f.secrets}).Text(fmt.Sprintf(format, args...))
	return fail.As(kind, f.op, reason, errors.New(text))
}

func (f *fetch) tooLarge() error {
	return f.fail(fail.Denied, "JarTooLarge", "it is larger than %d bytes: make it smaller, or put it on the class path "+
		"of the image and leave jarURI empty", f.policy.MaxBytes)
}

// refused is the error of a response without a jar. line is what it says.
func (f *fetch) refused(code int, line string) error {
	kind, reason, do := fail.Denied, reasonUnreadable, "have the server send the jar with status 200"
	switch {
	case code == 401, code == 403, code == 407:
		reason, do = "JarForbidden", "make the jar readable, or give credentials in "+key.ArtifactsHTTPHeader.Key
	case code == 404, code == 410:
		reason, do = "JarNotFound", "put the jar there, or correct jarURI"
	case code == 408, code == 425, code == 429, code >= 500:
		kind, reason, do = fail.Transient, "JarServerFailed", "it is tried again"
	}
	if line != "" {
		line = fmt.Sprintf(" (%.200q)", line)
	}
	return f.fail(kind, reason, "response %d %s%s: %s", code, http.StatusText(code), line, do)
}

// broken is the error of a connection that was not made, or that ended too early. An unchanged world gives an
// unchanged text: it has no port of ours, no DNS server and no present time.
func (f *fetch) broken(err error) error {
	var (
		own   *fail.Error
		name  *net.DNSError
		op    *net.OpError
		plain tls.RecordHeaderError
		wait  net.Error
	)
	switch {
	case errors.As(err, &own): // of guard
		return fail.As(own.Kind, f.op, own.Reason, own.Err)
	case f.caller.Err() != nil:
		return fail.Wrap(f.op, f.caller.Err())
	case errors.Is(context.Cause(f.ctx), errStalled):
		return f.fail(fail.Transient, fail.ReasonTimeout, "no byte came for %s: it is tried again", f.policy.Stall)
	case errors.As(err, &name) && name.IsNotFound:
		return f.fail(fail.Denied, "JarHostUnknown", "host %s does not resolve: correct the name, or make it known to the "+
			"cluster's DNS", name.Name)
	case fail.KindOf(err) == fail.Denied, errors.As(err, &plain),
		errors.As(err, &op) && op.Op == "remote error":
		return f.fail(fail.Denied, fail.ReasonUntrusted, "TLS fails (%s): correct the server, or have the operator's pods "+
			"trust its CA (SSL_CERT_DIR)", distrust(err))
	case errors.As(err, &wait) && wait.Timeout():
		return f.fail(fail.Transient, fail.ReasonTimeout, "%sno response in time: it is tried again", f.via)
	}
	text := err.Error()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		text = "the connection broke off"
	case errors.As(err, &name):
		text = "lookup " + name.Name + ": " + name.Err
	case errors.As(err, &op):
		text = op.Op + ": " + op.Err.Error()
	}
	return f.fail(fail.Transient, fail.ReasonUnreachable, "%s%.300s: it is tried again", f.via, text)
}

// distrust says what is wrong with TLS.
func distrust(err error) string {
	var invalid x509.CertificateInvalidError
	if errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil {
		return fmt.Sprintf("the certificate is valid from %s to %s",
			invalid.Cert.NotBefore.UTC().Format(time.RFC3339), invalid.Cert.NotAfter.UTC().Format(time.RFC3339))
	}
	return err.Error()
}
