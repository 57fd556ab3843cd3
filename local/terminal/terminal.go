package terminal

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/kn-flink/kn-flink/local/screen"
)

// Terminal is where lines go. It is for one goroutine at a time.
type Terminal struct {
	out   *os.File
	live  bool
	drawn []string
	size  screen.Size
}

// New looks whether out is a terminal that can move its cursor.
func New(out *os.File) *Terminal {
	t := &Terminal{out: out}
	_, err := unix.IoctlGetWinsize(int(out.Fd()), unix.TIOCGWINSZ)
	t.live = err == nil && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != ""
	return t
}

// Live says whether Draw draws.
func (t *Terminal) Live() bool { return t.live }

// Size is the terminal's at this moment, without its last line, where the cursor is.
func (t *Terminal) Size() screen.Size {
	size, err := unix.IoctlGetWinsize(int(t.out.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row < 2 {
		return screen.Size{}
	}
	return screen.Size{Width: int(size.Col), Height: int(size.Row) - 1}
}

// Draw puts the lines in the place of those that were drawn before. They have to fit the Size.
func (t *Terminal) Draw(lines []string) {
	size := t.Size()
	if !t.live || slices.Equal(lines, t.drawn) && size == t.size {
		return
	}
	var text strings.Builder
	switch {
	case t.size != size && len(t.drawn) > 0:
		text.WriteString("\x1b[2J\x1b[H") // lines may have been folded: start at the top
	case len(t.drawn) > 0:
		fmt.Fprintf(&text, "\r\x1b[%dA", len(t.drawn))
	default:
		text.WriteString("\r")
	}
	for _, line := range lines {
		text.WriteString(line + "\x1b[K\n")
	}
	text.WriteString("\x1b[J")
	t.write(text.String())
	t.drawn, t.size = slices.Clone(lines), size
}

// Print writes lines that stay, below what was drawn; the next Draw begins below them.
func (t *Terminal) Print(lines ...string) {
	t.drawn = nil
	if len(lines) > 0 {
		t.write(strings.Join(lines, "\n") + "\n")
	}
}

// write has no error: nobody is left to tell.
func (t *Terminal) write(text string) { _, _ = t.out.WriteString(text) }
