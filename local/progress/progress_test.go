package progress

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pair is a terminal and what a person sees of it.
func pair(t *testing.T, columns, rows uint16) (person, terminal *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	if err := unix.IoctlSetWinsize(
		int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows},
	); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TERM", "xterm")
	return person, terminal
}

// seen reads until the text is there.
func seen(t *testing.T, person *os.File, text string) string {
	t.Helper()
	all, buffer := "", make([]byte, 4096)
	for !strings.Contains(all, text) {
		n, err := person.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		all += string(buffer[:n])
	}
	return strings.ReplaceAll(all, "\r\n", "\n")
}

func TestABoardOnATerminal(t *testing.T) {
	person, out := pair(t, 80, 10)
	board := New(out)
	row := board.Row()
	row.Tell("quick", "", 0, 0)
	row.Tell("compile", "packages", 3, 9)
	age(row, 2*time.Second)
	if got := seen(t, person, "3 of 9 packages"); !strings.Contains(got, "compile") {
		t.Errorf("%q", got)
	}
	board.Close()
	seen(t, person, "3 packages done")
}

// age makes the step that goes on older.
func age(r *Row, by time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun, r.said = r.begun.Add(-by), r.said.Add(-by)
}

func TestAPlainLogHasPlainLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	board := New(out)
	row := board.Row()
	row.Bytes("download", 1<<20, 4<<20)
	age(row, often)
	row.Bytes("download", 2<<20, 4<<20)
	row.Bytes("download", 4<<20, 4<<20)
	row.Tell("quick", "", 0, 0)
	row.Tell("kubelet", "", 0, 0)
	age(row, 61*time.Second)
	board.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "download: 2 of 4 MB\ndownload: 4 MB, done after 15s\nkubelet, done after 1m1s\n"
	if got := string(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
