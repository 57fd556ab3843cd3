package preflight

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/kn-flink/kn-flink/local/flink"
)

// Inspect finds out about this machine. The directory need not be there yet; wanted is in bytes.
func Inspect(dir string, wanted int64) Machine {
	m := Machine{OS: runtime.GOOS, Dir: dir, Wanted: wanted}
	_, m.Java = flink.FindJava()
	_, err := exec.LookPath("kubectl")
	m.Kubectl = err == nil
	m.Free = free(dir)
	m.Memory = available()
	return m
}

// free is for the nearest directory above that is there.
func free(dir string) int64 {
	for {
		var stat unix.Statfs_t
		if unix.Statfs(dir, &stat) == nil {
			return int64(stat.Bavail) * stat.Bsize
		}
		if dir == filepath.Dir(dir) {
			return 0
		}
		dir = filepath.Dir(dir)
	}
}

func available() int64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var kilobytes int64
		if value, ok := strings.CutPrefix(lines.Text(), "MemAvailable:"); ok {
			if _, err := fmt.Sscan(value, &kilobytes); err == nil {
				return kilobytes << 10
			}
		}
	}
	return 0
}
