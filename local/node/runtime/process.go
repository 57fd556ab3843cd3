package runtime

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// starter starts processes from one thread that lives as long as it does: the kernel sends the parent-death signal when
// the thread that started a process ends, not when the parent process does.
type starter struct {
	work        chan func()
	over, ended chan struct{}
}

func newStarter() *starter {
	s := &starter{work: make(chan func()), over: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		runtime.LockOSThread()
		for {
			select {
			case do := <-s.work:
				do()
			case <-s.over:
				return
			}
		}
	}()
	return s
}

// close returns when nothing is started any more.
func (s *starter) close() {
	close(s.over)
	<-s.ended
}

// program is what to run, all of it in terms of this machine.
type program struct {
	argv []string
	env  []string
	dir  string
	in   *os.File
	out  *os.File
	err  *os.File
}

// process is a running program.
type process struct {
	pid      int
	done     chan struct{} // closed when it has ended and its group with it
	code     int           // valid when done: 128 + signal if a signal ended it
	finished time.Time     // valid when done
}

func (s *starter) start(p program) (*process, error) {
	if len(p.argv) == 0 {
		return nil, errors.New("no command specified")
	}
	path, err := look(p.argv[0], p.env, p.dir)
	if err != nil {
		return nil, err
	}
	command := &exec.Cmd{
		Path: path, Args: p.argv, Env: p.env, Dir: p.dir,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	// Only when set: a nil *os.File in an interface is not nil.
	if p.in != nil {
		command.Stdin = p.in
	}
	if p.out != nil {
		command.Stdout = p.out
	}
	if p.err != nil {
		command.Stderr = p.err
	}
	started := make(chan error, 1)
	select {
	case s.work <- func() { started <- command.Start() }:
		err = <-started
	case <-s.ended:
		err = errors.New("the runtime is closed")
	}
	if err != nil {
		return nil, err
	}
	running := &process{pid: command.Process.Pid, done: make(chan struct{})}
	go func() {
		// The error says no more than the state does: the files are ours, so nothing is copied.
		_ = command.Wait()
		_ = syscall.Kill(-running.pid, syscall.SIGKILL)
		running.code, running.finished = exitCode(command.ProcessState), time.Now()
		close(running.done)
	}()
	return running, nil
}

func exitCode(state *os.ProcessState) int {
	if wait, ok := state.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		return 128 + int(wait.Signal())
	}
	return state.ExitCode()
}

// signal is a no-op for a process that has ended.
func (p *process) signal(signal syscall.Signal) {
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(p.pid, signal)
	}
}

// kill ends the process and its group.
func (p *process) kill() {
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
}

// look finds a command as execvp does, but in the PATH that the process will have.
func look(name string, env []string, dir string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, executable(name)
	}
	for i := len(env) - 1; i >= 0; i-- {
		if list, ok := strings.CutPrefix(env[i], "PATH="); ok {
			for _, place := range filepath.SplitList(list) {
				if path := filepath.Join(place, name); executable(path) == nil {
					return path, nil
				}
			}
			break
		}
	}
	return "", fmt.Errorf("exec: %q: executable file not found in $PATH", name)
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("exec: %q: permission denied", path)
	}
	return nil
}
