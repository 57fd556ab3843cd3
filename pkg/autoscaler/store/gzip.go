package store

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
)

// maxText bounds what a compressed value may hold, as Java's reader does (20 Mi characters).
const maxText = 20 << 20

// uncompressed is the text of a value. One that is not compressed, as older versions wrote it, is that text itself.
func uncompressed(value string) string {
	packed, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return value
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return value
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxText))
	if err != nil {
		return value
	}
	return string(text)
}

// compressed packs a text. It writes to memory, which cannot fail.
func compressed(text string) string {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = io.WriteString(writer, text)
	_ = writer.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}
