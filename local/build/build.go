package build

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/kn-flink/kn-flink/local/processes"
)

// Tell is told how far a step is. Total 0: not known how much there is. A step ends when Done is Total.
type Tell func(step, unit string, done, total int64)

// Target are programs to build.
type Target struct {
	// Name is what a person reads.
	Name string
	// Dir is a directory of the module.
	Dir string
	// Packages are what to build, as ./cmd/x.
	Packages []string
	// Out is the program's path or, if it ends in a slash, the directory of several.
	Out string
	// Env are KEY=VALUE pairs for the go command, besides its own.
	Env []string
}

// Build makes Out, or leaves it when nothing changed; that takes a second or two and needs no network. Tell may be nil.
func Build(ctx context.Context, target Target, tell Tell) error {
	if tell == nil {
		tell = func(string, string, int64, int64) {}
	}
	stale := int64(0)
	// Counting costs as much as a build that has nothing to do.
	if _, err := os.Stat(target.Out); err != nil {
		if stale, err = count(ctx, target, tell); err != nil {
			return err
		}
	}
	dir := filepath.Dir(target.Out)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	step, done := "compile "+target.Name, int64(0)
	tell(step, "packages", 0, stale)
	// Without debug information the linker takes half the time. No version control: a checkout without git will do.
	command := goCommand(ctx, target, append([]string{
		"build", "-buildvcs=false", "-ldflags=-s -w", "-v", "-o", target.Out,
	}, target.Packages...)...)
	err := lines(command, dir, func(line string) bool {
		if strings.Contains(line, " ") || strings.HasPrefix(line, "#") {
			return false // not a package: what the compiler has to say, or a module that is downloaded
		}
		done++
		tell(step, "packages", min(done, max(stale-1, 0)), stale) // the last is the linker's
		return true
	})
	if err == nil {
		tell(step, "packages", done, done)
	}
	return err
}

// count says how many packages have to be compiled. The modules they are in are downloaded for that.
func count(ctx context.Context, target Target, tell Tell) (int64, error) {
	const step = "download Go modules"
	modules, stale := int64(0), int64(0)
	command := goCommand(ctx, target, append([]string{
		"list", "-buildvcs=false", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}",
	}, target.Packages...)...)
	var out strings.Builder
	command.Stdout = &out
	err := lines(command, filepath.Dir(target.Out), func(line string) bool {
		if !strings.HasPrefix(line, "go: downloading ") {
			return false
		}
		modules++
		tell(step, "modules", modules, 0)
		return true
	})
	if modules > 0 && err == nil {
		tell(step, "modules", modules, modules)
	}
	for line := range strings.Lines(out.String()) {
		if strings.TrimSpace(line) != "" {
			stale++
		}
	}
	return stale, err
}

func goCommand(ctx context.Context, target Target, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir, command.Env = target.Dir, append(os.Environ(), target.Env...)
	// The go command tells its compilers to end when it is told so itself.
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGINT) }
	return command
}

// lines runs a command as one of the directory's and gives take every line of its standard error. What take refuses is
// part of the error, if there is one.
func lines(command *exec.Cmd, dir string, take func(string) bool) error {
	free, err := processes.Bind(command, dir)
	if err != nil {
		return err
	}
	defer func() { _ = free() }()
	reader, err := command.StderrPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	var rest []string
	scanner := bufio.NewScanner(reader)
	for scanner.Scan() {
		if line := scanner.Text(); !take(line) {
			rest = append(rest, line)
		}
	}
	_, _ = io.Copy(io.Discard, reader) // a line that is too long for the scanner
	if err := command.Wait(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, strings.Join(last(rest, 30), "\n"))
	}
	return nil
}

func last(all []string, n int) []string { return all[max(0, len(all)-n):] }
