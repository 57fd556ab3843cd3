package jarsource_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/jarsource"
)

func TestSize(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/known" {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		}
		fmt.Fprint(w, content[:5])
		w.(http.Flusher).Flush()
		fmt.Fprint(w, content[5:])
	})
	for path, size := range map[string]int64{"/known": int64(len(content)), "/unknown": -1} {
		jar, err := jarsource.Open(t.Context(), policy(t), server.URL+path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(jar)
		if jar.Size != size || string(text) != content || err != nil {
			t.Errorf("%s: %d %q %v, want %d", path, jar.Size, text, err, size)
		}
		if err := jar.Close(); err != nil {
			t.Error(err)
		}
	}
}

// pack compresses a text.
func pack(t *testing.T, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestContentIsNotDecoded(t *testing.T) {
	served := []byte(content)
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(served)
	})
	if got, err := read(t, policy(t), server.URL); got != content {
		t.Errorf("%q, %v: the bytes are passed on as they are", got, err)
	}
	served = pack(t, content)
	_, err := read(t, policy(t), server.URL)
	wants(t, err, fail.Denied, "JarUnreadable", "no jar", `Content-Encoding "gzip"`)
}

func TestPagesAreNoJars(t *testing.T) {
	for name, page := range map[string]string{"login": "<html>Log in</html>", "nothing": "", "one byte": "P"} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, page)
			})
			_, err := read(t, policy(t), server.URL)
			wants(t, err, fail.Denied, "JarUnreadable", "no jar", `Content-Type "text/html"`)
		})
	}
}

func TestStatuses(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		code := 0
		_, _ = fmt.Sscan(r.URL.Path[1:], &code)
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		w.WriteHeader(code)
		if code != http.StatusNoContent {
			_, password, _ := r.BasicAuth()
			fmt.Fprintf(w, "\nno jar for %s with %s\nmore", r.Header.Get("X-Key"), password)
		}
	})
	for code, want := range map[int]string{
		201: "Denied JarUnreadable", 204: "Denied JarUnreadable", 206: "Denied JarUnreadable",
		400: "Denied JarUnreadable", 401: "Denied JarForbidden", 403: "Denied JarForbidden", 404: "Denied JarNotFound",
		407: "Denied JarForbidden", 408: "Transient JarServerFailed", 410: "Denied JarNotFound",
		418: "Denied JarUnreadable", 425: "Transient JarServerFailed", 429: "Transient JarServerFailed",
		500: "Transient JarServerFailed", 503: "Transient JarServerFailed", 599: "Transient JarServerFailed",
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			p := policy(t)
			p.Header = map[string]string{"X-Key": "Key of2words"}
			kind, reason, _ := strings.Cut(want, " ")
			path := fmt.Sprintf("%s/%d?type=", strings.Replace(server.URL, "//", "//u:tuna1234@", 1), code)
			_, err := read(t, p, path+"text/plain")
			words := []string{
				"fetch jar " + server.URL, "?type=******", fmt.Sprintf("response %d %s", code, http.StatusText(code)),
			}
			if code != http.StatusNoContent {
				words = append(words, `("no jar for ****** with ******")`)
			}
			wants(t, err, fail.Kind(kind), reason, words...)
			_, err = read(t, p, path+"text/html")
			if strings.Contains(err.Error(), "no jar for") {
				t.Errorf("%v: shows a line of markup", err)
			}
		})
	}
}

func TestAPartIsNotTheWhole(t *testing.T) {
	type answer struct {
		head   string
		kind   fail.Kind
		reason string
		words  string
	}
	raw := func(head string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			defer connection.Close()
			if head == "reset" {
				_ = connection.(*net.TCPConn).SetLinger(0)
				return
			}
			fmt.Fprint(connection, head)
		}
	}
	const ok, length = "HTTP/1.1 200 OK\r\n", "Content-Length: 100\r\n\r\n"
	broken := func(head string) answer { return answer{head, fail.Transient, fail.ReasonUnreachable, "broke"} }
	for name, row := range map[string]answer{
		"a length":  broken(ok + length + content),
		"chunks":    broken(ok + "Transfer-Encoding: chunked\r\n\r\n4\r\nPK34\r\n5\r\nab"),
		"no header": broken(ok + "Content-Le"),
		"no byte":   broken(ok + length),
		"no answer": broken(""),
		"reset":     broken("reset"),
		"not HTTP":  {"SSH-2.0-OpenSSH_9.6\r\n", fail.Transient, fail.ReasonUnreachable, "malformed HTTP"},
		"neither a length nor chunks": {
			ok + "\r\n" + content, fail.Denied, "JarUnreadable", "have the server send Content-Length",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, raw(row.head))
			_, err := read(t, policy(t), server.URL)
			wants(t, err, row.kind, row.reason, row.words)
		})
	}
}

