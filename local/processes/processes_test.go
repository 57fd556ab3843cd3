package processes

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// owner makes the test binary a process that starts others for the directory that the variable names, and is killed.
const owner = "KN_FLINK_OWNER"

func TestMain(m *testing.M) {
	dir := os.Getenv(owner)
	if dir == "" {
		os.Exit(m.Run())
	}
	command := family()
	if _, err := Bind(command, dir); err != nil {
		panic(err)
	}
	if err := command.Run(); err != nil {
		panic(err)
	}
}

// family says "up" and is three processes, one of them in a session of its own.
func family() *exec.Cmd {
	command := exec.Command("/bin/sh", "-c", "setsid sleep 1000 & sleep 1000 & echo up; wait")
	command.Stdout = os.Stdout
	return command
}

// launch returns when the command has said a line.
func launch(t *testing.T, command *exec.Cmd) {
	t.Helper()
	command.Stdout = nil
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("it says %q: %v", line, err)
	}
}

// among waits until so many processes belong to the directory.
func among(t *testing.T, dir string, want int) {
	t.Helper()
	deadline, tick := time.After(time.Minute), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for len(Of(dir)) != want {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%v belong to the directory, want %d", Of(dir), want)
		}
	}
}

func TestEndEndsDescendantsAndNobodyElse(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{dir + "/a", dir + "/ab"} {
		command := family()
		command.Env = append(os.Environ(), Mark(name))
		launch(t, command)
		among(t, name, 3)
	}
	if err := End(dir + "/a"); err != nil {
		t.Fatal(err)
	}
	among(t, dir+"/a", 0)
	among(t, dir+"/ab", 3)
	if err := End(dir); err != nil {
		t.Fatal(err)
	}
	among(t, dir, 0)
}

func TestNothingIsLeftOfAnOwnerThatIsKilled(t *testing.T) {
	dir := t.TempDir()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), owner+"="+dir)
	launch(t, command)
	among(t, dir, 3)
	if err := command.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	among(t, dir, 0)
}

func TestABoundCommandKeepsItsEnvironment(t *testing.T) {
	command := exec.Command("true")
	command.Env = []string{"A=b"}
	free, err := Bind(command, "/d")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"A=b", "LOCAL_OWNER=/d/"}; !slices.Equal(command.Env, want) {
		t.Errorf("%q, want %q", command.Env, want)
	}
	if err := free(); err != nil {
		t.Error(err)
	}
}

// A process that calls exec has no environment for a moment, and belongs to its directory all the same.
func TestAProcessIsFoundWhileItCallsExec(t *testing.T) {
	dir := t.TempDir()
	again := filepath.Join(dir, "again")
	if err := os.WriteFile(again, []byte("#!/bin/sh\nexec \"$0\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(again)
	command.Env = append(command.Environ(), Mark(dir))
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	for range 300 {
		if found := Of(dir); !slices.Equal(found, []int{command.Process.Pid}) {
			t.Fatalf("found %v, want process %d", found, command.Process.Pid)
		}
	}
}
