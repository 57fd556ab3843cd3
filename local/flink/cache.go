package flink

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Cache is the place on this machine where distributions are, for all platforms of a user.
type Cache struct {
	// Dir is the directory. Empty: kn-flink in os.UserCacheDir.
	Dir string
	// Jobs is a directory of Java sources; each class with a main method becomes /opt/flink/examples/streaming/CLASS.jar.
	// Empty: no examples.
	Jobs string
	// Progress is told about downloads. Nil: nobody is.
	Progress Progress
}

func (c Cache) dir() (string, error) {
	if c.Dir != "" {
		return filepath.Abs(c.Dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory: set HOME or XDG_CACHE_HOME: %w", err)
	}
	return filepath.Join(dir, "kn-flink"), nil
}

// Has says whether the jars of a release are on this machine.
func (c Cache) Has(version string) bool {
	dir, err := c.dir()
	return err == nil && exists(filepath.Join(dir, "flink", version))
}

// Home is the directory that stands for /opt/flink of a release, downloaded and made if need be:
//
//	bin/ conf/ docker-entrypoint.sh   ours
//	lib/ opt/ plugins/                links to the release's jars
//	examples/streaming/               compiled from Jobs
//	patch.jar                         one class of Flink's with a path changed; first in the class path
//
// It is shared and not written to. The version is a release, as Resolve has it.
func (c Cache) Home(ctx context.Context, version string) (string, error) {
	java, err := FindJava()
	if err != nil {
		return "", err
	}
	dir, err := c.dir()
	if err != nil {
		return "", err
	}
	unlock, err := lock(ctx, dir, version)
	if err != nil {
		return "", err
	}
	defer unlock()
	distribution := filepath.Join(dir, "flink", version)
	if err := c.whole(distribution, func(part string) error { return c.fetch(ctx, version, part) }); err != nil {
		return "", err
	}
	key, err := c.key()
	if err != nil {
		return "", err
	}
	home := filepath.Join(dir, "flink-home", version+"-"+key)
	return home, c.whole(home, func(part string) error {
		return c.assemble(ctx, java, distribution, version, part)
	})
}

func (c Cache) fetch(ctx context.Context, version, target string) error {
	file, err := find(ctx, index(), version)
	if err != nil {
		return err
	}
	return download(ctx, file, target, c.Progress)
}

// whole makes a directory in another place and puts it where it belongs when it is complete.
func (c Cache) whole(path string, make func(part string) error) error {
	if exists(path) {
		return nil
	}
	part := path + ".part"
	if err := os.RemoveAll(part); err != nil { // of a process that was killed
		return err
	}
	if err := os.MkdirAll(part, 0o755); err != nil {
		return err
	}
	if err := make(part); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return os.Rename(part, path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lock keeps other processes from making the same version. The kernel lifts it when the process ends.
func lock(ctx context.Context, dir, version string) (func(), error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, "flink-"+version+".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	locked := make(chan error, 1)
	go func() { locked <- unix.Flock(int(file.Fd()), unix.LOCK_EX) }()
	unlock := func() { _ = file.Close() }
	select {
	case err := <-locked:
		if err != nil {
			unlock()
			return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
		}
		return unlock, nil
	case <-ctx.Done():
		go func() { <-locked; unlock() }()
		return nil, fmt.Errorf("another process is fetching Flink %s: %w", version, ctx.Err())
	}
}
