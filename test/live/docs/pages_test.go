//go:build docs

package docs

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/docs"
)

// counts are the commands of fences of the shell, by what becomes of them.
var counts struct {
	sync.Mutex
	run, by, not int
	reasons      []string
}

// alone are pages whose commands change what is for all: they run one after the other, after the others.
var alone = map[string]bool{
	"docs/install/settings.md": true, "docs/install/namespaces.md": true, "docs/migrate/from-java.md": true,
	"docs/jobs/tls.md": true, "docs/install/helm.md": true, "docs/extend/policies.md": true, "docs/jobs/ingress.md": true,
	"docs/jobs/storage-and-identity.md": true,
}

// TestPages runs what each page has, in its order, and compares what the last command of a fence prints with the fence
// "output" after it.
func TestPages(t *testing.T) {
	pages, err := docs.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []bool{false, true} {
		t.Run(fmt.Sprintf("alone=%t", one), func(t *testing.T) {
			for _, p := range pages {
				if alone[p.Path] != one {
					continue
				}
				if !count(t, p) {
					continue
				}
				t.Run(strings.TrimPrefix(p.Path, "docs/"), func(t *testing.T) {
					if !one {
						t.Parallel()
					}
					s := begin(t, p)
					defer s.end(t)
					s.read(t)
				})
			}
		})
	}
	all := counts.run + counts.by + counts.not
	t.Logf("commands: %d, run here %d (%d %%), run by other tests %d, not run %d", all, counts.run, counts.run*100/all,
		counts.by, counts.not)
	t.Logf("not run:\n%s", strings.Join(counts.reasons, "\n"))
	if share := (counts.run + counts.by) * 100 / all; share < 80 {
		t.Errorf("tests run %d %% of the commands, want 80", share)
	}
}

// count counts the commands of a page, and reports whether some are run here.
func count(t *testing.T, p *docs.Page) (here bool) {
	t.Helper()
	counts.Lock()
	defer counts.Unlock()
	for _, item := range p.Items {
		f := item.Fence
		if f == nil || f.Lang != "sh" {
			continue
		}
		commands, err := statements(f.Body)
		if err != nil {
			t.Errorf("%s:%d: %v", p.Path, item.Line, err)
		}
		switch f.Kind {
		case "test":
			counts.run, here = counts.run+len(commands), true
		case "as":
			counts.run += len(commands)
		case "by":
			counts.by += len(commands)
		case "norun":
			counts.not += len(commands)
			counts.reasons = append(counts.reasons, fmt.Sprintf("  %s:%d: %d, %s", p.Path, item.Line, len(commands), f.Of))
		}
	}
	return here
}

// read does what a reader of the page does.
func (s *session) read(t *testing.T) {
	for i, item := range s.page.Items {
		begun := time.Now()
		switch f := item.Fence; {
		case f == nil:
			if _, all, err := s.run(t.Context(), item.Hidden); err != nil {
				t.Fatalf("%s:%d: %s: %v\n%s", s.page.Path, item.Line, item.Hidden, err, all)
			}
		case f.Lang == "sh" && f.Kind == "test":
			out, all, err := s.run(t.Context(), f.Body)
			if (err != nil) != f.Fails {
				t.Fatalf("%s:%d: %v, to fail is %t\n%s%s", s.page.Path, item.Line, err, f.Fails, all, s.state())
			}
			if next := i + 1; next < len(s.page.Items) && s.page.Items[next].Fence != nil &&
				s.page.Items[next].Fence.Kind == "output" {
				s.compare(t, item, s.page.Items[next].Fence.Body, out)
			}
		default:
			continue
		}
		t.Logf("%s:%d: %.1f s", s.page.Path, item.Line, time.Since(begun).Seconds())
	}
}

// compare waits until the last command of a fence prints what the page says.
func (s *session) compare(t *testing.T, item docs.Item, want, out string) {
	t.Helper()
	commands, err := statements(item.Fence.Body)
	if err != nil {
		t.Fatal(err)
	}
	want = s.here(want)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for end := time.Now().Add(limit); !matches(want, out); <-tick.C {
		if item.Fence.Fails || time.Now().After(end) {
			t.Fatalf("%s:%d printed\n%s, want\n%s%s", s.page.Path, item.Line, out, want, s.state())
		}
		if out, _, err = s.run(t.Context(), commands[len(commands)-1]); err != nil {
			out = ""
		}
	}
}

// state is what there is in the namespace, for a message.
func (s *session) state() string {
	_, all, _ := s.run(context.Background(), "kubectl get flink,pods -o wide; kubectl get flinkdep,sessionjob -o "+
		`jsonpath='{range .items[*]}{.metadata.name} {.status.conditions}{"\n"}{end}'`)
	return "\n" + all
}

func TestOutputsAreCompared(t *testing.T) {
	for name, row := range map[string]struct {
		pattern, text string
		want          bool
	}{
		"the same":          {"a  b\n", "a b\n", true},
		"the end":           {"b\n", "a\nb\n", true},
		"not the end":       {"a\n", "a\nb\n", false},
		"any text":          {"age …\n", "age  35s\n", true},
		"a part":            {"file:/x/savepoint-…\n", "file:/x/savepoint-1a\n", true},
		"any lines":         {"…\nb\n…\n", "a\nb\nc\nd\n", true},
		"a line that lacks": {"…\nz\n…\n", "a\nb\n", false},
		"half a word":       {"b\n", "ab\n", false},
	} {
		if got := matches(row.pattern, row.text); got != row.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestPlaceholdersAreWords(t *testing.T) {
	got, err := statements("flink cancel <job ID>\nkubectl -n <namespace> get pods | grep <name>\n")
	if err != nil || len(got) != 2 || got[0] != "flink cancel <job ID>" {
		t.Errorf("%q, %v", got, err)
	}
}
