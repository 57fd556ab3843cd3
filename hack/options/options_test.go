package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

const root = "../.."

func TestThePagesAreUpToDate(t *testing.T) {
	all, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range all {
		written, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if text != string(written) {
			t.Errorf("%s differs: run make generate", name)
		}
	}
	for _, u := range key.NoEffect() {
		if !strings.Contains(all["docs/reference/configuration.md"], "`"+u.Option.Key+"`") {
			t.Errorf("%s is not in docs/reference/configuration.md", u.Option.Key)
		}
	}
	for _, o := range key.All() {
		own := strings.HasPrefix(o.Key, key.OperatorPrefix) || strings.HasPrefix(o.Key, key.AutoscalerPrefix)
		if own && !strings.Contains(all["docs/reference/configuration.md"], "| `"+o.Key+"`") {
			t.Errorf("%s is not in docs/reference/configuration.md", o.Key)
		}
	}
	for _, kind := range kinds.Names() {
		if !strings.Contains(all["docs/reference/kinds.md"], "\n## "+kind+"\n") {
			t.Errorf("%s is not in docs/reference/kinds.md", kind)
		}
	}
}
