package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// listenTimeout is how long a function may take to listen before it counts as broken.
const listenTimeout = 10 * time.Second

// prepare runs in the new mount namespace: it makes the token of a service account, waits for one line, and becomes the
// function.
const prepare = `set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/secrets/kubernetes.io/serviceaccount
printf token >/run/secrets/kubernetes.io/serviceaccount/token
read -r go
exec "$0"`

// start runs a function once and returns the time from its exec to the first accepted connection, and its memory then
// in megabytes.
func start(binary string) (took time.Duration, rss float64, err error) {
	port, err := freePort()
	if err != nil {
		return 0, 0, err
	}
	var output bytes.Buffer
	command := exec.Command("sh", "-c", prepare, binary)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "PORT=" + strconv.Itoa(port), "SYSTEM_NAMESPACE=flink-system",
		"KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=1",
		"KUBERNETES_CA_FILE=/run/secrets/kubernetes.io/serviceaccount/token"}
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	stdin, err := command.StdinPipe()
	if err != nil {
		return 0, 0, err
	}
	if err := command.Start(); err != nil {
		return 0, 0, fmt.Errorf("start it in a namespace of its own: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	defer func() { _ = command.Process.Kill() }()
	// The shell reads the line when it has prepared everything; a pipe keeps it until then, so it is written once the
	// shell waits.
	if err := waiting(command.Process.Pid); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if _, err := stdin.Write([]byte("go\n")); err != nil {
		return 0, 0, err
	}
	if err := listening(port, ended); err != nil {
		return 0, 0, fmt.Errorf("%w\n%s", err, strings.TrimSpace(output.String()))
	}
	took = time.Since(began)
	rss, err = resident(command.Process.Pid)
	return took, rss, err
}

// listening connects again and again until something accepts.
func listening(port int, ended <-chan error) error {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	tick := time.NewTicker(100 * time.Microsecond)
	defer tick.Stop()
	late := time.After(listenTimeout)
	for {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			return connection.Close()
		}
		select {
		case err := <-ended:
			return fmt.Errorf("it ended before it listened: %v", err)
		case <-late:
			return errors.New("it does not listen")
		case <-tick.C:
		}
	}
}

// waiting returns when the shell has made the token and sleeps in its read.
func waiting(pid int) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.After(listenTimeout)
	token := fmt.Sprintf("/proc/%d/root/run/secrets/kubernetes.io/serviceaccount/token", pid)
	for {
		_, err := os.Stat(token)
		if stat, readErr := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && readErr == nil &&
			strings.Contains(string(stat), ") S ") {
			return nil
		}
		select {
		case <-late:
			return errors.New("its namespace could not be prepared (is unshare of user namespaces allowed here?)")
		case <-tick.C:
		}
	}
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// resident reads VmRSS of a process, in megabytes.
func resident(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			kb, err := strconv.ParseFloat(fields[1], 64)
			return kb / 1000, err
		}
	}
	return 0, fmt.Errorf("no VmRSS of process %d", pid)
}
