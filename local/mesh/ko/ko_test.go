package ko

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/local/node/runtime"
)

// none has no images.
type none struct{}

func (none) Find(string) (runtime.Image, bool) { return runtime.Image{}, false }
func (none) Pull(context.Context, string) (runtime.Image, error) {
	return runtime.Image{}, errors.New("no such image")
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func checkout(t *testing.T) *Builder {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.org/m\n\ngo 1.25\n")
	write(
		t, filepath.Join(dir, "ko.yaml"),
		"builds:\n- main: ./functions/hello\n  env: [CGO_ENABLED=0]\n  ldflags: [-s, -w, -X main.word=flags]\n",
	)
	write(t, filepath.Join(dir, "functions/hello/main.go"), program("hello"))
	return &Builder{Checkout: dir, Dir: t.TempDir(), Next: none{}}
}

func program(word string) string {
	return "package main\n\nimport \"os\"\n\nvar word = \"none\"\n\nfunc main() { print(\"" + word +
		" \", word, \" \", os.Getenv(\"LISTEN_HOST\"), \" \", os.Args[1]) }\n"
}

const hello = "ko://example.org/m/functions/hello"

func TestAnImageIsTheProgramOfItsFolder(t *testing.T) {
	b := checkout(t)
	name, err := b.Resolve(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	image, ok := b.Find(name)
	if !ok || !strings.HasPrefix(name, "ko.local/example.org/m/functions/hello:") {
		t.Fatalf("%q is not found", name)
	}
	argv := append(append([]string{}, image.Entrypoint...), "argument")
	argv[3] = image.Paths[argv[3]] // as the runtime does
	command := exec.Command(argv[0], argv[1:]...)
	command.Env = []string{"LOCAL_POD_ADDRESS=127.1.1.1"}
	said, err := command.CombinedOutput()
	if err != nil || string(said) != "hello flags 127.1.1.1 argument" {
		t.Errorf(
			"it says %q, %v: want its folder's program, ko.yaml's flags, the pod's address and the argument", said, err,
		)
	}
}

func TestOtherCodeIsAnotherImage(t *testing.T) {
	b := checkout(t)
	one, err := b.Resolve(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Resolve(t.Context(), hello)
	if err != nil || again != one {
		t.Errorf("the same code is %q, then %q, %v", one, again, err)
	}
	write(t, filepath.Join(b.Checkout, "functions/hello/main.go"), program("good day"))
	two, err := b.Resolve(t.Context(), hello)
	if err != nil || two == one {
		t.Errorf("other code is %q again, %v", two, err)
	}
	if _, err := b.Pull(t.Context(), one); err == nil || !strings.Contains(err.Error(), "deploy it again") {
		t.Errorf("%v, want a word on what to do about an image that is gone", err)
	}
}

func TestOtherNames(t *testing.T) {
	b := checkout(t)
	if name, err := b.Resolve(t.Context(), "flink:1.20"); name != "flink:1.20" || err != nil {
		t.Errorf("%q %v, want it as it is", name, err)
	}
	if _, err := b.Pull(t.Context(), "flink:1.20"); err == nil || err.Error() != "no such image" {
		t.Errorf("%v, want the next one's answer", err)
	}
	write(t, filepath.Join(b.Checkout, "functions/hello/main.go"), "package main\n\nfunc main() { nothing() }\n")
	if _, err := b.Resolve(t.Context(), hello); err == nil || !strings.Contains(err.Error(), "undefined: nothing") {
		t.Errorf("%v, want what the compiler says", err)
	}
}
