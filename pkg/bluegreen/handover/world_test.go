package handover_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
)

// job is a FlinkSessionJob and what really runs of it. Its own passes act in live; status says what was so then.
type job struct {
	generation int
	wanted     bool
	from       int  // the offset of the path that its spec names; -1: none
	keeps      bool // its suspension asks for no savepoint
	gone       bool

	// what is so
	process    bool
	offset     int // how far the process has read
	checkpoint int // the offset of the newest checkpoint that it completed since; -1: none
	savepoint  int // the offset of the savepoint of its stop; -1: none
	completed  bool

	// what status says
	observed           int
	runs               handover.Answer
	failed, stopFailed string
	next               string // what its next start begins from
}

func newJob() *job { return &job{from: -1, checkpoint: -1, savepoint: -1, runs: handover.No} }

// faults are what goes wrong. The zero value is nothing.
type faults struct {
	mainFails, tasksFail, clusterNever, noRoom, noCheckpoint bool
	stopFails                                                int // so many stops fail
	unread, unlisted                                         bool
	stopLoses                                                bool // the job ends by itself, without a savepoint
	slowStop                                                 bool
}

// world is a pair with the real lives of both jobs. Its ledger is what was committed by checkpoints and savepoints: a
// job that starts behind it would commit records twice.
type world struct {
	t       *testing.T
	now     time.Time
	state   handover.State
	version int
	options handover.Options
	wish    handover.Wish
	cluster handover.Cluster
	jobs    map[handover.Side]*job
	faults
	ledger int
	serial int // of savepoints
	ended  handover.End
	// count is how often a handover came to each step, and to each end.
	count map[string]int
	log   []string
	// effects counts what was done; dies is before which of them, dead after which the function dies; 0 is never.
	effects, dies, dead int
}

func newWorld(t *testing.T) *world {
	w := &world{
		t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), wish: handover.Move,
		options: handover.Options{Grace: 10 * time.Minute, Deadline: time.Minute, Preflight: true},
		count:   map[string]int{},
		jobs:    map[handover.Side]*job{handover.Serving: newJob(), handover.Target: newJob()},
	}
	serving := w.jobs[handover.Serving]
	serving.wanted = true
	w.live(handover.Serving)
	w.checkpoints(handover.Serving)
	w.live(handover.Serving)
	w.begin()
	return w
}

func (w *world) begin() {
	w.state, w.ended = handover.State{Step: handover.Warm, Began: w.now, Since: w.now}, handover.Goes
	w.cluster = handover.Cluster{Ready: handover.Pending, Why: "its pods start"}
	w.version++
}

