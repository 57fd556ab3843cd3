package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// child makes the test binary the command, or a process that ends with its parent and becomes another program.
const child = "KN_FLINK_RUN_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(child) {
	case "":
		os.Exit(m.Run())
	case "command":
		main()
		return
	}
	endWithParent()
	if err := syscall.Exec("/bin/sh", []string{"sh", "-c", "echo up; exec sleep 1000"}, os.Environ()); err != nil {
		panic(err)
	}
}

func TestKeepIsReadAsAPersonMeansIt(t *testing.T) {
	rows := map[string]struct{ keeps, wrong bool }{
		"": {}, "0": {}, "no": {}, "false": {}, "1": {keeps: true}, "yes": {keeps: true}, "TRUE": {keeps: true},
		"2": {wrong: true}, "maybe": {wrong: true},
	}
	for text, row := range rows {
		if keeps, err := keepOf(text); keeps != row.keeps || (err != nil) != row.wrong {
			t.Errorf("KEEP=%s: %t, %v", text, keeps, err)
		}
	}
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), child+"=command")
	said, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "make run: "+command.Dir+" is not in a checkout of kn-flink") {
		t.Errorf("it says %q, %v", said, err)
	}
}

func TestThePlatformEndsWithMake(t *testing.T) {
	parent := exec.Command("/bin/sh", "-c", `"$0" & wait`, os.Args[0])
	parent.Env = append(os.Environ(), child+"=another")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(out)
	if line, err := said.ReadString('\n'); line != "up\n" {
		t.Fatalf("it says %q, %v", line, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The pipe ends when the last process that has it does.
	if _, err := said.ReadByte(); err == nil {
		t.Error("it has more to say")
	}
	if err := parent.Wait(); err == nil {
		t.Error("the parent ends well")
	}
}

func TestTheExamplesReleaseIsKnown(t *testing.T) {
	release, err := example("../../../examples/basic.yaml")
	if err != nil || !strings.HasPrefix(release, "2.") {
		t.Errorf("%q, %v", release, err)
	}
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte("kind: ConfigMap\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := example(other); err == nil || !strings.Contains(err.Error(), `no line "image: flink:VERSION"`) {
		t.Errorf("a file without an image: %v", err)
	}
}

func TestTheCheckoutIsFound(t *testing.T) {
	top, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := checkout(); err != nil || got != top {
		t.Errorf("%q, %v", got, err)
	}
	t.Chdir(t.TempDir())
	if _, err := checkout(); err == nil || !strings.Contains(err.Error(), "is not in a checkout of kn-flink") {
		t.Errorf("elsewhere: %v", err)
	}
}

func TestThePlatformsBuildIsFirst(t *testing.T) {
	for _, target := range targets("/c", "/c/.local/bin/kn-flink-local") {
		if target.Dir == "/c" && (target.Out != "/c/.local/functions/build/" || len(target.Env) != 1) {
			t.Errorf("%+v is not where and how local/mesh/ko builds", target)
		}
	}
}
