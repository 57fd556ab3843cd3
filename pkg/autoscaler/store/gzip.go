package store

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// uncompressed is the text of a value. One that is not compressed, as older versions wrote it, is that text itself; so
// is one that is not whole. It fails for one that unpacks to more than bounded.Store: a small value may.
func uncompressed(value string) (string, error) {
	packed, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return value, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return value, nil
	}
	var text bytes.Buffer
	_, err = text.ReadFrom(&limited{Reader: reader, left: bounded.Store.Bytes})
	var large *bounded.TooLarge
	switch {
	case errors.As(err, &large):
		return "", err
	case err != nil:
		return value, nil
	}
	return text.String(), nil
}

// limited fails beyond so many bytes.
type limited struct {
	*gzip.Reader
	left int
}

// Read reads what is left of the bound.
func (l *limited) Read(into []byte) (int, error) {
	n, err := l.Reader.Read(into)
	if l.left -= n; l.left < 0 {
		return 0, &bounded.TooLarge{What: "bytes unpacked", Most: bounded.Store.Bytes}
	}
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