func (w *world) notef(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// judge is called after each step of the world.
func (w *world) judge() {
	w.t.Helper()
	if w.jobs[handover.Serving].process && w.jobs[handover.Target].process {
		w.t.Fatalf("two jobs run:\n  %s", strings.Join(w.log, "\n  "))
	}
}

// starts begins a process at an offset.
func (w *world) starts(side handover.Side, offset int) {
	j := w.jobs[side]
	if offset < w.ledger {
		w.t.Fatalf("%s starts at %d, and %d was committed:\n  %s", side, offset, w.ledger, strings.Join(w.log, "\n  "))
	}
	j.process, j.offset = true, offset
	j.from, j.checkpoint, j.savepoint = offset, -1, -1
	w.notef("%s starts at %d", side, offset)
	w.judge()
}

// own is the newest state that the job's own passes know: what it completed, else what it started from.
func (j *job) own() int { return max(j.from, j.checkpoint, j.savepoint, 0) }

// live is a pass of the FlinkSessionJob of a side.
func (w *world) live(side handover.Side) {
	j := w.jobs[side]
	if j.gone {
		return
	}
	isTarget := side == handover.Target && w.state.Step != handover.Warm
	switch {
	case j.wanted && !j.process:
		if isTarget && w.mainFails {
			j.failed = "main threw"
			break
		}
		w.starts(side, j.own())
	case j.wanted && j.process && isTarget && w.tasksFail && !j.completed:
		j.failed = "tasks throw"
	case !j.wanted && j.process && j.keeps:
		j.process = false
		w.notef("%s is cancelled", side)
	case !j.wanted && j.process && w.slowStop:
		return
	case !j.wanted && j.process && w.stopFails > 0 && j.stopFailed == "":
		w.stopFails--
		j.stopFailed = "the directory is read-only"
	case !j.wanted && j.process && j.stopFailed == "":
		j.process = false
		if w.stopLoses {
			w.notef("%s is lost", side)
			break
		}
		j.savepoint, w.ledger = j.offset, j.offset
		w.serial++
		j.next = fmt.Sprintf("s3://sp/%d/%d", j.offset, w.serial)
		w.notef("%s stops with a savepoint at %d", side, j.offset)
	}
	if j.wanted {
		j.stopFailed = ""
	}
	w.shows(side)
}

// shows writes what is so into the status of a side.
func (w *world) shows(side handover.Side) {
	j := w.jobs[side]
	j.observed = j.generation
	switch {
	case j.process:
		j.runs = handover.Yes
	case j.wanted:
		j.runs = handover.Pending
	default:
		j.runs = handover.No
	}
}

// checkpoints lets a process read on and complete a checkpoint.
func (w *world) checkpoints(side handover.Side) {
	j := w.jobs[side]
	if !j.process {
		return
	}
	j.offset++
	stands := side == handover.Target && (w.noCheckpoint || w.tasksFail || j.failed != "")
	if !stands {
		j.checkpoint, j.completed, w.ledger = j.offset, true, j.offset
	}
}

// tick lets time pass, and all others do what they do in it.
func (w *world) tick(span time.Duration) {
	w.now = w.now.Add(span)
	if !w.clusterNever && !w.noRoom {
		w.cluster.Ready, w.cluster.Why = handover.Yes, ""
	}
	w.cluster.NoRoom = w.noRoom
	for _, answer := range []*handover.Answer{&w.cluster.Planned, &w.cluster.Ran} {
		if *answer == handover.Pending {
			*answer = handover.Yes
		}
	}
	if w.cluster.Planned == handover.Yes && w.mainFails {
		w.cluster.Planned, w.cluster.PlanFailed = handover.No, "main threw"
	}
	for _, side := range []handover.Side{handover.Serving, handover.Target} {
		w.live(side)
		w.checkpoints(side)
	}
}

// pass is one pass in the making: what it has read so far.
type pass struct {
	w           *world
	version     int
	seen        handover.Seen
	read        map[handover.Side]*job // as UIDs tell them apart
	generations map[handover.Side]int
	decision    handover.Decision
	left        []handover.Effect
	at          int
}

func (w *world) pass() *pass {
	return &pass{w: w, read: map[handover.Side]*job{}, generations: map[handover.Side]int{}}
}

// look reads a job as a pass does.
func (p *pass) look(side handover.Side) handover.Job {
	w, j := p.w, p.w.jobs[side]
	p.read[side], p.generations[side] = j, j.generation
	seen := handover.Job{
		Gone: j.gone, Wanted: j.wanted, Runs: j.runs, Path: j.next, Failed: j.failed, StopFailed: j.stopFailed,
	}
	if w.unread {
		return handover.Job{Unread: "the API server did not answer"}
	}
	if j.observed != j.generation {
		seen.Runs, seen.StopFailed, seen.Failed = handover.Pending, "", ""
	}
	switch {
	case w.unlisted:
	case j.completed:
		seen.Checkpoint = handover.Yes
	default:
		seen.Checkpoint = handover.No
	}
	return seen
}

// step does the next thing of a pass, and says whether there is another.
func (p *pass) step() bool {
	w := p.w
	p.at++
	switch p.at {
	case 1:
		p.version = w.version
		p.seen = handover.Seen{State: w.state, Options: w.options, Wish: w.wish}
	case 2:
		p.seen.Serving = p.look(handover.Serving)
	case 3:
		p.seen.Target = p.look(handover.Target)
	case 4:
		p.seen.Now, p.seen.Cluster = w.now, w.cluster
		p.decision = handover.Decide(p.seen)
		p.left = p.decision.Effects
	case 5:
		if p.decision.Stored {
			return w.does(func() bool {
				if w.version != p.version {
					return false
				}
				w.version++
				if w.state.Step != p.decision.State.Step || p.decision.End != handover.Goes {
					w.count[string(p.decision.State.Step)+string(p.decision.End)]++
				}
				w.state = p.decision.State
				w.notef("%s %s %s", w.state.Step, p.decision.End, w.state.Why)
				w.ends(p.decision.End)
				return p.decision.End == handover.Goes
			})
		}
	default:
		if len(p.left) == 0 {
			return false
		}
		effect := p.left[0]
		p.left = p.left[1:]
		return w.does(func() bool { return p.apply(effect) })
	}
	return true
}

// does does something that the function may die before or after.
func (w *world) does(effect func() bool) bool {
	w.effects++
	if w.effects == w.dies {
		return false
	}
	goesOn := effect()
	w.judge()
	return goesOn && w.effects != w.dead
}

// apply changes a spec under the generation that was read.
func (p *pass) apply(effect handover.Effect) bool {
	w := p.w
	change := func(side handover.Side, by func(j *job)) bool {
		j := p.read[side]
		if j.gone || j != w.jobs[handover.Serving] && j != w.jobs[handover.Target] || j.generation != p.generations[side] {
			return false
		}
		j.generation++
		by(j)
		w.notef("%s", effect)
		return true
	}
	switch effect {
	case handover.Plan:
		w.cluster.Planned = handover.Pending
	case handover.WarmUp:
		w.cluster.Ran = handover.Pending
	case handover.StopServing:
		return change(handover.Serving, func(j *job) { j.wanted, j.keeps = false, false })
	case handover.RunServing:
		return change(handover.Serving, func(j *job) { j.wanted = true })
	case handover.RunTarget:
		var offset int
		if _, err := fmt.Sscanf(p.decision.State.Path, "s3://sp/%d/", &offset); err != nil {
			w.t.Fatalf("the target is to start from %q", p.decision.State.Path)
		}
		return change(handover.Target, func(j *job) {
			j.wanted, j.from, j.next = true, offset, p.decision.State.Path
		})
	case handover.EndTarget:
		return change(handover.Target, func(j *job) { j.wanted, j.keeps = false, true })
	default:
		w.t.Fatalf("an unknown effect %q", effect)
	}
	return true
}

// ends does what the pair does after a handover, far enough for the next one.
func (w *world) ends(end handover.End) {
	if w.ended = end; end == handover.Goes {
		return
	}
	serving, target := w.jobs[handover.Serving], w.jobs[handover.Target]
	if end == handover.Done {
		if serving.wanted || serving.process {
			w.t.Fatalf("the old job is there after the end:\n  %s", strings.Join(w.log, "\n  "))
		}
		if !target.wanted { // it goes on from its newest checkpoint
			target.generation++
			target.wanted, target.failed = true, ""
		}
		w.jobs[handover.Serving], w.jobs[handover.Target] = target, newJob()
		return
	}
	if target.wanted || target.process {
		w.t.Fatalf("the new job is there after the end %q:\n  %s", end, strings.Join(w.log, "\n  "))
	}
	w.jobs[handover.Target] = newJob()
}

// rests makes passes until the handover ends, or nothing moves for hours.
func (w *world) rests() handover.End {
	for range 400 {
		p := w.pass()
		for p.step() {
		}
		if w.ended != handover.Goes {
			w.tick(time.Second)
			w.tick(time.Second)
			return w.ended
		}
		w.tick(5 * time.Second)
	}
	return handover.Goes
}

// until makes passes until the world is so.
func (w *world) until(is func() bool) {
	for range 400 {
		if is() {
			return
		}
		p := w.pass()
		for p.step() {
		}
		w.tick(5 * time.Second)
	}
	w.t.Fatalf("it never came to that:\n  %s", strings.Join(w.log, "\n  "))
}

// runningOn is the side that runs in the end. After Done the new side is the one that serves.
func (w *world) runningOn() string {
	switch {
	case w.jobs[handover.Serving].process:
		return "serving"
	case w.jobs[handover.Target].process:
		return "target"
	}
	return "nobody"
}

func (w *world) has(text string) bool { return strings.Contains(strings.Join(w.log, "\n"), text) }
