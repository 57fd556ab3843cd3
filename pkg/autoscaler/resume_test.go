package autoscaler_test

import (
	"errors"
	"maps"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/collect"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// looked is a job that is looked at once a minute, by functions that remember nothing but what they store.
type looked struct {
	config  conf.Config
	state   model.State
	kept    samples.Kept
	running time.Time
	// read is how many records its source has read.
	read float64
	// lag is how many records wait.
	lag float64
	// as is the parallelism of its vertices, where it is not 4.
	as map[string]string
	// quick leaves out the way through bytes.
	quick bool
	// plugins are those with an address, and said what they answer, by name; text that is missing is no answer.
	plugins autoscaler.Plugins
	said    map[string]string
	asked   []plugin.Question
}

// answers is a plug-in outside.
func (j *looked) answers(q plugin.Question) plugin.Answer {
	j.asked = append(j.asked, q)
	text, said := j.said[q.Name]
	if !said {
		return q.Failed(errors.New("HTTP status 503"))
	}
	return q.Read([]byte(text))
}

// job is what Flink answers of a source and a sink whose busy time is that.
func (j *looked) job(busy float64) collect.Observation {
	o := chain(2, 0)
	o.Job.Running = j.running
	for i := range o.Job.Vertices {
		v := &o.Job.Vertices[i]
		v.Counters = model.Counters{RecordsIn: j.read, RecordsOut: j.read}
		if p, err := strconv.Atoi(j.as[v.ID]); err == nil {
			v.Parallelism = p
		}
		o.Vertices[v.ID].Values["busyTimeMsPerSecond"] = same4(busy)
	}
	o.Vertices[vertexID(0)].Values["Source__s.numRecordsIn"] = same4(j.read)
	o.Vertices[vertexID(0)].Values["Source__s.pendingRecords"] = same4(j.lag / 4)
	return o
}

func (j *looked) stored() autoscaler.Stored {
	return autoscaler.Stored{Config: j.config, State: j.state, Kept: j.kept, Plugins: j.plugins}
}

// fataler is a testing.TB or a rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// look takes a sample at a minute, after one of so many records each second, and decides. What is kept goes through
// its bytes.
func (j *looked) look(t fataler, minute int, rate, busy float64) autoscaler.Result {
	t.Helper()
	j.read += rate * 60
	in := autoscaler.Sampling{
		Stored: j.stored(), Now: benchStart.Add(time.Duration(minute) * time.Minute), Job: "j", Observed: j.job(busy),
	}
	taken := autoscaler.Take(in)
	for taken.Asks != nil {
		taken = in.Answered(taken, j.answers(*taken.Asks))
	}
	if j.quick {
		j.kept = taken.Kept
	} else if taken.Changed {
		var err error
		if j.kept, err = samples.Read(samples.Write(taken.Kept)); err != nil {
			t.Fatal(err)
		}
	}
	return autoscaler.Decide(j.stored())
}

// runs lets minutes pass at a rate, until something is to be stored.
func (j *looked) runs(t fataler, from, to int, rate, busy float64) (autoscaler.Result, int) {
	t.Helper()
	var r autoscaler.Result
	for minute := from; minute < to; minute++ {
		if r = j.look(t, minute, rate, busy); r.Store {
			return r, minute
		}
	}
	return r, to
}

func newJob(options ...string) *looked {
	j := &looked{config: conf.Config{
		"job.autoscaler.enabled": "true", "job.autoscaler.utilization.max": "0.8",
	}, running: benchStart}
	for i := 0; i < len(options); i += 2 {
		j.config["job.autoscaler."+options[i]] = options[i+1]
	}
	return j
}

func TestADecisionByWhatIsKept(t *testing.T) {
	j := newJob()
	r, minute := j.runs(t, 0, 60, 1000, 990)
	if r.End != autoscaler.EndDecided || !r.Decision.Scaled() || minute != 20 {
		t.Fatalf("%s at minute %d, want a decision once the window is full, at 20", r.End, minute)
	}
	if j.look(t, 20, 0, 990).State.Overrides[vertexID(0)] != r.State.Overrides[vertexID(0)] {
		t.Error("the same sample is taken once, and decides the same")
	}
	j.state = r.State
	if again := autoscaler.Decide(j.stored()); again.End != autoscaler.EndAlready || again.Store || len(again.Events) > 0 {
		t.Errorf("after it was stored: %s", again.End)
	}
	if again := j.look(t, 21, 1000, 990); again.End != autoscaler.EndNotTaken || again.Store || len(again.Events) > 0 {
		t.Errorf("a minute later, while Flink has not rescaled: %s", again.End)
	}
	j.as = r.State.Overrides
	j.running = benchStart.Add(23 * time.Minute)
	first := j.look(t, 24, 1000, 300)
	if n := len(j.kept.Window); n != 1 || first.End != autoscaler.EndFirstSample || !first.Store ||
		first.State.Restarts[0].Duration != 3*time.Minute {
		t.Errorf("the job runs as decided: %s with %d samples, and it took %v", first.End, n, first.State.Restarts)
	}
}

// TestItIsDecidedAsInOneProcess: over any load, samples and decisions are those of the cycle that remembers everything,
// as long as the window is thinned to what it takes anyway.
func TestItIsDecidedAsInOneProcess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := newJob("stabilization.interval", "2 min", "scale-down.interval", "5 min")
		j.quick = true
		var whole model.State
		for minute := range 40 {
			rate, busy := rapid.Float64Range(0, 5000).Draw(t, "rate"), rapid.Float64Range(0, 1000).Draw(t, "busy")
			if minute < 30 { // steady enough for the window to matter
				rate, busy = float64(int(rate)%7*500), float64(int(busy)%9*100)
			}
			got := j.look(t, minute, rate, busy)
			want := autoscaler.Run(autoscaler.Input{
				Now: benchStart.Add(time.Duration(minute) * time.Minute), Config: j.config, Running: true, State: whole,
				Observed: j.job(busy),
			})
			whole = want.State
			if got.End != want.End || got.Decision.Outcome != want.Decision.Outcome {
				t.Fatalf("minute %d: %s %s, want %s %s", minute, got.End, got.Decision.Outcome, want.End, want.Decision.Outcome)
			}
			if want.End == autoscaler.EndDecided && want.Decision.Scaled() {
				if !maps.Equal(got.State.Overrides, want.State.Overrides) {
					t.Fatalf("minute %d: %v, want %v", minute, got.State.Overrides, want.State.Overrides)
				}
				return
			}
			if diff := cmp.Diff(want.State.Delayed, got.State.Delayed); diff != "" && len(want.State.Delayed) > 0 {
				t.Fatalf("minute %d: scale downs that wait (-want +got):\n%s", minute, diff)
			}
		}
	})
}

