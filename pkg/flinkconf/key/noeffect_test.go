package key_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/test/declared"
)

// use is an option in the code; one whose key is only named, as a message does, is not read by that.
var use = regexp.MustCompile(`\bkey\.([A-Z]\w*)(\.Key\b)?`)

// used are the options that the shipped code names outside this package. What validation alone reads has no effect.
func used(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, top := range []string{"../../../pkg", "../../../functions"} {
		err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			at := filepath.ToSlash(path)
			if strings.Contains(at, "pkg/flinkconf/key/") {
				return nil
			}
			text, err := os.ReadFile(path)
			for _, match := range use.FindAllStringSubmatch(string(text), -1) {
				names[match[1]] = names[match[1]] || match[2] == ""
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// Every option of the operator is read somewhere, or whoever sets it is told that it has no effect.
func TestEveryOptionIsReadOrTold(t *testing.T) {
	told, read := map[string]key.Unread{}, used(t)
	for _, u := range key.NoEffect() {
		told[u.Option.Key] = u
	}
	if len(told) != len(key.NoEffect()) {
		t.Error("an option is listed twice")
	}
	all, err := declared.Options(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range all {
		u, unread := told[o.Key]
		switch {
		case !strings.HasPrefix(o.Key, key.OperatorPrefix) && !strings.HasPrefix(o.Key, key.AutoscalerPrefix):
			if unread {
				t.Errorf("%s is for Flink to read", name)
			}
		case read[name] && unread:
			t.Errorf("%s is read by now: take it off NoEffect", name)
		case !read[name] && !unread:
			t.Errorf("%s is read by nobody: honour it, or list it in NoEffect", name)
		}
		if unread && (u.Why == "" || strings.HasSuffix(u.Why, ".")) {
			t.Errorf("%s: %q does not say what happens instead", name, u.Why)
		}
	}
}
