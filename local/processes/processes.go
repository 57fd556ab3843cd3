package processes

import (
	"bytes"
	"fmt"
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
	wanted := []byte("\x00" + Mark(dir))
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if err == nil && bytes.Contains(append([]byte{0}, environ...), wanted) {
			found = append(found, pid)
		}
	}
	return found
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

// end is End for a shell: $1 is the mark.
const end = `
for again in 1 2 3 4 5 6 7 8 9 10; do
  found=$(grep -lsF -e "$1" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit 0
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