// What the job would be scaled to is told again after the event interval, or when it is another; without an
// interval it is told of each sample.
func TestWhatIsToldOnce(t *testing.T) {
	same := func(int) float64 { return 990 }
	var all []int
	for minute := 20; minute < 42; minute++ {
		all = append(all, minute)
	}
	rows := map[string]struct {
		interval string
		busy     func(minute int) float64
		want     []int
		why      string
	}{
		"the same":            {"10 min", same, []int{20, 30, 40}, "within the interval it is silent"},
		"without an interval": {"0 s", same, all, "nothing is silent"},
		"another parallelism": {
			"10 min", func(minute int) float64 { return 990 - 300*float64(minute/23) }, []int{20, 25},
			"within the interval it says something else, and then that it is within its bounds",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			j := newJob("scaling.enabled", "false", "scaling.event.interval", row.interval)
			var told []int
			for minute := range 42 {
				r := j.look(t, minute, 1000, row.busy(minute))
				if r.Store {
					t.Fatalf("minute %d: nothing is stored of an advice", minute)
				}
				if len(r.Events) > 0 {
					told = append(told, minute)
					if again := autoscaler.Decide(j.stored()); len(again.Events) != len(r.Events) {
						t.Errorf("minute %d: both functions tell the same", minute)
					}
				}
			}
			if diff := cmp.Diff(row.want, told); diff != "" {
				t.Errorf("the advice is told (-want +got):\n%s\n%s", diff, row.why)
			}
		})
	}
}

