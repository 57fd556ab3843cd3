package store

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
)

// maxText bounds what a compressed value may hold, as Java's reader does (20 Mi characters).
const maxText = 20 << 20

var errTooLarge = errors.New("the value unpacks to more than 20 MiB")

// uncompressed is the text of a value. One that is not compressed, as older versions wrote it, is that text itself; so
// is one that is not whole, or too large.
func uncompressed(value string) string {
	packed, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return value
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return value
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(&bounded{Reader: reader, left: maxText}); err != nil {
		return value
	}
	return text.String()
}

// bounded reads so many bytes and no more: a small value may unpack to a very large one.
type bounded struct {
	*gzip.Reader
	left int
}

// Read reads what is left of the bound.
func (b *bounded) Read(into []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.Reader.Read(into[:min(len(into), b.left)])
	b.left -= n
	return n, err
}

// compressed packs a text. It writes to memory, which cannot fail.
func compressed(text string) string {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = writer.Write([]byte(text))
	_ = writer.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}
