package jarsource

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

// Time in the tests of stalls is that of testing/synctest: nobody waits.

// open makes the jar of a response whose body is the reading end of a pipe, which ends as a connection does.
func open(t *testing.T) (Jar, *io.PipeWriter) {
	t.Helper()
	reader, writer := io.Pipe()
	f := &fetch{policy: Policy{Stall: defaultStall}, caller: t.Context()}
	f.ctx, f.cancel = context.WithCancelCause(t.Context())
	context.AfterFunc(f.ctx, func() { reader.CloseWithError(f.ctx.Err()) })
	go func() { _, _ = io.WriteString(writer, magic) }()
	jar, err := f.jar(&http.Response{
		StatusCode: http.StatusOK, Body: reader, ContentLength: -1, TransferEncoding: []string{"chunked"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(jar, make([]byte, len(magic))); err != nil {
		t.Fatal(err)
	}
	return jar, writer
}

func TestASlowServerIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jar, writer := open(t)
		defer jar.Close()
		go func() {
			for range 10 {
				<-time.After(defaultStall - time.Second)
				_, _ = io.WriteString(writer, "x")
			}
			writer.Close()
		}()
		if text, err := io.ReadAll(jar); len(text) != 10 || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

func TestASlowReaderIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jar, writer := open(t)
		defer jar.Close()
		go func() {
			for range 3 {
				_, _ = io.WriteString(writer, "x")
			}
			writer.Close()
		}()
		for range 3 {
			<-time.After(time.Hour) // Flink takes its time
			if n, err := jar.Read(make([]byte, 1)); n != 1 || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
		}
		if _, err := jar.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("%v", err)
		}
	})
}

func TestAStallEndsTheRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jar, writer := open(t)
		defer jar.Close()
		go func() { _, _ = io.WriteString(writer, "x") }()
		begin := time.Now()
		text, err := io.ReadAll(jar)
		if string(text) != "x" || fail.KindOf(err) != fail.Transient || fail.ReasonOf(err) != fail.ReasonTimeout {
			t.Errorf("%q, %v", text, err)
		}
		if waited := time.Since(begin); waited != defaultStall {
			t.Errorf("after %s, want %s", waited, defaultStall)
		}
	})
}

func TestIsSameServer(t *testing.T) {
	for name, row := range map[string]struct {
		from, to string
		same     bool
	}{
		"path":            {"https://h/a", "https://h/b?c", true},
		"letters":         {"https://h.example/a", "https://H.Example/a", true},
		"default port":    {"https://h/a", "https://h:443/a", true},
		"with TLS":        {"http://h/a", "https://h/a", true},
		"another port":    {"https://h/a", "https://h:8443/a", false},
		"no TLS at 443":   {"http://h/a", "http://h:443/a", false},
		"odd port to TLS": {"http://h:8080/a", "https://h/a", false},
		"host below":      {"https://h/a", "https://a.h/a", false},
		"host above":      {"https://a.h/a", "https://h/a", false},
		"another host":    {"https://h/a", "https://g/a", false},
		"without TLS":     {"https://h/a", "http://h/a", false},
	} {
		t.Run(name, func(t *testing.T) {
			from, fromErr := url.Parse(row.from)
			to, toErr := url.Parse(row.to)
			if fromErr != nil || toErr != nil || isSameServer(from, to) != row.same {
				t.Errorf("%s to %s: want %t", row.from, row.to, row.same)
			}
		})
	}
}

// The text of the standard library has the present time.
func TestAnExpiredCertificate(t *testing.T) {
	begin := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	err := &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{
		Reason: x509.Expired, Cert: &x509.Certificate{NotBefore: begin, NotAfter: begin.AddDate(0, 1, 0)},
	}}
	f := &fetch{caller: t.Context(), ctx: t.Context(), op: "fetch jar https://h/j.jar"}
	want := "fetch jar https://h/j.jar: TLS fails (the certificate is valid from 2025-01-02T03:04:05Z to " +
		"2025-02-02T03:04:05Z): correct the server, or have the operator's pods trust its CA (SSL_CERT_DIR)"
	if got := f.broken(err); got.Error() != want || fail.KindOf(got) != fail.Denied {
		t.Errorf("%v", got)
	}
}
