package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestADirectoryBelongsToOneProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	release, err := own(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := own(dir); err == nil || !strings.Contains(err.Error(), "runs in "+dir+" already (process ") {
		t.Errorf("a second one: %v", err)
	}
	release()
	if release, err = own(dir); err != nil {
		t.Fatalf("after the first ended: %v", err)
	}
	release()
}

func TestACleanStartKeepsPrograms(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"bin/program", "etcd/member/db", "kubeconfig", "network"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !left(dir) {
		t.Error("a run has left its state, and nothing is found to go on with")
	}
	if err := clean(dir); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(dir + "/*")
	if err != nil || len(names) != 2 || filepath.Base(names[0]) != "bin" || filepath.Base(names[1]) != "network" {
		t.Errorf("%q is left, %v", names, err)
	}
	if left(dir) {
		t.Error("programs alone are nothing to go on with: the example would never be applied")
	}
}