func TestMaxBytes(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunks" {
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, content)
	})
	for name, row := range map[string]struct {
		path string
		most int64
		got  string
		fits bool
	}{
		"no bound":               {"/length", 0, content, true},
		"length at the bound":    {"/length", int64(len(content)), content, true},
		"length above":           {"/length", int64(len(content)) - 1, "", false},
		"chunks at the bound":    {"/chunks", int64(len(content)), content, true},
		"chunks above":           {"/chunks", int64(len(content)) - 1, content[:len(content)-1], false},
		"chunks above the start": {"/chunks", 1, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := policy(t)
			p.MaxBytes = row.most
			got, err := read(t, p, server.URL+row.path)
			if got != row.got {
				t.Errorf("%q, want %q", got, row.got)
			}
			if row.fits && err != nil {
				t.Error(err)
			} else if !row.fits {
				wants(t, err, fail.Denied, "JarTooLarge", fmt.Sprintf("larger than %d bytes", row.most))
			}
		})
	}
}

func TestStalls(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			fmt.Fprint(w, content)
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	p := policy(t)
	p.Stall = 30 * time.Millisecond
	got, err := read(t, p, server.URL+"/body")
	wants(t, err, fail.Transient, fail.ReasonTimeout, "no byte came for 30ms")
	if got != content {
		t.Errorf("%q came before", got)
	}
	_, err = read(t, p, server.URL+"/header")
	wants(t, err, fail.Transient, fail.ReasonTimeout, "no response in time")
}

func TestTheContextEndsIt(t *testing.T) {
	gone := make(chan struct{}, 1)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, content)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	})
	ctx, cancel := context.WithCancel(t.Context())
	jar, err := jarsource.Open(ctx, policy(t), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer jar.Close()
	if _, err := io.ReadFull(jar, make([]byte, len(content))); err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err = jar.Read(make([]byte, 1))
	wants(t, err, fail.Transient, fail.ReasonCanceled)
	_, again := jar.Read(make([]byte, 1))
	if again != err {
		t.Errorf("%v after %v: an error stays", again, err)
	}
	<-gone
	_, err = jarsource.Open(ctx, policy(t), server.URL)
	wants(t, err, fail.Transient, fail.ReasonCanceled)
	ctx, cancel = context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	_, err = jarsource.Open(ctx, policy(t), server.URL)
	wants(t, err, fail.Transient, fail.ReasonTimeout)
}

func TestCloseEndsARead(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, content)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	jar, err := jarsource.Open(t.Context(), policy(t), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(jar, make([]byte, len(content))); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := jar.Read(make([]byte, 1))
		ended <- err
	}()
	if err := jar.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil || err == io.EOF {
		t.Errorf("%v: the jar has not ended", err)
	}
}