// TestAJobThatCannotBeMeasured: a metric that is missing is told once the job has stabilized, and ends with it.
func TestAJobThatCannotBeMeasured(t *testing.T) {
	j := newJob()
	take := func(minute int, names []string) (samples.Kept, bool) {
		o := j.job(500)
		answer := o.Vertices[vertexID(0)]
		answer.Names = names
		o.Vertices[vertexID(0)] = answer
		taken := autoscaler.Take(autoscaler.Sampling{
			Stored: j.stored(), Now: benchStart.Add(time.Duration(minute) * time.Minute), Job: "j", Observed: o,
		})
		return taken.Kept, taken.Changed
	}
	if _, changed := take(1, nil); changed {
		t.Error("while the job stabilizes nothing is told of it")
	}
	kept, changed := take(6, nil)
	if j.kept = kept; !changed || kept.Problem == "" {
		t.Fatal("a metric is missing, and nobody says so")
	}
	if r := autoscaler.Decide(j.stored()); r.End != autoscaler.EndFailed || len(r.Events) != 1 || r.Store {
		t.Errorf("%s with %d events", r.End, len(r.Events))
	}
	if _, changed := take(7, nil); changed {
		t.Error("the same problem is kept once")
	}
	if kept, _ := take(8, chain(2, 0).Vertices[vertexID(0)].Names); kept.Problem != "" || len(kept.Window) != 1 {
		t.Errorf("it can be measured again: %q", kept.Problem)
	}
}

// TestWhatJavaHadStored: its samples count from the first look on where they are of this run, and so do the scale downs
// that wait.
func TestWhatJavaHadStored(t *testing.T) {
	theirs := newJob()
	for minute := range 15 {
		theirs.look(t, minute, 1000, 990)
	}
	waits := map[string]model.DelayedScaleDown{vertexID(1): {FirstTrigger: benchStart}}
	for name, row := range map[string]struct {
		running time.Time
		want    int
	}{
		"of this run":     {benchStart, len(theirs.kept.Window) + 1},
		"of a run before": {benchStart.Add(time.Minute), 1},
	} {
		j := newJob()
		j.running, j.read = row.running, theirs.read
		j.state = model.State{Samples: theirs.kept.Window, Delayed: waits}
		j.look(t, 15, 1000, 990)
		if len(j.kept.Window) != row.want || len(j.kept.Delayed) != 1 {
			t.Errorf("%s: %d samples, want %d; %d wait", name, len(j.kept.Window), row.want, len(j.kept.Delayed))
		}
	}
	j := newJob()
	j.state = model.State{Delayed: waits, Restarts: []model.Restart{{Time: benchStart.Add(time.Second)}}}
	if j.look(t, 19, 1000, 990); len(j.kept.Delayed) != 0 {
		t.Error("a scaling ends the scale downs that waited")
	}
}

func TestNothingIsDecidedWithoutASample(t *testing.T) {
	if r := autoscaler.Decide(newJob().stored()); r.End != autoscaler.EndNoSample || r.Store {
		t.Errorf("%s", r.End)
	}
	j := newJob("metrics.window", "soon")
	if r := autoscaler.Decide(j.stored()); r.End != autoscaler.EndFailed || len(r.Events) != 1 {
		t.Errorf("%s", r.End)
	}
	if r := newJob(); r.look(t, 0, 1, 1).Decision.Outcome != execute.OutcomeUnknown {
		t.Error("one sample decides nothing")
	}
}

// BenchmarkLook is what a look at a job of 20 vertices with a full window costs beside asking Flink.
func BenchmarkLook(b *testing.B) {
	in := fullWindow(b)
	j := &looked{config: in.Config, running: benchStart, kept: samples.Kept{}}
	for minute := range 21 {
		j.kept = autoscaler.Take(autoscaler.Sampling{
			Stored: j.stored(), Now: benchStart.Add(time.Duration(minute) * time.Minute), Job: "j", Observed: chain(20, minute),
		}).Kept
	}
	j.state = in.State
	data := samples.Write(j.kept)
	b.ReportAllocs()
	for b.Loop() {
		kept, err := samples.Read(data)
		if err != nil {
			b.Fatal(err)
		}
		j.kept = kept
		taken := autoscaler.Take(autoscaler.Sampling{
			Stored: j.stored(), Now: benchStart.Add(21 * time.Minute), Job: "j", Observed: chain(20, 21),
		})
		if len(samples.Write(taken.Kept)) == 0 {
			b.Fatal("nothing is kept")
		}
	}
}
