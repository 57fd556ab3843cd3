package samples

import (
	"maps"
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
)

// Kept is what is kept of a job.
type Kept struct {
	// Job is its ID in Flink's form; empty means that nothing is kept.
	Job string
	// Running is when it went to RUNNING last, by the JobManager's clock, in milliseconds.
	Running time.Time
	// Busy is how busy times count. By it, of two metrics one is kept.
	Busy model.Aggregator
	// Vertices are those of the newest sample, without counters.
	Vertices []model.Vertex
	// Window are the samples that count, and one older that holds the window open while it is thinned.
	Window model.Window
	// Delayed are the scale downs that wait, by hex ID.
	Delayed map[string]model.DelayedScaleDown
	// Told is what users were told last of what is not told again for a while, by its key.
	Told map[string]Told
	// Problem is why the newest sample could not be taken; empty when it could.
	Problem string
	// Answers are what plug-ins of the user's own said of the newest sample, in the order in which they were asked.
	Answers []plugin.Answer
}

// Told is something that was told.
type Told struct {
	// At is the sample that it was told of.
	At time.Time
	// About is its label or, without one, nothing: another one is told at once.
	About string
}

// Newest is the newest sample; false when there is none.
func (k Kept) Newest() (model.Sample, bool) {
	if len(k.Window) == 0 {
		return model.Sample{}, false
	}
	return k.Window[len(k.Window)-1], true
}

// Timing is what the options say of samples.
type Timing struct {
	// Window and Stabilization are those of the options.
	Window, Stabilization time.Duration
}

// TimingOf reads them.
func TimingOf(o model.Options) Timing {
	return Timing{Window: o.Window, Stabilization: o.Stabilization}
}

// The number of samples of a thinned window, and how often one is taken.
const (
	// intervals are how many lie between the ends of a thinned window.
	intervals = 14
	// slowest is how often a sample is taken at the least, fastest at the most.
	slowest, fastest = time.Minute, time.Second
	// whileFilling is how many times as often it is while the window fills.
	whileFilling = 4
	// most bounds the samples that are kept.
	most = intervals + 4
)

// step is how often a sample is taken of a full window.
func (t Timing) step() time.Duration { return min(slowest, max(fastest, t.Window/intervals)) }

// spacing is how far apart samples are kept.
func (t Timing) spacing() time.Duration { return max(t.step(), t.Window/intervals) }

// gap is how far apart samples may lie without the window being taken for interrupted: three times as far as they are
// kept, or as looks come, but half a window at the most. A short window bears one look that comes late.
func (t Timing) gap() time.Duration {
	return max(min(3*max(t.spacing(), slowest), t.Window/2), slowest*3/2)
}

// Since are the samples from when the job had stabilized.
func (k Kept) Since(t Timing) model.Window { return k.Window.Since(k.Running.Add(t.Stabilization)) }

// Full reports whether the window is full at a time, by the rule of the Java autoscaler: the oldest sample from when
// the job had stabilized is a window old.
func (k Kept) Full(t Timing, now time.Time) bool {
	since := k.Since(t)
	return len(since) > 0 && !now.Before(since[0].Time.Add(t.Window))
}

// Due reports whether a sample is to be taken: none was in this slot of time.
//
//	window      a slot is
//	full        a minute, or a fourteenth of the window where that is less
//	not full    a quarter of that
func (k Kept) Due(t Timing, now time.Time) bool {
	newest, taken := k.Newest()
	if !taken {
		return true
	}
	slot := t.step()
	if !k.Full(t, newest.Time) {
		slot = max(fastest, slot/whileFilling)
	}
	return now.Truncate(slot).After(newest.Time.Truncate(slot))
}

// lean is a sample without what no rate is computed of.
//
//	metric                  is kept
//	ACCUMULATED_BUSY_TIME   where busy times count by their average
//	NUM_RECORDS_OUT         of a vertex that another one reads from beside others
func (k Kept) lean(s model.Sample) model.Sample {
	graph := model.MakeTopology(k.Vertices)
	all := s.Vertices
	s.Vertices = make(map[string]model.Metrics, len(all))
	for id, metrics := range all {
		kept := maps.Clone(metrics)
		if k.Busy != model.AggregatorAvg {
			delete(kept, model.AccumulatedBusyTime)
		}
		if !slices.ContainsFunc(graph.Outputs(id), func(e model.Edge) bool {
			to, _ := graph.Get(e.Vertex)
			return len(to.Inputs) > 1
		}) {
			delete(kept, model.RecordsOut)
		}
		s.Vertices[id] = kept
	}
	return s
}

// With adds a sample that is newer than all. Nothing was answered of it yet.
//
//	sample                                          then it
//	before the job had stabilized                   goes when there are too many
//	the first since                                 stays until the window is full, which is counted from it
//	the newest before this one                      goes where it lies closer to the one before it than samples are kept
//	older than the window, once that is full        goes; but the newest of them stays where the next one lies no
//	                                                further from it than gap: the window was full, and is still
func (k Kept) With(s model.Sample, t Timing) Kept {
	stable := k.Running.Add(t.Stabilization)
	w := slices.Clone(k.Window)
	if n := len(w); n > 1 && !w[n-2].Time.Before(stable) && w[n-1].Time.Sub(w[n-2].Time) < t.spacing()-t.step()/8 {
		w = w[:n-1]
	}
	k.Window, k.Answers = append(w, k.lean(s)), nil
	if k.Full(t, s.Time) {
		k.Window = k.Window[k.first(t, s.Time.Add(-t.Window)):]
	}
	for len(k.Window) > most && k.Window[0].Time.Before(stable) {
		k.Window = k.Window[1:]
	}
	return k
}

// first is the oldest sample that stays of a full window that begins at a time.
func (k Kept) first(t Timing, begin time.Time) int {
	i := slices.IndexFunc(k.Window, func(s model.Sample) bool { return !s.Time.Before(begin) })
	stable := k.Running.Add(t.Stabilization)
	if i > 0 && k.Window[i].Time.After(begin) && !k.Window[i-1].Time.Before(stable) &&
		k.Window[i].Time.Sub(k.Window[i-1].Time) <= t.gap() {
		return i - 1
	}
	return max(i, 0)
}

// Seed takes samples over that somebody else had kept, oldest first.
func (k Kept) Seed(w model.Window, t Timing) Kept {
	for _, s := range w {
		s.Time = s.Time.Truncate(time.Millisecond)
		if newest, there := k.Newest(); !there || s.Time.After(newest.Time) {
			k = k.With(s, t)
		}
	}
	return k
}

// Continues reports whether what is kept is of the run that another is of: the same job, running since the same time,
// with the same graph. Of another one nothing counts but the scale downs that wait.
func (k Kept) Continues(run Kept) bool {
	return k.Job == run.Job && k.Running.Equal(run.Running) && k.Busy == run.Busy &&
		slices.EqualFunc(k.Vertices, run.Vertices, sameVertex)
}

func sameVertex(a, b model.Vertex) bool {
	return a.ID == b.ID && a.Parallelism == b.Parallelism && a.MaxParallelism == b.MaxParallelism &&
		slices.Equal(a.Inputs, b.Inputs)
}
