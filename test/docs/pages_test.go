package docs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const root = "../.."

func read(t *testing.T) []*Page {
	t.Helper()
	pages, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 50 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	return pages
}

func text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// prose is a page without its fences and comments.
func prose(p *Page) string {
	return regexp.MustCompile("(?ms)^ *```.*?^ *```$|<!--.*?-->").ReplaceAllString(p.Text, "")
}

// Whoever opens a page knows from its first line whether it is for them, and what they can do after it.
func TestEachPageNamesItsReader(t *testing.T) {
	first := regexp.MustCompile(`^\s*# [^\n]+\n\nFor [^:\n]+:\s[a-z](?:[^\n]+\n)+`)
	for _, p := range read(t) {
		if p.Path != "README.md" && !first.MatchString(prose(p)) {
			t.Errorf(`%s does not begin with "For <reader>: <what he can do>."`, p.Path)
		}
	}
}

// section are the pages of each part of the site, by the path of mkdocs.yml.
func sections(t *testing.T) map[string][]string {
	t.Helper()
	var site struct {
		Nav []map[string]yaml.Node `yaml:"nav"`
	}
	if err := yaml.Unmarshal([]byte(text(t, "mkdocs.yml")), &site); err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, part := range site.Nav {
		for name, node := range part {
			if node.Kind == yaml.ScalarNode {
				found[name] = []string{"docs/" + node.Value}
				continue
			}
			var pages []map[string]string
			if err := node.Decode(&pages); err != nil {
				t.Fatal(err)
			}
			for _, page := range pages {
				for _, file := range page {
					found[name] = append(found[name], "docs/"+file)
				}
			}
		}
	}
	return found
}

func TestTheSiteHasEachPageOnce(t *testing.T) {
	times := map[string]int{}
	for _, pages := range sections(t) {
		for _, page := range pages {
			times[page]++
		}
	}
	for _, p := range read(t) {
		if p.Path != "README.md" && times[p.Path] != 1 {
			t.Errorf("mkdocs.yml has %s %d times, want 1", p.Path, times[p.Path])
		}
		delete(times, p.Path)
	}
	for left := range times {
		if _, err := os.Stat(filepath.Join(root, left)); err != nil {
			t.Errorf("mkdocs.yml names %s: %v", left, err)
		}
	}
}

// longest is how many lines a page may have that somebody reads from its beginning to its end.
const longest = 200

func TestPagesAreShort(t *testing.T) {
	for name, pages := range sections(t) {
		if name == "Reference" || name == "Internals" {
			continue
		}
		for _, page := range pages {
			if lines := strings.Count(text(t, page), "\n"); lines > longest {
				t.Errorf("%s has %d lines, want %d at most: part it", page, lines, longest)
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	outside = regexp.MustCompile(`^[a-z]+:`)
)

// anchors are those that a forge gives the headings of a page.
func anchors(text string) map[string]bool {
	text = regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(text, "")
	found := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(match[1], "$1")
		plain = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`).ReplaceAllString(strings.ToLower(plain), "")
		anchor := strings.ReplaceAll(plain, " ", "-")
		for i := 1; found[anchor]; i++ {
			anchor = fmt.Sprintf("%s-%d", strings.ReplaceAll(plain, " ", "-"), i)
		}
		found[anchor] = true
	}
	return found
}

// TestLinks: each link leads to a file that is there, and each anchor to a heading of it. The decisions are read, too,
// and what stands beside README.md.
func TestLinks(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "config/*/*.md", "local/*.md", "test/*/*.md"} {
		more, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, file := range files {
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		whole := text(t, name)
		plain := regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(whole, "")
		for _, match := range link.FindAllStringSubmatch(plain, -1) {
			if outside.MatchString(match[1]) {
				continue
			}
			to, anchor, _ := strings.Cut(match[1], "#")
			target := path.Join(path.Dir(filepath.ToSlash(name)), to)
			if to == "" {
				target = filepath.ToSlash(name)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, match[1])
				continue
			}
			if anchor != "" && !anchors(text(t, target))[anchor] {
				t.Errorf("%s links to %s, which has no such heading", name, match[1])
			}
		}
	}
}

func TestAnchorsAreThoseOfAForge(t *testing.T) {
	found := anchors("# 1. Give people *their* rights\n```sh\n# no heading\n```\n## A\n## A\n## [Link](x.md) of `code`\n")
	for _, want := range []string{"1-give-people-their-rights", "a", "a-1", "link-of-code"} {
		if !found[want] {
			t.Errorf("no anchor %q in %v", want, found)
		}
	}
	if len(found) != 4 {
		t.Errorf("anchors %v", found)
	}
}

// Each example, a manifest or a folder, is named by a page.
func TestEachExampleIsOnAPage(t *testing.T) {
	linked := map[string]bool{}
	for _, p := range read(t) {
		for _, match := range link.FindAllStringSubmatch(p.Text, -1) {
			linked[path.Join(path.Dir(p.Path), match[1])] = true
		}
	}
	entries, err := os.ReadDir(filepath.Join(root, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := "examples/" + entry.Name()
		below := func(found string) bool { return strings.HasPrefix(found, name+"/") }
		if !linked[name] && !slices.ContainsFunc(keys(linked), below) {
			t.Errorf("no page links to %s", name)
		}
	}
}

func keys(of map[string]bool) (all []string) {
	for key := range of {
		all = append(all, key)
	}
	return all
}
