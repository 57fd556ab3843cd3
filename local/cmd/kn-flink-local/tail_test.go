package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kn-flink/kn-flink/local/mesh"
)

func TestTheTailFollowsOneLogAfterAnother(t *testing.T) {
	dir, tail := t.TempDir(), tail{}
	log := func(name, text string) string {
		path := filepath.Join(dir, name)
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(path string, want ...string) {
		t.Helper()
		if got := tail.read(path); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("")
	check(filepath.Join(dir, "not yet"))
	first := log("1", "T stdout F one\nT stderr F trouble\nT stdout F tw")
	check(first, "one")
	log("1", "o\n")
	check(first, "two")
	log("1", "T stdout F three\n")
	second := log("2", "T stdout F four\nno log line\n")
	check(second, "three", "four")
	check("")
	log("2", "T stdout F 5\n")
	check(second, "5")
}

func TestTheListenerIsFound(t *testing.T) {
	functions := []mesh.Function{
		{Namespace: "other", Name: "listener", LogFile: "no"}, {Namespace: "default", Name: "listener", LogFile: "yes"},
	}
	if got := listenerLog(functions); got != "yes" {
		t.Errorf("%q", got)
	}
	if got := listenerLog(nil); got != "" {
		t.Errorf("%q", got)
	}
}
