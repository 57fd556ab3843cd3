package samples

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// after is a time after the job began to run.
func after(d time.Duration) time.Time { return began.Add(d) }

func at(d time.Duration) model.Sample { return model.Sample{Time: after(d)} }

// ages are how long after the job began the samples of a window are.
func ages(w model.Window) (all []time.Duration) {
	for _, s := range w {
		all = append(all, s.Time.Sub(began))
	}
	return all
}

const minute = time.Minute

func TestASampleIsDue(t *testing.T) {
	quarter := Timing{Window: 15 * minute, Stabilization: 5 * minute}
	sec := time.Second
	short := Timing{Window: minute}
	for name, row := range map[string]struct {
		timing Timing
		kept   []time.Duration
		now    time.Duration
		want   bool
	}{
		"none was taken":                    {quarter, nil, 0, true},
		"the window fills, the same slot":   {quarter, []time.Duration{6 * minute}, 6*minute + 14*sec, false},
		"the window fills, the next slot":   {quarter, []time.Duration{6 * minute}, 6*minute + 15*sec, true},
		"the window is full, the same slot": {quarter, []time.Duration{5 * minute, 20 * minute}, 20*minute + 59*sec, false},
		"the window is full, the next slot": {quarter, []time.Duration{5 * minute, 20*minute + 50*sec}, 21 * minute, true},
		"a clock that is behind":            {quarter, []time.Duration{5 * minute, 20 * minute}, 19 * minute, false},
		"a short window, the same slot":     {short, []time.Duration{0, minute}, minute + sec, false},
		"a short window, the next slot":     {short, []time.Duration{0, minute}, minute + 5*sec, true},
		"a long window is sampled no slower": {
			Timing{Window: 24 * time.Hour}, []time.Duration{0, 24 * time.Hour}, 24*time.Hour + minute, true,
		},
		"a window of nothing": {Timing{}, []time.Duration{0}, sec, true},
	} {
		k := Kept{Running: began}
		for _, d := range row.kept {
			k.Window = append(k.Window, at(d))
		}
		if got := k.Due(row.timing, after(row.now)); got != row.want {
			t.Errorf("%s: due %t, want %t", name, got, row.want)
		}
	}
}

// The window is full by the first sample since the job had stabilized, which thinning does not take away.
func TestTheWindowIsFullByItsFirstSample(t *testing.T) {
	for name, row := range map[string]struct {
		timing  Timing
		samples []time.Duration
		full    bool
		want    []time.Duration
	}{
		"it fills": {
			Timing{15 * minute, 5 * minute}, []time.Duration{4 * minute, 5 * minute, 6 * minute, 19 * minute}, false,
			[]time.Duration{4 * minute, 5 * minute, 6 * minute, 19 * minute},
		},
		"it is full to the second, and what was before is gone": {
			Timing{15 * minute, 5 * minute}, []time.Duration{4 * minute, 5 * minute, 6 * minute, 20 * minute}, true,
			[]time.Duration{5 * minute, 6 * minute, 20 * minute},
		},
		"a sample between the first and the next is one too many": {
			Timing{15 * minute, 5 * minute}, []time.Duration{5 * minute, 5*minute + 20*time.Second, 6 * minute}, false,
			[]time.Duration{5 * minute, 6 * minute},
		},
		"one older than the window holds it open": {
			Timing{15 * minute, 0}, []time.Duration{0, 2 * minute, 4 * minute, 17*minute + time.Second}, true,
			[]time.Duration{2 * minute, 4 * minute, 17*minute + time.Second},
		},
		"a window of a minute stays full by looks that are a little less and a little more than a minute apart": {
			Timing{minute, 0}, []time.Duration{0, 59 * time.Second, 2 * minute, 179 * time.Second}, true,
			[]time.Duration{59 * time.Second, 2 * minute, 179 * time.Second},
		},
		"nobody looked for longer than a window of a minute can be without": {
			Timing{minute, 0}, []time.Duration{0, minute, 151 * time.Second}, false, []time.Duration{151 * time.Second},
		},
		"nobody looked for longer than thinning takes": {
			Timing{15 * minute, 0}, []time.Duration{0, 5 * minute, 40 * minute}, false, []time.Duration{40 * minute},
		},
	} {
		k := Kept{Running: began}
		for _, d := range row.samples {
			k = k.With(at(d), row.timing)
		}
		if got := ages(k.Window); !slices.Equal(got, row.want) {
			t.Errorf("%s: kept %v, want %v", name, got, row.want)
		}
		if got := k.Full(row.timing, after(row.samples[len(row.samples)-1])); got != row.full {
			t.Errorf("%s: full %t, want %t", name, got, row.full)
		}
	}
}

