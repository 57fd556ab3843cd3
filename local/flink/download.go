package flink

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// download unpacks an archive while it arrives and checks its SHA-256 at the end: until then, nothing counts on what is
// in the target.
func download(ctx context.Context, file archive, target string, progress Progress) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, file.URL, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("download %s: %w", file.Name, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("download %s: the server answers %s", file.Name, answer.Status)
	}
	total := file.Size
	if total == 0 {
		total = max(answer.ContentLength, 0)
	}
	sum := sha256.New()
	body := io.TeeReader(
		&counter{Reader: answer.Body, step: "download " + file.Name, total: total, progress: progress}, sum,
	)
	if err := unpack(body, target); err != nil {
		return fmt.Errorf("unpack %s: %w", file.Name, err)
	}
	// The checksum is over all of it, the end of the archive's padding too.
	if _, err := io.Copy(io.Discard, body); err != nil {
		return fmt.Errorf("download %s: %w", file.Name, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != file.Hashes["sha256"] {
		return fmt.Errorf("%s has the SHA-256 %s, and not %s as the index says", file.Name, got, file.Hashes["sha256"])
	}
	return nil
}

// parts of the archive that are used, below NAME-VERSION/deps/.
var parts = map[string]bool{"lib": true, "opt": true, "plugins": true, "bin": true}

func unpack(from io.Reader, target string) error {
	plain, err := gzip.NewReader(from)
	if err != nil {
		return err
	}
	files, found := tar.NewReader(plain), 0
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		_, path, _ := strings.Cut(header.Name, "/deps/")
		part, _, _ := strings.Cut(path, "/")
		if !parts[part] || header.Typeflag != tar.TypeReg {
			continue
		}
		if !filepath.IsLocal(path) {
			return fmt.Errorf("the archive has a file outside itself: %q", header.Name)
		}
		if err := save(filepath.Join(target, path), files, header.FileInfo().Mode()); err != nil {
			return err
		}
		found++
	}
	if found == 0 {
		return errors.New("there are no jars in it")
	}
	return nil
}

func save(path string, from io.Reader, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode.Perm()|0o400)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, from); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}