func TestConnections(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content) })
	secure := httptest.NewUnstartedServer(handler)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	closed := httptest.NewServer(handler)
	closed.Close()
	p := policy(t)
	_, err := read(t, p, secure.URL)
	wants(t, err, fail.Denied, fail.ReasonUntrusted, "certificate", "SSL_CERT_DIR")
	_, err = read(t, p, strings.Replace(serve(t, handler).URL, "http:", "https:", 1))
	wants(t, err, fail.Denied, fail.ReasonUntrusted)
	_, err = read(t, p, closed.URL)
	wants(t, err, fail.Transient, fail.ReasonUnreachable, "connection refused")
	_, again := read(t, p, closed.URL)
	if again.Error() != err.Error() {
		t.Errorf("%v, then %v: an unchanged world gives an unchanged text", err, again)
	}
	p.Resolver = (&names{}).resolver()
	_, err = read(t, p, "http://jars.example/job.jar")
	wants(t, err, fail.Denied, "JarHostUnknown", "host jars.example does not resolve")
	p.Resolver = (&names{answers: []string{"fails"}}).resolver()
	_, err = read(t, p, "http://jars.example/"+strings.Repeat("a", 300)+"/job.jar?token=swordfish")
	wants(t, err, fail.Transient, fail.ReasonUnreachable, "aaa...: lookup jars.example: server misbehaving: it is")
	p.Roots = secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	if got, err := read(t, p, secure.URL); got != content {
		t.Errorf("%q, %v: its CA is trusted", got, err)
	}
}

func TestAServerThatWantsACertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	p := policy(t)
	p.Roots = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	_, err := read(t, p, server.URL)
	wants(t, err, fail.Denied, fail.ReasonUntrusted, "certificate required")
}

func TestNoConnectionIsLeft(t *testing.T) {
	gone := make(chan string)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		text := content
		switch r.URL.Path {
		case "/moved":
			w.Header().Set("Location", "/job.jar")
			w.WriteHeader(http.StatusFound)
		case "/page":
			text = "no jar"
		}
		fmt.Fprint(w, text)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		gone <- r.URL.Path
	})
	ctx := context.WithoutCancel(t.Context()) // its end would end all
	_, err := jarsource.Open(ctx, policy(t), server.URL+"/page")
	wants(t, err, fail.Denied, "JarUnreadable", "no jar")
	if path := <-gone; path != "/page" {
		t.Errorf("%s has ended: an error ends the response", path)
	}
	jar, err := jarsource.Open(ctx, policy(t), server.URL+"/moved")
	if err != nil {
		t.Fatal(err)
	}
	if path := <-gone; path != "/moved" {
		t.Errorf("%s has ended: the redirect is done", path)
	}
	if err := jar.Close(); err != nil {
		t.Error(err)
	}
	if path := <-gone; path != "/job.jar" {
		t.Errorf("%s has ended: the jar is closed", path)
	}
}

// A jar is streamed: what is allocated does not grow with it. TotalAlloc counts what was freed, too.
func TestMemoryDoesNotGrowWithTheJar(t *testing.T) {
	const size, most = 300 << 20, 8 << 20
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		block := append([]byte(content), make([]byte, 64<<10-len(content))...)
		for range size / len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	jar, err := jarsource.Open(t.Context(), policy(t), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer jar.Close()
	count, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, jar, make([]byte, 64<<10))
	runtime.ReadMemStats(&after)
	if count != size || jar.Size != size || err != nil {
		t.Errorf("%d bytes of %d, %v", count, jar.Size, err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > most {
		t.Errorf("%d bytes were allocated for a jar of %d", allocated, size)
	}
}

func TestEmpty(t *testing.T) {
	jar := jarsource.Empty()
	text, err := io.ReadAll(jar)
	if err := errors.Join(err, jar.Close()); err != nil || int64(len(text)) != jar.Size {
		t.Fatalf("%d bytes of %d, %v", len(text), jar.Size, err)
	}
	const want = "2d3232be34f5659db4ad72793d3bef27143ff73666d029353d7b6bb29f1dfb41"
	if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != want {
		t.Errorf("SHA-256 %s, want %s: the bytes never change", got, want)
	}
	archive, err := zip.NewReader(bytes.NewReader(text), jar.Size)
	if err != nil || len(archive.File) != 1 || archive.File[0].Name != "META-INF/MANIFEST.MF" {
		t.Fatalf("%+v, %v", archive, err)
	}
	file, err := archive.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := io.ReadAll(file)
	if string(manifest) != "Manifest-Version: 1.0\r\n\r\n" || err != nil {
		t.Errorf("%q, %v", manifest, err)
	}
}

func TestName(t *testing.T) {
	if got := jarsource.Name("0123abcd"); got != "0123abcd.jar" {
		t.Errorf("%q", got)
	}
}