// Whatever the options, and however irregular the looks, samples are in order, few, and none is doubled; the window is
// full once its time is over and stays so while looks come; and with a window as long as samples are apart, which the
// Java autoscaler can decide on, there are two to decide by.
func TestWindowsOfAnyLife(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timing := Timing{
			Window:        time.Duration(rapid.IntRange(60, 7200).Draw(t, "window")) * time.Second,
			Stabilization: time.Duration(rapid.IntRange(0, 600).Draw(t, "stabilization")) * time.Second,
		}
		k, now, first := Kept{Running: began}, began, time.Time{}
		for range rapid.IntRange(1, 300).Draw(t, "looks") {
			now = now.Add(time.Duration(rapid.IntRange(1, 66_000).Draw(t, "ms")) * time.Millisecond)
			if !k.Due(timing, now) {
				continue
			}
			k = k.With(model.Sample{Time: now}, timing)
			if first.IsZero() && !now.Before(began.Add(timing.Stabilization)) {
				first = now
			}
			if len(k.Window) > 2*most {
				t.Fatalf("%d samples are kept", len(k.Window))
			}
			for i := range k.Window[1:] {
				if !k.Window[i+1].Time.After(k.Window[i].Time) {
					t.Fatalf("samples out of order: %v", ages(k.Window))
				}
			}
			if newest, _ := k.Newest(); !newest.Time.Equal(now) {
				t.Fatal("the newest sample is not kept")
			}
			want := !first.IsZero() && !now.Before(first.Add(timing.Window))
			if got := k.Full(timing, now); got != want {
				t.Fatalf("full %t, want %t: %v, window %s", got, want, ages(k.Window), timing.Window)
			}
			if want && len(k.Window) < 2 {
				t.Fatalf("a full window with %d samples: %v", len(k.Window), ages(k.Window))
			}
		}
	})
}

func anyNumber(t *rapid.T, name string) float64 {
	return rapid.OneOf(
		rapid.Float64(), rapid.Map(rapid.IntRange(0, 1e9), func(n int) float64 { return float64(n) / 1000 }),
		rapid.Map(rapid.Int64(), func(n int64) float64 { return float64(n) }),
		rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1 << 53}),
	).Draw(t, name)
}

func anyKept(t *rapid.T) Kept {
	k := Kept{Job: rapid.StringMatching("[0-9a-f]{32}").Draw(t, "job"), Running: began, Busy: model.AggregatorMin}
	for i := range rapid.IntRange(0, 4).Draw(t, "vertices") {
		v := model.Vertex{
			ID: fmt.Sprintf("%032x", i), Parallelism: rapid.IntRange(1, 99).Draw(t, "p"), MaxParallelism: 128,
			SourcePartitions: rapid.IntRange(0, 9).Draw(t, "partitions"), Finished: rapid.Bool().Draw(t, "finished"),
		}
		if i > 0 {
			v.Inputs = []model.Edge{{Vertex: k.Vertices[i-1].ID, Ship: model.ShipHash}}
		}
		k.Vertices = append(k.Vertices, v)
	}
	metrics := func(name string) model.Metrics {
		m := model.Metrics{}
		for _, one := range rapid.SliceOfN(rapid.SampledFrom(model.InOrder()), 0, 5).Draw(t, name) {
			m[one] = anyNumber(t, string(one))
		}
		return m
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "samples") {
		s := at(time.Duration(i) * minute)
		s.Vertices, s.Global = map[string]model.Metrics{}, metrics("whole")
		for _, v := range k.Vertices {
			s.Vertices[v.ID] = metrics(v.ID)
		}
		k.Window = append(k.Window, s)
	}
	if rapid.Bool().Draw(t, "waits") {
		k.Delayed = map[string]model.DelayedScaleDown{"a": {
			FirstTrigger: began, Recommendations: []model.Recommendation{{Time: began, Parallelism: 3, Outside: true}},
		}}
		k.Told = map[string]Told{"ScalingExecutor": {At: began, About: "17"}}
		k.Problem = "no metrics"
	}
	return k
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := anyKept(t)
		got, err := Read(Write(k))
		if err != nil {
			t.Fatal(err)
		}
		same := cmp.Comparer(func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
		})
		if diff := cmp.Diff(k, got, same, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
	})
}

// Bytes that nobody wrote are an error and never a panic.
func TestAnyBytesAreRead(t *testing.T) {
	if k, err := Read(nil); err != nil || k.Job != "" {
		t.Errorf("nothing kept: %v, %v", k, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		data := Write(anyKept(t))
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			data = data[:rapid.IntRange(0, len(data)-1).Draw(t, "length")]
		case 1:
			data[rapid.IntRange(0, len(data)-1).Draw(t, "place")] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		default:
			plain := append([]byte(`{"times":[1,2],"vertices":[{"i":"a"}]}`), rapid.SliceOf(rapid.Byte()).Draw(t, "values")...)
			data = compressed(plain[:38], plain[38:])
		}
		_, _ = Read(data) // what it holds then is nobody's; it is held to be total
	})
}

func TestWhatCounts(t *testing.T) {
	graph := []model.Vertex{{ID: "a", Parallelism: 2, MaxParallelism: 128}}
	k := Kept{Job: "j", Running: began, Vertices: graph}
	for name, row := range map[string]struct {
		job     string
		running time.Time
		p       int
		want    bool
	}{
		"the same run":        {"j", began, 2, true},
		"another job":         {"k", began, 2, false},
		"it ran again":        {"j", after(1), 2, false},
		"another parallelism": {"j", began, 3, false},
	} {
		graph := []model.Vertex{{ID: "a", Parallelism: row.p, MaxParallelism: 128}}
		if got := k.Continues(Kept{Job: row.job, Running: row.running, Vertices: graph}); got != row.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
