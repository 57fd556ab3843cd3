package fleet

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kn-flink/kn-flink/local/processes"
)

// usage watches what the processes of the functions use. Safe for concurrent use.
type usage struct {
	dir string

	mu   sync.Mutex
	pids map[int]*process
	end  func()
	over chan struct{}
}

// process is one that was seen.
type process struct {
	function string
	cpu      time.Duration // until the last look
	rss      int64         // the most, in bytes
	counted  time.Duration // of cpu, by an earlier take
}

// Usage is what the processes of one function used.
type Usage struct {
	// CPU is the time of all of them.
	CPU time.Duration
	// RSS is the most that one of them had resident.
	RSS int64
	// Pods is how many there were.
	Pods int
}

const (
	sampleEvery = 500 * time.Millisecond
	ticks       = 100 // of a second, in /proc
)

// watchUsage looks at the processes of the platform in a directory until stop.
func watchUsage(dir string) *usage {
	ctx, cancel := context.WithCancel(context.Background())
	u := &usage{dir: dir, pids: map[int]*process{}, end: cancel, over: make(chan struct{})}
	go func() {
		defer close(u.over)
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			u.look()
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return u
}

func (u *usage) stop() {
	u.end()
	<-u.over
}

func (u *usage) look() {
	pids := processes.Of(u.dir)
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, pid := range pids {
		p := u.pids[pid]
		if p == nil {
			p = &process{function: functionOf(pid)}
			u.pids[pid] = p
		}
		if p.function != "" {
			p.look(pid)
		}
	}
}

// look reads what the kernel says; a process that has ended stays as it was seen last.
func (p *process) look(pid int) {
	if text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")); err == nil {
		p.cpu = max(p.cpu, cpuOf(string(text)))
	}
	if text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status")); err == nil {
		p.rss = max(p.rss, residentOf(string(text)))
	}
}

// running are the processes of a function that run.
func (u *usage) running(function string) []int {
	var out []int
	for _, pid := range processes.Of(u.dir) {
		if functionOf(pid) == function {
			out = append(out, pid)
		}
	}
	return out
}

// take is what each function used since the last time.
func (u *usage) take() map[string]Usage {
	u.look()
	u.mu.Lock()
	defer u.mu.Unlock()
	out := map[string]Usage{}
	for _, p := range u.pids {
		if p.function == "" || p.cpu == p.counted {
			continue
		}
		f := out[p.function]
		f.CPU, f.RSS, f.Pods = f.CPU+p.cpu-p.counted, max(f.RSS, p.rss), f.Pods+1
		out[p.function], p.counted = f, p.cpu
	}
	return out
}

// functionOf is the Knative Service whose process it is; empty: of none.
func functionOf(pid int) string {
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return ""
	}
	for _, variable := range bytes.Split(environ, []byte{0}) {
		if name, is := bytes.CutPrefix(variable, []byte("K_SERVICE=")); is {
			return string(name)
		}
	}
	return ""
}

// cpuOf reads /proc/PID/stat: the fields after the command's name in parentheses.
func cpuOf(stat string) time.Duration {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticks
}

// residentOf reads the most that was resident from /proc/PID/status.
func residentOf(status string) int64 {
	for line := range strings.Lines(status) {
		if rest, is := strings.CutPrefix(line, "VmHWM:"); is {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10
		}
	}
	return 0
}
