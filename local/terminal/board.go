package terminal

import (
	"sync"
	"time"

	"github.com/kn-flink/kn-flink/local/screen"
)

// In a plain log, a board speaks of a step that takes longer than soon, and then as often.
const (
	soon  = time.Second
	often = 15 * time.Second
)

// Board shows how far steps are that run at the same time. It has the terminal until Close.
type Board struct {
	terminal *Terminal
	mu       sync.Mutex
	steps    []*step
	closing  chan struct{}
	closed   sync.WaitGroup
}

type step struct {
	screen.Step
	begun, said time.Time
}

// NewBoard shows nothing until there is a step.
func NewBoard(terminal *Terminal) *Board {
	b := &Board{terminal: terminal, closing: make(chan struct{})}
	b.closed.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.show(time.Now())
			case <-b.closing:
				return
			}
		}
	})
	return b
}

// Close ends all steps and leaves them on the terminal.
func (b *Board) Close() {
	close(b.closing)
	b.closed.Wait()
	b.mu.Lock()
	now := time.Now()
	for _, s := range b.steps {
		b.end(s, now)
	}
	b.mu.Unlock()
	b.show(now)
	b.terminal.Print()
}

// Row is one after another of the steps that a board shows: the next begins when the one before has ended.
type Row struct {
	board *Board
	now   *step
}

// Row makes a place for steps.
func (b *Board) Row() *Row { return &Row{board: b} }

// Tell says how far a step is: Done of Total in a unit, which is bytes if empty. A Total of 0 is not known. A step ends
// when Done is Total and not 0, or when the next one begins.
func (r *Row) Tell(name, unit string, done, total int64) {
	b, now := r.board, time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.now == nil || r.now.Name != name {
		r.end(now)
		r.now = &step{Step: screen.Step{Name: name, Unit: unit}, begun: now}
		b.steps = append(b.steps, r.now)
	}
	s := r.now
	s.Done, s.Total, s.Took = done, total, now.Sub(s.begun)
	if total > 0 && done >= total {
		r.end(now)
	}
}

// Bytes is Tell for steps that count bytes, or nothing.
func (r *Row) Bytes(name string, done, total int64) { r.Tell(name, "", done, total) }

// End ends the row's last step.
func (r *Row) End() {
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	r.end(time.Now())
}

func (r *Row) end(now time.Time) {
	if r.now != nil {
		r.board.end(r.now, now)
	}
}

func (b *Board) end(s *step, now time.Time) {
	if !s.Ended {
		s.Ended, s.Took = true, now.Sub(s.begun)
		b.say(s, now)
	}
}

// say writes a line where nothing can be drawn. What is over soon is not worth one.
func (b *Board) say(s *step, now time.Time) {
	if !b.terminal.Live() && s.Took >= soon {
		s.said = now
		b.terminal.Print(s.Line())
	}
}

func (b *Board) show(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	steps := make([]screen.Step, 0, len(b.steps))
	for _, s := range b.steps {
		if !s.Ended {
			s.Took = now.Sub(s.begun)
			if s.Took >= soon && now.Sub(s.said) >= often {
				b.say(s, now)
			}
		}
		steps = append(steps, s.Step)
	}
	if lines := screen.Progress(steps, b.terminal.Size()); len(lines) > 0 {
		b.terminal.Draw(lines)
	}
}
