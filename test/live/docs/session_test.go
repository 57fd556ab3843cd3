//go:build docs

package docs

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/kn-flink/kn-flink/test/docs"
)

// limit is how long a fence may take, and how long what it prints may take to come true.
const limit = 6 * time.Minute

// session is a reader of one page.
type session struct {
	page      *docs.Page
	namespace string
	dir, data string
	env       []string
}

// begin makes the page's namespace and working directory.
func begin(t *testing.T, page *docs.Page) *session {
	t.Helper()
	name := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(page.Path), "docs/"), ".md")
	s := &session{page: page, namespace: "docs-" + strings.ReplaceAll(name, "/", "-"), dir: t.TempDir()}
	s.data = filepath.Join(s.dir, "flink-data")
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(checkout)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() == "examples" || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if err := os.Symlink(filepath.Join(checkout, entry.Name()), filepath.Join(s.dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"ha", "checkpoints", "savepoints"} {
		if err := os.MkdirAll(filepath.Join(s.data, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	s.copyExamples(t, filepath.Join(checkout, "examples"))
	config, err := os.ReadFile(local.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(s.dir, ".kubeconfig")
	if err := os.WriteFile(kubeconfig, config, 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	s.must(t, "kubectl create namespace "+s.namespace)
	if err := local.Tenant(t.Context(), s.namespace); err != nil {
		t.Fatal(err)
	}
	s.must(t, "kubectl config set-context --current --namespace="+s.namespace)
	return s
}

// here is a text with the paths of this machine.
func (s *session) here(text string) string {
	return strings.NewReplacer(
		"/flink-data", s.data, "/tmp/flink", s.data, "<namespace>", s.namespace, "<name>", s.page.Name,
	).Replace(text)
}

func (s *session) copyExamples(t *testing.T, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(s.dir, "examples", relative)
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, []byte(s.here(string(text))), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a script and returns what it prints to its output, and to both.
func (s *session) run(ctx context.Context, script string) (out, all string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", "-c", "set -euo pipefail\n"+s.here(script))
	command.Dir, command.Env = s.dir, s.env
	var stdout, both bytes.Buffer
	command.Stdout, command.Stderr = &tee{&stdout, &both}, &both
	err = command.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("not within %s", limit)
	}
	return stdout.String(), both.String(), err
}

// tee writes to both.
type tee struct{ a, b *bytes.Buffer }

func (t *tee) Write(p []byte) (int, error) {
	t.a.Write(p)
	return t.b.Write(p)
}

func (s *session) must(t *testing.T, script string) string {
	t.Helper()
	out, all, err := s.run(t.Context(), script)
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, all)
	}
	return out
}

// end removes what the page left.
func (s *session) end(t *testing.T) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	_, all, err := s.run(ctx, "kubectl delete flinkdep,sessionjob,flinksnp --all --timeout=3m -n "+s.namespace+
		" && kubectl delete namespace "+s.namespace+" --wait=false")
	if err != nil {
		t.Errorf("clean up after %s: %v\n%s", s.page.Path, err, all)
	}
}

// placeholder is what a reader puts a name of his own in for, such as <job ID>.
var placeholder = regexp.MustCompile(`<[a-z][\w ]*>`)

// plain is a script with a word for each placeholder, each as long as it.
func plain(script string) string {
	return placeholder.ReplaceAllStringFunc(script, func(found string) string { return strings.Repeat("x", len(found)) })
}

// statements are the commands of a script, each as it is written.
func statements(script string) ([]string, error) {
	file, err := syntax.NewParser().Parse(strings.NewReader(plain(script)), "")
	if err != nil {
		return nil, err
	}
	all := make([]string, 0, len(file.Stmts))
	for _, s := range file.Stmts {
		all = append(all, script[s.Pos().Offset():s.End().Offset()])
	}
	return all, nil
}

// matches reports whether a text ends as a pattern says.
func matches(pattern, text string) bool {
	var expression strings.Builder
	expression.WriteString(`(?s)(?:^|\n)`)
	for _, line := range strings.Split(strings.TrimSpace(pattern), "\n") {
		if strings.TrimSpace(line) == "…" {
			expression.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		words := strings.Fields(line)
		for i, word := range words {
			if i > 0 {
				expression.WriteString(`[ \t]+`)
			}
			expression.WriteString(strings.ReplaceAll(regexp.QuoteMeta(word), "…", `[^\n]*?`))
		}
		expression.WriteString(`[ \t]*\n`)
	}
	expression.WriteString("$")
	return regexp.MustCompile(expression.String()).MatchString(strings.TrimRight(text, "\n") + "\n")
}
