package loopback

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	first = 1
	last  = 254
	// memory is the file of a state directory that remembers the network it had.
	memory = "network"
)

// Network is one 127.N.0.0/16, held until Close.
type Network struct {
	number  int
	lock    net.Listener
	sockets string
}

// Reserve holds the network that dir had the last time or, if that is taken or unknown, the lowest one free, and
// remembers it in dir. An empty dir remembers nothing. It fails when all are taken or dir cannot be written.
func Reserve(dir string) (*Network, error) {
	candidates := []int{}
	if n, ok := recall(dir); ok {
		candidates = append(candidates, n)
	}
	for n := first; n <= last; n++ {
		candidates = append(candidates, n)
	}
	for _, n := range candidates {
		lock, err := net.Listen("unix", fmt.Sprintf("@kn-flink/127.%d", n))
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("lock network 127.%d: %w", n, err)
		}
		sockets, err := socketDirectory(n)
		if err == nil {
			err = remember(dir, n)
		}
		if err != nil {
			return nil, errors.Join(err, lock.Close())
		}
		return &Network{number: n, lock: lock, sockets: sockets}, nil
	}
	return nil, fmt.Errorf("all networks 127.%d to 127.%d are held by other platforms: stop one", first, last)
}

// socketDirectory is an empty directory that only this user can enter. What a killed process left there goes.
func socketDirectory(n int) (string, error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("kn-flink-%d-%d", os.Getuid(), n))
	if info, err := os.Lstat(path); err == nil {
		// Anyone can make a directory of that name in a shared /tmp.
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(stat.Uid) != os.Getuid() {
			return "", fmt.Errorf("%s is not this user's directory: remove it, or set TMPDIR", path)
		}
		if err := os.RemoveAll(path); err != nil {
			return "", err
		}
	}
	return path, os.Mkdir(path, 0o700)
}

func recall(dir string) (int, bool) {
	if dir == "" {
		return 0, false
	}
	text, err := os.ReadFile(filepath.Join(dir, memory))
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return n, err == nil && n >= first && n <= last
}

func remember(dir string, n int) error {
	if dir == "" {
		return nil
	}
	if err := os.WriteFile(filepath.Join(dir, memory), []byte(strconv.Itoa(n)+"\n"), 0o644); err != nil {
		return fmt.Errorf("remember network 127.%d: %w", n, err)
	}
	return nil
}

// Close gives the network back. Addresses in use stay in use.
func (n *Network) Close() error {
	return errors.Join(os.RemoveAll(n.sockets), n.lock.Close())
}

// Sockets is a directory for Unix sockets, with a path short enough for them, that goes with the network.
func (n *Network) Sockets() string { return n.sockets }

// Server is the address of the platform's own servers, 127.N.0.1.
func (n *Network) Server() string { return fmt.Sprintf("127.%d.0.1", n.number) }

// Pod is the address of the pod with that number, from 0 to Pods-1: 127.N.1.1 and up.
func (n *Network) Pod(number int) string {
	return fmt.Sprintf("127.%d.%d.%d", n.number, 1+number/perThird, 1+number%perThird)
}

const perThird = 250

// Pods is how many pod addresses a network has.
const Pods = 200 * perThird

// Contains says whether the address is one of this network's.
func (n *Network) Contains(address string) bool {
	return strings.HasPrefix(address, fmt.Sprintf("127.%d.", n.number))
}

// Listen opens the port at the address, or a free one if a process on the machine has that port on all addresses.
func (n *Network) Listen(address string, port int) (net.Listener, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort(address, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		listener, err = net.Listen("tcp4", net.JoinHostPort(address, "0"))
	}
	if err != nil {
		return nil, fmt.Errorf("listen at %s, port %d: %w", address, port, err)
	}
	return listener, nil
}
