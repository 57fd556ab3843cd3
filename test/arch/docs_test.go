package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{root(t)}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The index of decisions has each page once, under its number and title, with a date and a status.
func TestDecisionsAreIndexed(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| (\d+) \| \[(.+)\]\((.+)\) \| 20\d\d-\d\d-\d\d \| [^|]*\w \|$`)
	indexed := map[string]int{}
	for _, cells := range row.FindAllStringSubmatch(read(t, "docs", "adr", "README.md"), -1) {
		indexed[cells[3]]++
		title, _, _ := strings.Cut(read(t, "docs", "adr", cells[3]), "\n")
		if want := "# " + cells[1] + ". " + cells[2]; title != want {
			t.Errorf("docs/adr/%s begins with %q, and the index says %q", cells[3], title, want)
		}
	}
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "adr", "0*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); indexed[name] != 1 {
			t.Errorf("docs/adr/README.md has %s in %d rows, want 1", name, indexed[name])
		}
	}
}

// Each file and folder that the page of changes names is there.
func TestWhereToChangeNamesWhatIsThere(t *testing.T) {
	paths := regexp.MustCompile("`([a-z.][\\w.-]*/[\\w./-]*)`").FindAllStringSubmatch(
		read(t, "docs", "internals", "where-to-change.md"), -1)
	if len(paths) < 20 {
		t.Fatalf("%d paths were found: they are written differently now", len(paths))
	}
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(root(t), path[1])); err != nil {
			t.Errorf("docs/internals/where-to-change.md names %s: %v", path[1], err)
		}
	}
}
