package scenario

import (
	"path/filepath"
	"testing"
)

// TestFoundByChance replays what random runs found and what was fixed since: one file each, as the failing run printed
// it.
func TestFoundByChance(t *testing.T) {
	files, err := filepath.Glob("testdata/found/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { replay(t, file) })
	}
}
