package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kn-flink/kn-flink/local/screen"
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

func TestLinesAreDrawnInPlace(t *testing.T) {
	person, out := pair(t, 60, 10)
	terminal := New(out)
	if !terminal.Live() || terminal.Size() != (screen.Size{Width: 60, Height: 9}) {
		t.Fatalf("live %v, size %+v", terminal.Live(), terminal.Size())
	}
	terminal.Draw([]string{"one", "two"})
	terminal.Draw([]string{"one", "two"}) // says nothing
	terminal.Draw([]string{"three"})
	terminal.Print("end")
	want := "\rone\x1b[K\ntwo\x1b[K\n\x1b[J" + "\r\x1b[2Athree\x1b[K\n\x1b[J" + "end\n"
	if got := seen(t, person, "end"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAnotherSizeIsDrawnAfresh(t *testing.T) {
	person, out := pair(t, 60, 10)
	terminal := New(out)
	terminal.Draw([]string{"one"})
	if err := unix.IoctlSetWinsize(int(out.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 20, Row: 5}); err != nil {
		t.Fatal(err)
	}
	terminal.Draw([]string{"one"})
	terminal.Print("end")
	if got := seen(t, person, "end"); !strings.Contains(got, "\x1b[2J\x1b[Hone") {
		t.Errorf("%q", got)
	}
}

func TestABoardOnATerminal(t *testing.T) {
	person, out := pair(t, 60, 10)
	terminal := New(out)
	board := NewBoard(terminal)
	row := board.Row()
	row.Tell("quick", "", 0, 0)
	row.Tell("compile", "packages", 3, 9)
	age(board, 2*time.Second)
	board.Close()
	terminal.Print("end")
	if got := seen(t, person, "end"); !strings.Contains(got, "  compile  3 of 9 packages  2 s  done\x1b[K\n\x1b[Jend") {
		t.Errorf("%q", got)
	}
}

// age makes the step that goes on older.
func age(b *Board, by time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.steps[len(b.steps)-1]
	last.begun = last.begun.Add(-by)
}

func TestAPlainLogHasPlainLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	terminal := New(out)
	board := NewBoard(terminal)
	row := board.Row()
	row.Bytes("download", 1<<20, 4<<20)
	age(board, 3*time.Second)
	row.Bytes("download", 4<<20, 4<<20)
	row.Tell("quick", "", 0, 0)
	row.Tell("kubelet", "", 0, 0)
	age(board, 61*time.Second)
	board.Close()
	terminal.Draw([]string{"a screen"})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// What goes on for long is spoken of meanwhile, if the board comes to look.
	said := strings.ReplaceAll(strings.ReplaceAll(string(text), "kubelet\n", ""), "download: 1 of 4 MB\n", "")
	if want := "download: 4 of 4 MB, done after 3 s\nkubelet, done after 1 min 01 s\n"; said != want {
		t.Errorf("%q, want %q", text, want)
	}
}
