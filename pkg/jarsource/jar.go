package jarsource

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

// Jar is the content of a jar. Whoever has it closes it, and may do so while a Read waits.
type Jar struct {
	io.ReadCloser
	// Size is the length in bytes; -1 where the server does not say it.
	Size int64
}

// Name is what the jar of an operation is uploaded as.
func Name(operation string) string { return operation + ".jar" }

// Empty is a jar with a manifest only, always of the same bytes: Flink runs no job without a jar, and the code of this
// one is on the class path of the cluster's image.
func Empty() Jar {
	const manifest = "Manifest-Version: 1.0\r\n\r\n"
	var content bytes.Buffer // takes every write, so nothing here fails
	archive := zip.NewWriter(&content)
	entry, _ := archive.CreateRaw(&zip.FileHeader{ // what a compressor writes changes from one version of Go to the next
		Name: "META-INF/MANIFEST.MF", Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(manifest)),
		CompressedSize64: uint64(len(manifest)), UncompressedSize64: uint64(len(manifest)),
	})
	_, _ = io.WriteString(entry, manifest)
	_ = archive.Close()
	return Jar{ReadCloser: io.NopCloser(&content), Size: int64(content.Len())}
}

// magic is how every zip file begins.
const magic = "PK"

// jar makes the jar of a response that has the whole of one. It reads the first bytes: a login page is no jar.
func (f *fetch) jar(response *http.Response) (Jar, error) {
	b := &body{fetch: f, content: response.Body}
	b.timer = time.AfterFunc(f.policy.Stall, func() { f.cancel(errStalled) })
	kind, size := response.Header.Get("Content-Type"), response.ContentLength
	switch {
	case response.StatusCode != http.StatusOK:
		return Jar{}, f.refused(response.StatusCode, b.firstLine(kind))
	case size < 0 && len(response.TransferEncoding) == 0:
		return Jar{}, f.fail(fail.Denied, reasonUnreadable, "its end could not be told from a broken connection: have the "+
			"server send Content-Length")
	case f.policy.MaxBytes > 0 && size > f.policy.MaxBytes:
		return Jar{}, f.tooLarge()
	}
	start := make([]byte, len(magic))
	n, err := io.ReadFull(b, start)
	if err != nil && !errors.Is(b.err, io.EOF) {
		return Jar{}, err
	}
	if string(start[:n]) != magic {
		return Jar{}, f.fail(fail.Denied, reasonUnreadable, "the response is no jar (Content-Type %.60q, Content-Encoding "+
			"%.20q): name the file itself, not a page about it", kind, response.Header.Get("Content-Encoding"))
	}
	b.start = start
	return Jar{ReadCloser: b, Size: size}, nil
}

// body is the body of a response. Read and Close may run at the same time.
type body struct {
	fetch   *fetch
	content io.ReadCloser
	// timer runs while a Read waits: a slow reader does not make a slow server.
	timer *time.Timer
	// start is what was read already, and count all that came, in bytes.
	start []byte
	count int64
	// err is how it ended.
	err error
}

func (b *body) Read(to []byte) (int, error) {
	if len(b.start) > 0 {
		n := copy(to, b.start)
		b.start = b.start[n:]
		return n, nil
	}
	if b.err != nil {
		return 0, b.err
	}
	b.timer.Reset(b.fetch.policy.Stall)
	n, err := b.content.Read(to)
	b.timer.Stop()
	b.count += int64(n)
	most := b.fetch.policy.MaxBytes
	switch {
	case most > 0 && b.count > most:
		n, err = n-int(b.count-most), b.fetch.tooLarge()
	case err != nil && !errors.Is(err, io.EOF):
		err = b.fetch.broken(err)
	}
	b.err = err
	return n, err
}

func (b *body) Close() error {
	b.fetch.cancel(nil)
	return b.content.Close()
}

// firstLine is the first line of plain text; empty for all else.
func (b *body) firstLine(contentType string) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "text/html" || !strings.HasPrefix(kind, "text/") {
		return ""
	}
	start := make([]byte, 512)
	n, _ := b.Read(start) // a hint; the error is the status
	line, _, _ := strings.Cut(strings.TrimSpace(string(start[:n])), "\n")
	return strings.TrimSpace(line)
}

var errStalled = errors.New("stalled")
