package zookeeper

import (
	"bytes"
	_ "embed" // the project file
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/maven"
)

// project names the server and what it needs.
//
//go:embed pom.xml
var project []byte

// Server is one ZooKeeper server with an empty tree. It ends with the test.
type Server struct {
	// Address is host:port for clients.
	Address string

	process *exec.Cmd
	output  *buffer
}

// startTimeout is far more than a JVM takes to listen, also on a busy machine.
const startTimeout = 60 * time.Second

// Start runs a server and waits until it answers.
func Start(t testing.TB) *Server {
	t.Helper()
	jars, err := maven.Jars(t.Context(), "zookeeper", project)
	if err != nil {
		t.Fatal(err)
	}
	java, err := exec.LookPath("java")
	if err != nil {
		t.Fatal(
			"this test runs a ZooKeeper server: install a JDK (17 or later, such as openjdk-17-jdk) and put java into " +
				"the PATH",
		)
	}
	address, port := freePort(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "zoo.cfg")
	text := fmt.Sprintf("dataDir=%s\nclientPort=%s\nclientPortAddress=127.0.0.1\ntickTime=500\nadmin."+
		"enableServer=false\n"+
		"4lw.commands.whitelist=srvr\n", dir, port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: address, output: &buffer{}}
	s.process = exec.Command(java, "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
		filepath.Join(jars, "*"),
		"org.apache.zookeeper.server.ZooKeeperServerMain", config)
	s.process.Stdout, s.process.Stderr = s.output, s.output
	s.process.SysProcAttr = endsWithUs()
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	s.await(t)
	return s
}

// Stop ends the server at once. Its second call does nothing.
func (s *Server) Stop() {
	_ = s.process.Process.Kill() // it may have ended by itself
	_ = s.process.Wait()         // or been waited for
}

// await asks the server what it is, as often as it takes. It listens before it serves.
func (s *Server) await(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(startTimeout); time.Now().Before(end); <-time.After(50 * time.Millisecond) {
		if strings.Contains(ask(s.Address, "srvr"), "Mode: standalone") {
			return
		}
	}
	t.Fatalf("ZooKeeper does not answer within %s; it said:\n%s", startTimeout, s.output)
}

// ask sends one of ZooKeeper's four-letter words; empty means no answer.
func ask(address, word string) string {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return ""
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return ""
	}
	if _, err := io.WriteString(conn, word); err != nil {
		return ""
	}
	answer, _ := io.ReadAll(conn) // what came is the answer
	return string(answer)
}

func freePort(t testing.TB) (address, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return l.Addr().String(), port
}

// buffer keeps what a process says.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to it.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String is all of it.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
