package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/sys/unix"
)

// A step that takes less than soon is not worth a line. In a plain log, a longer one has a line each often.
const (
	soon  = time.Second
	often = 15 * time.Second
)

// Board shows the steps of its rows until Close.
type Board struct {
	out  io.Writer
	bars *mpb.Progress // nil in a plain log
	rows []*Row
}

// New shows nothing until there is a step.
func New(out *os.File) *Board {
	b := &Board{out: out}
	_, err := unix.IoctlGetWinsize(int(out.Fd()), unix.TIOCGWINSZ)
	if err == nil && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != "" {
		b.bars = mpb.New(mpb.WithOutput(out), mpb.WithWidth(30))
	}
	return b
}

// Close ends all steps and leaves them on the terminal.
func (b *Board) Close() {
	for _, row := range b.rows {
		row.End()
	}
	if b.bars != nil {
		b.bars.Wait()
	}
}

// Row is one after another of the steps that a board shows: the next begins when the one before has ended.
type Row struct {
	board       *Board
	mu          sync.Mutex
	name, much  string
	begun, said time.Time
	bar         *mpb.Bar
}

// Row makes a place for steps. All are made before the first step.
func (b *Board) Row() *Row {
	row := &Row{board: b}
	b.rows = append(b.rows, row)
	return row
}

// Tell says how far a step is: done of total in a unit, which is bytes if empty. A total of 0 is not known. A step ends
// when the next one begins, or the row does.
func (r *Row) Tell(name, unit string, done, total int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.name != name {
		r.end()
		r.begin(name, unit, total)
	}
	r.much = howMuch(unit, done, total)
	if r.bar != nil {
		r.bar.SetTotal(max(total, done), false)
		r.bar.SetCurrent(done)
	} else if r.board.bars == nil && time.Since(r.said) >= often {
		r.said = time.Now()
		_, _ = fmt.Fprintln(r.board.out, r.name+r.much)
	}
}

// Bytes is Tell for steps that count bytes, or nothing.
func (r *Row) Bytes(name string, done, total int64) { r.Tell(name, "", done, total) }

// End ends the row's last step.
func (r *Row) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
}

func (r *Row) begin(name, unit string, total int64) {
	r.name, r.begun, r.said = name, time.Now(), time.Now()
	if r.board.bars == nil {
		return
	}
	style := mpb.NopStyle()
	if total > 0 {
		style = mpb.BarStyle()
	}
	r.bar = r.board.bars.New(0, style, mpb.PrependDecorators(
		decor.Name("  "+name, decor.WCSyncSpaceR), decor.Elapsed(decor.ET_STYLE_MMSS, decor.WCSyncSpaceR),
	), mpb.AppendDecorators(
		decor.Any(func(s decor.Statistics) string { return strings.TrimPrefix(howMuch(unit, s.Current, s.Total), ":") }),
		decor.OnComplete(decor.Name(" ..."), " done"),
	))
}

func (r *Row) end() {
	took := time.Since(r.begun)
	switch {
	case r.name == "":
	case r.bar != nil && took < soon:
		r.bar.Abort(true)
	case r.bar != nil:
		r.bar.SetTotal(-1, true)
	case took >= soon:
		_, _ = fmt.Fprintf(r.board.out, "%s%s, done after %s\n", r.name, r.much, took.Round(time.Second))
	}
	r.name, r.bar = "", nil
}

func howMuch(unit string, done, total int64) string {
	if unit == "" {
		unit, done, total = "MB", done>>20, total>>20
	}
	switch {
	case total > 0 && total != done:
		return fmt.Sprintf(": %d of %d %s", done, total, unit)
	case done > 0:
		return fmt.Sprintf(": %d %s", done, unit)
	}
	return ""
}
