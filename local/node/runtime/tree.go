package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// overlay builds a directory of links that looks like lower with mounts laid over it: for programs that find their
// files by listing or joining, where no path is written that could be rewritten. Mounts are relative to lower. Nothing
// is copied: what is written through a link is written to lower.
func overlay(target, lower string, mounts map[string]string) error {
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	here, below := map[string]string{}, map[string]map[string]string{}
	for path, source := range mounts {
		name, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			here[name] = source
			continue
		}
		if below[name] == nil {
			below[name] = map[string]string{}
		}
		below[name][rest] = source
	}
	entries, err := os.ReadDir(lower)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if _, mounted := here[name]; !mounted && below[name] == nil {
			here[name] = filepath.Join(lower, name)
		}
	}
	for name, source := range here {
		if below[name] != nil {
			continue
		}
		if err := os.Symlink(source, filepath.Join(target, name)); err != nil {
			return err
		}
	}
	for name, deeper := range below {
		// A mount inside a mount: the outer one is what lies below the inner one.
		under := filepath.Join(lower, name)
		if source, ok := here[name]; ok {
			under = source
		}
		if err := overlay(filepath.Join(target, name), under, deeper); err != nil {
			return err
		}
	}
	return nil
}

// textLimit is the size up to which a file may be a text with paths in it.
const textLimit = 1 << 20

// copyRewritten copies the files of a directory with the container paths in them rewritten. Links are followed, because
// a volume of the kubelet consists of links; its own bookkeeping (names that begin with "..") is left out. Lines for
// which verbatim says so, and files that are no text, are copied as they are. A source that is a file becomes a file.
func copyRewritten(target, source string, v view, verbatim func(line string) bool) error {
	info, err := os.Stat(source)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(target, 0o755)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return copyFile(target, source, info, v, verbatim)
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(source)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "..") {
			continue
		}
		if err := copyRewritten(
			filepath.Join(target, entry.Name()), filepath.Join(source, entry.Name()), v, verbatim,
		); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(target, source string, info fs.FileInfo, v view, verbatim func(string) bool) error {
	if info.Size() > textLimit {
		return os.Symlink(source, target)
	}
	content, err := os.ReadFile(source)
	if err != nil {
		return fmt.Errorf("copy for rewriting: %w", err)
	}
	if utf8.Valid(content) {
		lines := strings.SplitAfter(string(content), "\n")
		for i, line := range lines {
			if verbatim == nil || !verbatim(line) {
				lines[i] = v.rewrite(line)
			}
		}
		content = []byte(strings.Join(lines, ""))
	}
	return os.WriteFile(target, content, info.Mode().Perm()|0o600)
}
