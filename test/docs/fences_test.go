package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// shown are the languages of fences that are read and not used: drawings, and what a command prints.
var shown = map[string]bool{"": true, "text": true, "mermaid": true}

// Each fence says how it is tested, or why it is not.
func TestEachFenceSaysHowItIsTested(t *testing.T) {
	targets := targets(t)
	for _, p := range read(t) {
		for _, item := range p.Items {
			f := item.Fence
			if f == nil {
				continue
			}
			switch {
			case f.Kind == "" && !shown[f.Lang]:
				t.Errorf("%s:%d: a fence of %s does not say how it is tested: see test/docs", p.Path, item.Line, f.Lang)
			case f.Kind == "norun" && !strings.Contains(f.Of, " "):
				t.Errorf("%s:%d: a fence is not run, and the reason is %q", p.Path, item.Line, f.Of)
			case f.Kind == "by" && !isTest(t, f.Of, targets):
				t.Errorf("%s:%d: there is no test %q", p.Path, item.Line, f.Of)
			case f.Kind == "as" && !asThere(t, f):
				t.Errorf("%s:%d: %s has not all of these commands in a fence that is run", p.Path, item.Line, f.Of)
			case f.Kind == "schema" && !json.Valid([]byte(f.Body)):
				t.Errorf("%s:%d: it is no JSON", p.Path, item.Line)
			}
		}
	}
}

// asThere reports whether each line of a fence is in a fence of the page that it names, and run there. What is behind a
// number sign does not count.
func asThere(t *testing.T, f *Fence) bool {
	t.Helper()
	p, err := Parse(f.Of, text(t, f.Of))
	if err != nil {
		t.Error(err)
		return false
	}
	there := map[string]bool{"": true}
	lines := func(f *Fence) (all []string) {
		for _, line := range strings.Split(f.Body, "\n") {
			line, _, _ = strings.Cut(line, " #")
			all = append(all, strings.TrimSpace(line))
		}
		return all
	}
	for _, item := range p.Items {
		if item.Fence != nil && item.Fence.Kind == "test" {
			for _, line := range lines(item.Fence) {
				there[line] = true
			}
		}
	}
	for _, line := range lines(f) {
		if !there[line] {
			return false
		}
	}
	return true
}

// targets are those of the Makefile.
func targets(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`).FindAllStringSubmatch(text(t, "Makefile"), -1) {
		found[match[1]] = true
	}
	if len(found) < 20 {
		t.Fatalf("the Makefile has only %d targets", len(found))
	}
	return found
}

// isTest reports whether what a fence names is there: a target, a folder with tests, and a test that is named.
func isTest(t *testing.T, of string, targets map[string]bool) bool {
	t.Helper()
	words := strings.Fields(of)
	is := false
	switch {
	case words[0] == "make" && len(words) > 1:
		is = targets[words[1]]
	case words[0] == "go":
		is = true
	default:
		tests, err := filepath.Glob(filepath.Join(root, words[0], "*_test.go"))
		is = err == nil && len(tests) > 0
	}
	if name := regexp.MustCompile(`\bTest\w+`).FindString(of); is && name != "" {
		return exec.Command("git", "-C", root, "grep", "-q", "func "+name+"(", "--", "*_test.go").Run() == nil
	}
	return is
}

// spoken are commands and paths in a text: what stands between backquotes, and what a fence of the shell has.
func spoken(p *Page) (all []string) {
	for _, match := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(prose(p), -1) {
		all = append(all, match[1])
	}
	for _, item := range p.Items {
		if item.Fence != nil && item.Fence.Lang == "sh" {
			all = append(all, item.Fence.Body)
		}
		all = append(all, item.Hidden)
	}
	return all
}

var (
	goal   = regexp.MustCompile(`(?:^|[\s;&|(])make(?: [A-Z_]+=\S+)* ([a-z][a-z0-9-]+)`)
	pathOf = regexp.MustCompile(`(?:^|[\s=(])((?:examples|config|hack|test|local|pkg|functions|docs)/[\w./-]+[\w/])`)
)

// What a page names in a command is there: targets of make, files and folders.
func TestCommandsNameWhatIsThere(t *testing.T) {
	targets, found := targets(t), 0
	for _, p := range read(t) {
		if p.Path == "docs/internals/acceptance.md" { // a record of an older version, as it says
			continue
		}
		for _, said := range spoken(p) {
			for _, match := range goal.FindAllStringSubmatch(said, -1) {
				found++
				if !targets[match[1]] {
					t.Errorf("%s names make %s, which is no target", p.Path, match[1])
				}
			}
			for _, match := range pathOf.FindAllStringSubmatch(said, -1) {
				found++
				if _, err := os.Stat(filepath.Join(root, match[1])); err != nil {
					if matches, _ := filepath.Glob(filepath.Join(root, match[1]) + "*"); len(matches) == 0 {
						t.Errorf("%s names %s, which is not there", p.Path, match[1])
					}
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d targets and paths were found", found)
	}
}

// known reports whether the operator has an option of that key.
func known(name string) bool {
	for _, o := range key.All() {
		if o.Key == name {
			return true
		}
		for _, older := range o.Fallbacks {
			if older == name {
				return true
			}
		}
	}
	for prefix := range key.InstallationPrefixes() {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for prefix := range key.NoEffectPrefixes() {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Settings on a page are YAML, and name options that exist.
func TestSettingsAreKnown(t *testing.T) {
	found := 0
	for _, p := range read(t) {
		for _, item := range p.Items {
			if item.Fence == nil || item.Fence.Kind != "settings" {
				continue
			}
			found++
			settings := map[string]any{}
			if err := yaml.Unmarshal([]byte(item.Fence.Body), &settings); err != nil {
				t.Errorf("%s:%d: %v", p.Path, item.Line, err)
			}
			for name := range settings {
				if strings.HasPrefix(name, key.OperatorPrefix) && !known(name) {
					t.Errorf("%s:%d: there is no option %s", p.Path, item.Line, name)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d blocks of settings were found", found)
	}
}

// An option that a page names exists. The generated page of options, and names with an ellipsis, are left out.
func TestOptionsThatPagesNameExist(t *testing.T) {
	option := regexp.MustCompile("`((?:kubernetes\\.operator|job\\.autoscaler)\\.[a-z0-9.-]+[a-z0-9])(?:: [^`]*)?`")
	found := 0
	for _, p := range read(t) {
		if p.Path == "docs/reference/configuration.md" || strings.HasPrefix(p.Path, "docs/internals/") {
			continue
		}
		for _, match := range option.FindAllStringSubmatch(prose(p), -1) {
			found++
			if !known(match[1]) && !isFamily(match[1]) {
				t.Errorf("%s names option %s, which does not exist", p.Path, match[1])
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d options were found", found)
	}
}

// isFamily reports whether options begin with that.
func isFamily(name string) bool {
	for _, o := range key.All() {
		if strings.HasPrefix(o.Key, name+".") {
			return true
		}
	}
	return false
}

func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
	for name, row := range map[string]struct{ text, says string }{
		"another word": {"```sh tset\nls\n```\n", "none of the words"},
		"no end":       {"```sh test\nls\n", "does not end"},
		"all is well":  {"1. a\n\n   ```sh test\n   ls\n   ```\n\n<!-- test: ls -->\n<!-- name: x -->\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse("a.md", row.text)
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Fatalf("told %v, want %q", err, row.says)
			}
			if err == nil && (p.Items[0].Fence.Body != "ls\n" || p.Items[1].Hidden != "ls" || p.Name != "x") {
				t.Errorf("read %+v", p)
			}
		})
	}
}
