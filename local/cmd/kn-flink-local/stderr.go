package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// divert sends what libraries write to standard error to a file, because it would break the progress bars. It returns the
// file that the user reads; a panic is printed there, too.
func divert(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	descriptor, err := unix.FcntlInt(os.Stderr.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	person := os.NewFile(uintptr(descriptor), "stderr")
	return person, errors.Join(
		debug.SetCrashOutput(person, debug.CrashOptions{}), unix.Dup3(int(log.Fd()), int(os.Stderr.Fd()), 0), log.Close(),
	)
}
