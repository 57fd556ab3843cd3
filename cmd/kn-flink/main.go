package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	_ "k8s.io/client-go/plugin/pkg/client/auth" // logins of clouds

	"github.com/kn-flink/kn-flink/pkg/cli"
	"github.com/kn-flink/kn-flink/pkg/release"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// version is set by the linker in a release.
var version = ""

func main() { os.Exit(run()) }

// run is main with an exit code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := cli.New(cli.Options{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Terminal: isTerminal(os.Stdin) && isTerminal(os.Stdout),
		Release: release.Files(), Version: built(), Program: os.Args[0],
		ASCII: !hasUTF8(os.Getenv), NoColor: os.Getenv("NO_COLOR") != "",
	})
	end := cli.ExitOf(ctx, root.ExecuteContext(ctx))
	if end == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "Error:", view.PrintableLines(end.Error()))
	fmt.Fprintln(os.Stderr, "exit code", end.Code)
	return end.Code
}

// built is the version, or what the build knows of it.
func built() string {
	info, is := debug.ReadBuildInfo()
	switch {
	case version != "":
		return version
	case is && info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	return "devel"
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// hasUTF8 is whether the locale has it.
func hasUTF8(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := env(name); value != "" {
			value = strings.ToLower(value)
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}
