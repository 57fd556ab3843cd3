package main

import (
	"os"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

func TestThePageIsUpToDate(t *testing.T) {
	written, err := os.ReadFile("../../docs/options.md")
	if err != nil {
		t.Fatal(err)
	}
	if page() != string(written) {
		t.Error("docs/options.md differs: run make generate")
	}
	for _, u := range key.NoEffect() {
		if !strings.Contains(string(written), "`"+u.Option.Key+"`") {
			t.Errorf("%s is not in docs/options.md", u.Option.Key)
		}
	}
}
