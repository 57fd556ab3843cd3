package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	drawn, err := pages(*root)
	for path, text := range drawn {
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "diagrams:", err)
		os.Exit(1)
	}
}

// place is where a page has a diagram.
var place = regexp.MustCompile(`(?s)<!-- diagram: (\w+) -->\n.*?<!-- end -->`)

// pages are the pages with a diagram, drawn anew, by path.
func pages(root string) (map[string]string, error) {
	drawn := map[string]string{}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !place.Match(text) {
			return err
		}
		var failed error
		drawn[path] = place.ReplaceAllStringFunc(string(text), func(found string) string {
			name := place.FindStringSubmatch(found)[1]
			body, err := diagram(root, name)
			if err != nil && failed == nil {
				failed = fmt.Errorf("%s: diagram %s: %w", path, name, err)
			}
			return "<!-- diagram: " + name + " -->\n\n```mermaid\n" + body + "```\n\n<!-- end -->"
		})
		return failed
	})
	return drawn, err
}

// diagram draws one by its name.
func diagram(root, name string) (string, error) {
	transcripts := filepath.Join(root, "test", "scenario", "testdata", "transcripts")
	switch name {
	case "states":
		return states(transcripts)
	case "change":
		text, err := os.ReadFile(filepath.Join(transcripts, "upgrade-savepoint.txt"))
		if err != nil {
			return "", err
		}
		return change(string(text))
	case "topology":
		return topology(filepath.Join(root, "config", "knative"))
	}
	return "", fmt.Errorf("there is none of that name")
}

// fields are the words of a line of a transcript.
func fields(line string) (kind string, rest []string) {
	words := strings.Fields(line)
	if len(words) == 0 || strings.HasPrefix(line, " ") {
		return "", nil
	}
	return words[0], words[1:]
}
