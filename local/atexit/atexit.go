package atexit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Script is a shell that waits. It must be revoked before syscall.Exec, which the shell takes for the end.
type Script struct {
	pipe  *os.File
	shell *exec.Cmd
}

// wait ends with the line that Revoke writes. Its other end is that nobody is left to write one.
const wait = "if read -r line; then exit; fi\n"

// Start has the script run when this process has ended: $1 and so on are the arguments, what it says goes to out. Nil:
// nobody hears it.
func Start(script string, out *os.File, arguments ...string) (*Script, error) {
	end, pipe, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	shell := exec.Command("/bin/sh", append([]string{"-c", wait + script, "sh"}, arguments...)...)
	shell.Env = []string{"PATH=" + os.Getenv("PATH")}
	shell.Dir = "/"
	shell.Stdin = end
	if out != nil {
		shell.Stdout, shell.Stderr = out, out
	}
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = shell.Start()
	_ = end.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a shell: %w", err), pipe.Close())
	}
	return &Script{pipe, shell}, nil
}

// Revoke ends the shell and returns when it is gone. It may be called more than once, and on nil.
func (w *Script) Revoke() error {
	if w == nil || w.pipe == nil {
		return nil
	}
	_, err := w.pipe.WriteString("\n")
	err = errors.Join(err, w.pipe.Close(), w.shell.Wait())
	w.pipe = nil
	return err
}
