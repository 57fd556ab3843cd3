package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The diagrams are those of what they show.
func TestTheDiagramsAreUpToDate(t *testing.T) {
	drawn, err := pages("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(drawn) < 3 {
		t.Errorf("%d pages have a diagram, want 3 or more", len(drawn))
	}
	for path, text := range drawn {
		written, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if text != string(written) {
			t.Errorf("%s differs: run make generate", path)
		}
	}
}

func TestChangesAreThoseOfEachResource(t *testing.T) {
	text := "status   UPGRADING UPGRADING job=x\nstatus   DEPLOYED DEPLOYED job=x\nstatus   DEPLOYED DEPLOYED job=y\n"
	if got := changes(text); !slices.Equal(got, []string{"  [*] --> UPGRADING\n", "  UPGRADING --> DEPLOYED\n"}) {
		t.Errorf("drawn %q", got)
	}
}

func TestATranscriptWithoutAnEditIsRefused(t *testing.T) {
	if _, err := change("event    add FlinkDeployment demo\n"); err == nil {
		t.Error("it was drawn")
	}
}

func TestATopologyWithoutTriggersIsRefused(t *testing.T) {
	if _, err := topology(t.TempDir()); err == nil || !strings.Contains(err.Error(), "fewer than four") {
		t.Errorf("told %v", err)
	}
}
