package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/chaos"
)

// How long things may take on a machine that is busy with other runs.
const (
	soon    = 4 * time.Minute  // a change, until the next command does not wait for it any more
	rest    = 5 * time.Minute  // to come to rest when nothing disturbs any more
	telling = 75 * time.Second // to say that state was lost: a look a minute, and some seconds
	calm    = time.Second      // at rest for so long
	look1   = 200 * time.Millisecond
)

// Result is what became of a run.
type Result struct {
	// Starts are those of the job's tasks, Told those of them that began with less than was kept, and were told.
	Starts, Told int
	// Findings are what must not be.
	Findings []string
	// Person is what a person was asked for in the end; empty: nothing.
	Person string
	// Owed is how much was kept when the last run began, Restored what it began with, and Began says whether one did
	// after the first.
	Owed, Restored int64
	Began          bool
	// Well says that in the end the job was called well; Status is the last one before the deletion, in brief.
	Well   bool
	Status string
	// Chapters is what became of each of a script's: empty for one that went well, else what is not well. The first that
	// did not go well is the last.
	Chapters []string
	// Log is all that happened, line by line.
	Log string
}

// run is one script on one resource.
type run struct {
	arena     *Arena
	name      string
	place     chaos.Place
	resource  *chaos.Resource
	judge     chaos.Judge
	entries   []chaos.Entry
	read      int64 // bytes of the ledger
	follower  *follower
	hosted    bool                                   // the job is a session job
	paired    bool                                   // a blue/green deployment has the job
	applied   map[string]any                         // the spec that admission accepted last
	was       map[schema.GroupVersionResource]string // the text of what was applied last
	made      bool
	snapshots int
	result    Result

	mu   sync.Mutex
	text strings.Builder
	file *os.File // the same, for who looks on
	from time.Time
}

// Run carries a script out, has it come to rest, after everything was fixed if that is asked for, and takes
// everything away again. An error is the platform's or the script's.
func (a *Arena) Run(ctx context.Context, name string, script []chaos.Command, fix bool) (Result, error) {
	return a.run(ctx, job{name: name, script: script}, fix)
}

func (a *Arena) run(ctx context.Context, j job, fix bool) (Result, error) {
	name := j.name
	dir, err := filepath.Abs(filepath.Join(a.Dir, "data", name))
	if err != nil {
		return Result{}, err
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777)); err != nil {
		return Result{}, err
	}
	file, err := os.Create(dir + ".log")
	if err != nil {
		return Result{}, err
	}
	defer file.Close()
	following, stop := context.WithCancel(ctx)
	defer stop()
	r := &run{arena: a, name: name, file: file, from: time.Now()}
	volume := filepath.Dir(filepath.Dir(dir))
	r.paired = slices.ContainsFunc(j.script, pairs)
	r.hosted, r.was = slices.ContainsFunc(j.script, hosts), map[schema.GroupVersionResource]string{}
	r.place = chaos.Place{Jars: a.jars, Volume: volume, Data: dir, Ledger: filepath.Join(dir, "ledger"), Java: a.Java}
	r.resource = chaos.NewResource(r.place)
	subject, called := r.subject()
	r.follower = a.follow(following, subject, called, r.logf)
	err = r.play(ctx, j)
	if err == nil {
		err = r.conclude(ctx, fix)
	}
	last := r.follower.now()
	r.result.Status, r.result.Well = last.brief(), last.running()
	if ctx.Err() != nil {
		return r.result, ctx.Err() // the platform ends, and all with it
	}
	if left := r.remove(ctx); left != nil {
		err = errors.Join(err, left)
	}
	r.result.Starts, r.result.Told = r.judge.Starts, r.judge.Told
	r.result.Findings = append(r.result.Findings, r.judge.Findings()...)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Log = r.text.String()
	return r.result, errors.Join(err, os.RemoveAll(dir), os.Remove(file.Name()))
}

