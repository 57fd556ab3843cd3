package mesh

import (
	"os"
	"path/filepath"
	"testing"
)

// TestALineAfterTheEnd: a part that has no end of its own must not fill the terminal of whoever stops the platform.
func TestALineAfterTheEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log", "mesh.log")
	log, err := openLogFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Write([]byte("in time\n")); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := log.Write([]byte("late\n")); n != 5 || err != nil {
		t.Errorf("wrote %d and %v after the end, want 5 and no error", n, err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "in time\n" {
		t.Errorf("the log has %q, %v", text, err)
	}
}
