package quarantine_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/quarantine"
)

// child names the directory of a process that this binary is then: one that works on the keys of its arguments.
const child = "QUARANTINE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		die(dir)
	}
	os.Exit(m.Run())
}

// die works on the resources of the environment, at the same time and one generation each, until it is killed.
func die(dir string) {
	w, err := quarantine.Open(dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var generation int64
	_, _ = fmt.Sscan(os.Getenv("GENERATION"), &generation)
	for _, key := range os.Args[1:] {
		v, err := w.Begin(context.Background(), key, generation)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if v.Held() {
			fmt.Println("held")
			v.End()
		}
	}
	fmt.Println("at work")
	select {}
}

// killed runs a process that is killed, with SIGKILL as the kernel does it, while it works on the keys.
func killed(t *testing.T, dir string, generation int64, keys ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], keys...)
	cmd.Env = append(os.Environ(), child+"="+dir, fmt.Sprint("GENERATION=", generation))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() == "held" {
	}
	if lines.Text() != "at work" {
		t.Fatalf("the process says %q", lines.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
}

func open(t *testing.T, dir string) *quarantine.Ward {
	t.Helper()
	w, err := quarantine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// state is how a key is met: whether it waits, and whether it has to be alone.
func state(t *testing.T, w *quarantine.Ward, key string, generation int64) string {
	t.Helper()
	v, err := w.Begin(t.Context(), key, 0)
	if err != nil {
		t.Fatal(err)
	}
	v.Of(generation)
	defer v.End()
	switch {
	case v.Held() && v.Unread():
		return "held, unread"
	case v.Held():
		return "held"
	case v.Suspect():
		return "suspect"
	}
	return "free"
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

func TestAKeyThatWasAtWorkInTwoDeathsWaits(t *testing.T) {
	dir := t.TempDir()
	killed(t, dir, 7, "bomb")
	killed(t, dir, 7, "bomb")
	w := open(t, dir)
	expect(t, "the same generation", state(t, w, "bomb", 7), "held")
	expect(t, "again", state(t, w, "bomb", 7), "held")
	expect(t, "another resource", state(t, w, "other", 7), "free")
	expect(t, "the process after this one", state(t, open(t, dir), "bomb", 7), "held")
	expect(t, "a change of its spec", state(t, w, "bomb", 8), "free")
	expect(t, "after it has lived through that", state(t, open(t, dir), "bomb", 8), "free")
}

func TestAKeyThatKillsBeforeItIsReadWaits(t *testing.T) {
	dir := t.TempDir()
	killed(t, dir, 0, "bomb")
	killed(t, dir, 0, "bomb")
	expect(t, "it", state(t, open(t, dir), "bomb", 0), "held, unread")
}

func TestADeathOfAnotherGenerationDoesNotCount(t *testing.T) {
	dir := t.TempDir()
	killed(t, dir, 7, "bomb")
	killed(t, dir, 8, "bomb")
	expect(t, "it", state(t, open(t, dir), "bomb", 8), "suspect")
}

// TestWhoWasBesideItIsFree: after the first death each is alone, and whoever lives through that was not to blame.
func TestWhoWasBesideItIsFree(t *testing.T) {
	dir := t.TempDir()
	killed(t, dir, 1, "a", "bomb", "b")
	w := open(t, dir)
	expect(t, "a", state(t, w, "a", 1), "suspect")
	expect(t, "a, then", state(t, w, "a", 1), "free")
	expect(t, "b", state(t, w, "b", 1), "suspect")
	killed(t, dir, 1, "bomb")
	w = open(t, dir)
	for key, want := range map[string]string{"a": "free", "b": "free", "bomb": "held"} {
		expect(t, key, state(t, w, key, 1), want)
	}
}

func TestASuspectIsAlone(t *testing.T) {
	dir := t.TempDir()
	killed(t, dir, 1, "suspect", "other suspect")
	w := open(t, dir)
	beside, err := w.Begin(t.Context(), "free", 1)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Begin(ended, "suspect", 1); err == nil {
		t.Error("a suspect is at work beside another")
	}
	beside.End()
	alone, err := w.Begin(t.Context(), "suspect", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"free", "other suspect"} {
		if _, err := w.Begin(ended, key, 1); err == nil {
			t.Errorf("%s is at work beside a suspect", key)
		}
	}
	alone.End()
	expect(t, "it has lived", state(t, w, "suspect", 1), "free")
}

func TestWorkThatEndsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	for i := range 2_000 { // more than there are places, one after the other
		expect(t, "it", state(t, w, fmt.Sprint("key", i), 1), "free")
	}
	expect(t, "then", state(t, open(t, dir), "key1", 1), "free")
}

func TestFilesThatCannotBeReadAreBegunAgain(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"at-work", "deaths"} {
		if err := os.WriteFile(dir+"/"+file, []byte("{not JSON"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, "it", state(t, open(t, dir), "key", 1), "free")
	if _, err := quarantine.Open(dir + "/nowhere"); err == nil {
		t.Error("a directory that is not there is one")
	}
	var none *quarantine.Ward
	v, err := none.Begin(t.Context(), "key", 1)
	if err != nil || v.Held() || v.Suspect() || v.Unread() {
		t.Errorf("without a directory: %v, %v", v, err)
	}
	v.Of(2)
	v.End()
}

func BenchmarkANote(b *testing.B) {
	w, err := quarantine.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		v, err := w.Begin(b.Context(), "FlinkDeployment/flink/demo", 1)
		if err != nil {
			b.Fatal(err)
		}
		v.End()
	}
}
