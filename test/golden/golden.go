package golden

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Compare holds a text to a file, line by line. With update the file is written first; anew says how a reader of a
// difference does that.
func Compare(t testing.TB, path, text string, update bool, anew string) {
	t.Helper()
	if update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("%s differs; %s writes it anew:\n%s", path, anew, diff)
	}
}
