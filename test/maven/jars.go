package maven

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Jars is a directory with what a Maven project file names, and with what that needs, in the user's cache: complete, or
// not there. Another project file makes another one. Tests that want it at the same time copy it once. The title names
// it in errors, and in the cache.
func Jars(ctx context.Context, title string, project []byte) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory: set HOME or XDG_CACHE_HOME: %w", err)
	}
	sum := sha256.Sum256(project)
	dir := filepath.Join(cache, "kn-flink", title, hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close() // and with it the kernel's lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil { // of a process that was killed
		return "", err
	}
	if err := copyJars(ctx, title, project, part); err != nil {
		return "", err
	}
	return dir, os.Rename(part, dir)
}

func copyJars(ctx context.Context, title string, project []byte, into string) error {
	maven, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("%s, which this test runs, comes from Maven's repository: install Maven (such as Debian's "+
			"package maven) and put mvn into the PATH: %w", title, err)
	}
	file, err := os.CreateTemp("", "pom-*.xml")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(project); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, maven, "--batch-mode", "--quiet", "--file", file.Name(),
		"dependency:copy-dependencies",
		"-DincludeScope=runtime", "-DoutputDirectory="+into)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("Maven could not fetch %s; is its repository reachable? %w\n%s", title, err, out)
	}
	return nil
}
