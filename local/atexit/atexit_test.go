package atexit

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// testator makes the test binary a process that writes a will and ends in the way that the variable says.
const testator = "KN_FLINK_WILL"

func TestMain(m *testing.M) {
	way := os.Getenv(testator)
	if way == "" {
		os.Exit(m.Run())
	}
	w, err := Start(`echo "$2, $1$HOME"`, os.Stdout, "world", "hello")
	if err != nil {
		panic(err)
	}
	switch way {
	case "exit":
		os.Exit(3)
	case "panic":
		panic("on purpose")
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "kill the group":
		_ = syscall.Kill(0, syscall.SIGKILL)
	case "interrupt the group":
		_ = syscall.Kill(0, syscall.SIGINT)
	case "revoke":
		if err := w.Revoke(); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	select {} // until the signal arrives
}

// last is what is said after a process of its own group ends in that way: its output ends when the shell's does.
func last(t *testing.T, way string) string {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), testator+"="+way)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := command.Output()
	if (err == nil) != (way == "revoke") {
		t.Errorf("it ends with %v", err)
	}
	return strings.TrimSpace(string(out))
}

func TestItIsCarriedOutHoweverTheProcessEnds(t *testing.T) {
	for _, way := range []string{"exit", "panic", "kill", "kill the group", "interrupt the group"} {
		if got := last(t, way); got != "hello, world" {
			t.Errorf("%s: %q", way, got)
		}
	}
}

func TestRevokedItIsNot(t *testing.T) {
	if got := last(t, "revoke"); got != "" {
		t.Errorf("%q", got)
	}
}

func TestItIsRevokedOnce(t *testing.T) {
	w, err := Start("", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Revoke(); err != nil {
			t.Error(err)
		}
	}
	if err := (*Script)(nil).Revoke(); err != nil {
		t.Error(err)
	}
}
