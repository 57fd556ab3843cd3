package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// module is a program of two packages that nobody built before, in a build cache of the machine.
func module(t *testing.T, body string) Target {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module example.com/m\n\ngo 1.25.0\n",
		"main.go":    "package main\n\nimport \"example.com/m/in\"\n\nfunc main() { println(in.Text) }\n",
		"in/text.go": "package in\n\nconst Text = \"" + t.Name() + dir + "\"\n\n" + body + "\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Target{Name: "it", Dir: dir, Packages: []string{"."}, Out: filepath.Join(dir, "bin", "it")}
}

func TestABuildSaysHowFarItIs(t *testing.T) {
	target := module(t, "")
	type said struct {
		step, unit  string
		done, total int64
	}
	var first, last said
	tell := func(step, unit string, done, total int64) {
		last = said{step, unit, done, total}
		if first == (said{}) {
			first = last
		}
	}
	if err := Build(t.Context(), target, tell); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(target.Out).CombinedOutput(); err != nil || !strings.HasPrefix(string(out), t.Name()) {
		t.Errorf("it says %q, %v", out, err)
	}
	if first.step != "compile it" || first.unit != "packages" || first.total < 2 || last.done != last.total ||
		last.done < 2 {
		t.Errorf("it began with %+v and ended with %+v", first, last)
	}
}

func TestABuildThatFailsSaysWhy(t *testing.T) {
	target := module(t, "var x int = \"text\"")
	err := Build(t.Context(), target, nil)
	if err == nil || !strings.Contains(err.Error(), "in/text.go:5") || !strings.Contains(err.Error(), "go build ") {
		t.Errorf("%v", err)
	}
}

func TestNothingIsCountedForAKnownProgram(t *testing.T) {
	target := module(t, "")
	if err := Build(t.Context(), target, nil); err != nil {
		t.Fatal(err)
	}
	if err := Build(t.Context(), target, func(step, _ string, _, total int64) {
		if total != 0 {
			t.Errorf("%s of %d", step, total)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
