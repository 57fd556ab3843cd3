package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Page is a page as it is written.
type Page struct {
	// Path from the root of the repository, with slashes.
	Path string
	// Text of the page.
	Text string
	// Items are its fences and hidden commands, in their order.
	Items []Item
	// Name is what <name> stands for in its commands; empty where none is said.
	Name string
}

// Item is a fence, or a hidden command.
type Item struct {
	// Line where it begins, from 1.
	Line int
	// Hidden is the command of a comment; empty of a fence.
	Hidden string
	// Fence is nil of a hidden command.
	Fence *Fence
}

// Fence is a block of a page.
type Fence struct {
	// Lang is its language; empty where none is said.
	Lang string
	// Kind is how it is tested: test, by, as, norun, settings, part, schema, output; empty where nothing is said.
	Kind string
	// Of is the text that goes with by, as, norun and part.
	Of string
	// Fails says that the last command has to fail.
	Fails bool
	// Body is its text, without the indent of the fence, with a line break at its end.
	Body string
}

// Read reads README.md and the pages below docs of a repository, but for the decisions.
func Read(root string) ([]*Page, error) {
	paths := []string{"README.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "adr" {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			relative, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			paths = append(paths, filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	pages := make([]*Page, 0, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		p, err := Parse(path, string(text))
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

var (
	opening = regexp.MustCompile("^( *)```(\\w*) ?(.*)$")
	hidden  = regexp.MustCompile(`^ *<!-- test: (.*) -->$`)
	named   = regexp.MustCompile(`^<!-- name: (\S+) -->$`)
	told    = regexp.MustCompile(`^(by|as|norun)="([^"]+)"$`)
)

// Parse reads a page. A fence that does not end, or whose words are not known, is an error.
func Parse(path, text string) (*Page, error) {
	p := &Page{Path: path, Text: text}
	var open *Fence
	indent := ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case open != nil && line == indent+"```":
			open = nil
		case open != nil:
			open.Body += strings.TrimPrefix(line, indent) + "\n"
		case hidden.MatchString(line):
			p.Items = append(p.Items, Item{Line: i + 1, Hidden: hidden.FindStringSubmatch(line)[1]})
		case named.MatchString(line):
			p.Name = named.FindStringSubmatch(line)[1]
		case opening.MatchString(line):
			match := opening.FindStringSubmatch(line)
			f, err := fence(match[2], match[3])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
			}
			open, indent = f, match[1]
			p.Items = append(p.Items, Item{Line: i + 1, Fence: f})
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s: a fence does not end", path)
	}
	return p, nil
}

// fence reads the words behind the three backquotes.
func fence(lang, words string) (*Fence, error) {
	f := &Fence{Lang: lang}
	if lang == "output" {
		f.Kind = "output"
	}
	switch match := told.FindStringSubmatch(words); {
	case words == "":
	case match != nil:
		f.Kind, f.Of = match[1], match[2]
	case words == "test", words == "settings", words == "schema":
		f.Kind = words
	case words == "test fails":
		f.Kind, f.Fails = "test", true
	case strings.HasPrefix(words, "part="):
		f.Kind, f.Of = "part", strings.TrimPrefix(words, "part=")
	default:
		return nil, fmt.Errorf("a fence says %q, which is none of the words of test/docs", words)
	}
	return f, nil
}
