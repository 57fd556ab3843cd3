package processes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/kn-flink/kn-flink/local/atexit"
)

// variable is what every process of a platform has in its environment, and what descends from it, too.
const variable = "LOCAL_OWNER"

// Mark is KEY=VALUE for the environment of a process that belongs to the directory.
func Mark(dir string) string { return variable + "=" + dir + "/" }

// Of are the processes that belong to the directory or to one below it. This one is left out.
func Of(dir string) []int {
	var found []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	wanted, room := []byte("\x00"+Mark(dir)), make([]byte, mostEnvironment)
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ := environment(pid, room)
		if bytes.HasPrefix(environ, wanted[1:]) || bytes.Contains(environ, wanted) {
			found = append(found, pid)
		}
	}
	return found
}

// mostEnvironment is more than Linux lets arguments and environment of a process have.
const mostEnvironment = 8 << 20

// environment is that of a process, read into room at once: it may call exec between two reads. While it does, the
// kernel shows nothing for a moment, so that a process that has a program and no environment is looked at again.
func environment(pid int, room []byte) []byte {
	process := filepath.Join("/proc", strconv.Itoa(pid))
	for range 20 {
		file, err := os.Open(filepath.Join(process, "environ"))
		if err != nil {
			return nil
		}
		n, err := file.Read(room)
		_ = file.Close()
		if n > 0 || err != nil && !errors.Is(err, io.EOF) {
			return room[:n]
		}
		if _, err := os.Readlink(filepath.Join(process, "exe")); err != nil {
			return nil // a thread of the kernel, or a process that has ended
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// End ends the processes that belong to the directory, at once, and returns when none is left.
func End(dir string) error {
	deadline := time.Now().Add(10 * time.Second)
	for {
		left := Of(dir)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes of %s survive SIGKILL: %v", dir, left)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// end is End for a shell: $1 is the mark. It looks twice before it believes that none is left.
const end = `
none=
for again in 1 2 3 4 5 6 7 8 9 10; do
  found=$(grep -lsF -e "$1" /proc/[0-9]*/environ)
  [ -n "$found" ] || [ -z "$none" ] || exit 0
  none=
  [ -n "$found" ] || { none=yes; sleep 0.1; continue; }
  for file in $found; do
    file=${file#/proc/}
    kill -9 "${file%/environ}"
  done
  sleep 1
done
`

// EndWith has the processes that belong to the directory ended when this process has, unless the will is revoked.
func EndWith(dir string) (*atexit.Script, error) { return atexit.Start(end, nil, Mark(dir)) }

// Bind makes a command that is not started yet one of the directory's, so that nothing of it is left when this process
// ends before free is called.
func Bind(command *exec.Cmd, dir string) (free func() error, err error) {
	w, err := EndWith(dir)
	if err != nil {
		return nil, err
	}
	command.Env = append(command.Environ(), Mark(dir))
	return w.Revoke, nil
}