// play carries the commands out.
func (r *run) play(ctx context.Context, j job) error {
	for n, c := range j.script {
		r.logf("%s", c)
		if err := r.do(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		if err := r.listen(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if slices.Contains(j.ends, n) && !r.endChapter() {
			return nil
		}
	}
	return nil
}

// endChapter notes what became of a chapter, and reports whether the next one can begin.
func (r *run) endChapter() bool {
	now, findings := r.follower.now(), append(r.judge.Findings(), r.result.Findings...)
	said := ""
	switch {
	case len(findings) > 0:
		said = strings.Join(findings, "; ")
	case !now.running():
		said = now.brief()
	}
	r.result.Chapters = append(r.result.Chapters, said)
	return said == ""
}

// do carries one command out. What it cannot do just now it leaves out.
func (r *run) do(ctx context.Context, c chaos.Command) error {
	if edit := chaos.Edits[c.Verb]; edit != nil {
		if c.Verb == "redeploy" && !r.choose() {
			return nil
		}
		edit(r.resource, c.N)
		r.resource.Legal()
		if r.resource.Stateless() {
			r.judge.GivesUp(true)
		}
		if c.Verb == "apply" || r.made {
			return r.apply(ctx)
		}
		return nil
	}
	return disturbances[c.Verb](ctx, r, c.N)
}

// conclude waits for rest with nothing that disturbs. A job that came back has all that was kept then, or status says
// that it has not; one that was fixed runs, or a person is asked for.
func (r *run) conclude(ctx context.Context, fix bool) error {
	if !r.made {
		return nil
	}
	r.logf("the end")
	r.arena.undisturbed()
	for _, told := range []string{".failing", ".fail"} { // a job that was told to fail, and did not run, would later
		if err := os.RemoveAll(r.place.Ledger + told); err != nil {
			return err
		}
	}
	if fix {
		r.resource.Settle()
		r.resource.Spec["restartNonce"] = int64(1000)
		if err := r.apply(ctx); err != nil {
			return err
		}
	}
	now, err := r.atRest(ctx, rest)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case now.stalled != "" && !strings.HasPrefix(now.stalled, "JobFailed:"): // that asks nothing of its state
		r.result.Person = now.stalled
	case !now.atRest(), fix && !now.running():
		r.found("it does not come to rest within %s: %s", rest, now)
	}
	return r.listen()
}

// steady waits until it is at rest, and no longer than a change may take.
func (r *run) steady(ctx context.Context) error {
	now, err := r.atRest(ctx, soon)
	if err == nil && !now.atRest() {
		r.logf("  not at rest: %s", now)
	}
	return err
}

// atRest returns when status says that nothing is under way, for a moment, and a job that is called well keeps
// checkpoints; or at the deadline. It judges what runs then.
func (r *run) atRest(ctx context.Context, limit time.Duration) (seen, error) {
	begun, since := time.Now(), time.Time{}
	for end := begun.Add(limit); time.Now().Before(end) && ctx.Err() == nil; pause(ctx, look1) {
		if err := r.listen(); err != nil {
			return seen{}, err
		}
		now := r.follower.now()
		if !now.atRest() || now.running() && !r.keeps(begun.Add(calm)) {
			since = time.Time{}
			continue
		}
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) > calm {
			break
		}
	}
	return r.follower.now(), r.judged(ctx)
}

// judged looks at what runs. One that seems to have less than was kept gets the time in which status has to say it.
func (r *run) judged(ctx context.Context) error {
	for end := time.Now().Add(telling); ctx.Err() == nil; pause(ctx, look1) {
		if err := r.listen(); err != nil {
			return err
		}
		now, told := r.follower.now(), r.follower.told(r.judge.Running().At)
		if r.judge.Suspects() && told == "" && time.Now().Before(end) {
			continue
		}
		before := len(r.judge.Findings())
		r.judge.Look(now.running(), told != "")
		for _, f := range r.judge.Findings()[before:] {
			r.logf("  FINDING %s", f)
		}
		if now.running() && !r.resource.Stateless() {
			r.judge.GivesUp(false)
		}
		return nil
	}
	return nil
}

// keeps says that the run that began last took a checkpoint after a moment, and completed it: what stopped it before,
// and is not in its status yet, would have kept it from that.
func (r *run) keeps(after time.Time) bool {
	if len(r.entries) == 0 {
		return false
	}
	last := r.entries[len(r.entries)-1]
	return last.What == chaos.Kept && last.Run == r.judge.Running().Run && last.Taken.After(after)
}

// listen reads what the ledger says since the last time.
func (r *run) listen() error {
	text, err := os.ReadFile(r.place.Ledger)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	fresh := text[min(r.read, int64(len(text))):]
	whole := bytes.LastIndexByte(fresh, '\n') + 1
	r.read += int64(whole)
	for line := range strings.Lines(string(fresh[:whole])) {
		e, err := chaos.ParseEntry(strings.TrimSpace(line))
		if err != nil {
			return err
		}
		r.entries = append(r.entries, e)
		before := len(r.judge.Findings())
		if e.What == chaos.Began {
			r.result.Owed, r.result.Restored, r.result.Began = r.judge.Owed(), e.Number, r.judge.Starts > 0
			at := e.At.Format("15:04:05.000")
			r.logf("  run %s of job %s began at %s with %d, %d were kept", e.Run, e.Job, at, e.Number, r.judge.Owed())
		}
		r.judge.Take(e)
		for _, f := range r.judge.Findings()[before:] {
			r.logf("  FINDING %s", f)
		}
	}
	return nil
}

func (r *run) found(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.logf("  FINDING %s", text)
	r.result.Findings = append(r.result.Findings, text)
}

func (r *run) logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	line := fmt.Sprintf("%s %7.1f  "+format+"\n", append([]any{
		now.Format("15:04:05.000"), now.Sub(r.from).Seconds(),
	}, args...)...)
	_, _ = r.text.WriteString(line)
	_, _ = r.file.WriteString(line) // a full disk is told by the job's own files
}
