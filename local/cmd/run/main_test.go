package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheExamplesReleaseIsKnownBeforeItStarts(t *testing.T) {
	release, err := example("../../../examples/basic.yaml")
	if err != nil || !strings.HasPrefix(release, "2.") {
		t.Errorf("%q, %v", release, err)
	}
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte("kind: ConfigMap\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := example(other); err == nil || !strings.Contains(err.Error(), `no line "image: flink:VERSION"`) {
		t.Errorf("a file without an image: %v", err)
	}
}

func TestTheCheckoutIsAboveTheWorkingDirectory(t *testing.T) {
	top, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := checkout(); err != nil || got != top {
		t.Errorf("%q, %v", got, err)
	}
	t.Chdir(t.TempDir())
	if _, err := checkout(); err == nil || !strings.Contains(err.Error(), "is not in a checkout of kn-flink") {
		t.Errorf("elsewhere: %v", err)
	}
}

func TestWhatIsBuiltFirstIsWhatThePlatformBuilds(t *testing.T) {
	for _, target := range targets("/c", "/c/.local/bin/kn-flink-local") {
		if target.Dir == "/c" && (target.Out != "/c/.local/functions/build/" || len(target.Env) != 1) {
			t.Errorf("%+v is not where and how local/mesh/ko builds", target)
		}
	}
}
