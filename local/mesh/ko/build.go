package ko

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/local/node/runtime"
	"github.com/kn-flink/kn-flink/local/processes"
)

const (
	scheme   = "ko://"
	registry = "ko.local/"
)

// Builder builds images and finds them again. Safe for concurrent use.
type Builder struct {
	// Checkout is the root of the module that is built.
	Checkout string
	// Dir is where the programs are. It is created.
	Dir string
	// Env are KEY=VALUE pairs that every container of such an image has, with container paths.
	Env []string
	// Next has all other images.
	Next runtime.Images

	mu sync.Mutex
}

// Resolve builds an image named ko://IMPORT/PATH and returns the name that it can be pulled by. Every other name it
// returns as it is. A failed build's error has what the compiler said.
func (b *Builder) Resolve(ctx context.Context, image string) (string, error) {
	target, ok := strings.CutPrefix(image, scheme)
	if !ok {
		return image, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	built := filepath.Join(b.Dir, "build", path.Base(target))
	if err := b.build(ctx, target, built); err != nil {
		return "", fmt.Errorf("build %s: %w", image, err)
	}
	sum, err := digest(built)
	if err != nil {
		return "", err
	}
	name := registry + target + ":" + sum
	if err := b.keep(built, b.file(name)); err != nil {
		return "", fmt.Errorf("keep %s: %w", image, err)
	}
	return name, nil
}

// build leaves alone what is up to date: the go command sees that from the program itself.
func (b *Builder) build(ctx context.Context, target, out string) error {
	config, err := b.config()
	if err != nil {
		return err
	}
	module, err := b.module()
	if err != nil {
		return err
	}
	arguments := []string{"build", "-buildvcs=false", "-o", out}
	command := exec.CommandContext(ctx, "go")
	command.Env = os.Environ()
	for _, c := range config.Builds {
		if path.Join(module, c.Main) == target {
			arguments = append(arguments, "-ldflags", strings.Join(c.Ldflags, " "))
			command.Env = append(command.Env, c.Env...)
		}
	}
	command.Args = append([]string{"go"}, append(arguments, target)...)
	command.Dir = b.Checkout
	free, err := processes.Bind(command, b.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = free() }()
	// The compilers that it starts end with it.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// configuration is the part of ko.yaml that says how to build.
type configuration struct {
	Builds []struct {
		Main    string   `json:"main"`
		Env     []string `json:"env"`
		Ldflags []string `json:"ldflags"`
	} `json:"builds"`
}

func (b *Builder) config() (configuration, error) {
	var c configuration
	text, err := os.ReadFile(filepath.Join(b.Checkout, "ko.yaml"))
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = yaml.Unmarshal(text, &c)
	}
	return c, err
}

// module is the checkout's module path.
func (b *Builder) module() (string, error) {
	text, err := os.ReadFile(filepath.Join(b.Checkout, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if module, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(module), nil
		}
	}
	return "", fmt.Errorf("%s/go.mod names no module", b.Checkout)
}

// digest is the beginning of a file's SHA-256: enough to tell programs apart.
func digest(file string) (string, error) {
	in, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// file is where the program of a resolved name is.
func (b *Builder) file(name string) string {
	_, tag, _ := strings.Cut(path.Base(name), ":")
	base, _, _ := strings.Cut(path.Base(name), ":")
	return filepath.Join(b.Dir, "images", base, tag)
}

// keep links a program to its place and removes what was built of the same before: processes that run it have it still.
func (b *Builder) keep(built, file string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.Link(built, file)
}
