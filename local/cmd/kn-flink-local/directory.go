package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// kept is what a clean start leaves in a state directory: programs, which are built from the checkout; the lock; the
// number of the network, so that addresses stay the same; and what make soak left.
var kept = []string{"bin", "functions", "lock", "network", "soak"}

// own keeps other processes out of a state directory. The kernel lifts the lock when the process ends, however it ends.
func own(dir string) (func(), error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		text, _ := os.ReadFile(file.Name()) // whose it is
		return nil, errors.Join(fmt.Errorf("a platform runs in %s already (process %s): stop it first, or use another "+
			"checkout: %w",
			dir, strings.TrimSpace(string(text)), err), file.Close())
	}
	if err := errors.Join(file.Truncate(0), write(file, fmt.Sprintln(os.Getpid()))); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}

func write(file *os.File, text string) error {
	_, err := file.WriteAt([]byte(text), 0)
	return err
}

// left reports whether an earlier run has left something to go on with: what etcd stored.
func left(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "etcd"))
	return err == nil
}

// clean forgets what earlier runs did.
func clean(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if slices.Contains(kept, entry.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return fmt.Errorf("start clean: %w", err)
		}
	}
	return nil
}
