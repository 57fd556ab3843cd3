package flink_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/pkg/warmup"
)

// TestWarmUpJarIsMadeFromItsSource compiles the job that warms a cluster, and compares the jar with the one that is
// part of the program.
func TestWarmUpJarIsMadeFromItsSource(t *testing.T) {
	release, err := flink.Resolve("1.20")
	if err != nil {
		t.Fatal(err)
	}
	home, err := flink.Cache{Jobs: "../../pkg/warmup/job"}.Home(t.Context(), release)
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(home, "examples", "streaming", "WarmUp.jar")
	content, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	want := unpacked(t, content)
	if diff := cmp.Diff(want, unpacked(t, warmup.Jar())); diff != "" {
		t.Errorf("pkg/warmup/WarmUp.jar is not made from pkg/warmup/job: copy %s over it\n%s", made, diff)
	}
}

// unpacked are the files of a jar by name. Its bytes differ with the version of Go that packs it.
func unpacked(t *testing.T, jar []byte) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(jar), int64(len(jar)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, file := range archive.File {
		in, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err := errors.Join(err, in.Close()); err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		files[file.Name] = string(text)
	}
	return files
}
