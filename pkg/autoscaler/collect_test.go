package autoscaler_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/collect"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// flink are all answers that a recorded cluster could give.
type flink struct {
	JobDetails    jobDetails                   `json:"jobDetails"`
	VertexMetrics map[string]map[string]values `json:"vertexMetrics"`
	JMMetrics     map[string]string            `json:"jmMetrics"`
	TMMetrics     map[string]values            `json:"tmMetrics"`
}

// jobDetails is the answer of GET /jobs/{jid}.
type jobDetails struct {
	Timestamps map[string]int64 `json:"timestamps"`
	Vertices   []struct {
		ID               string `json:"id"`
		MaxParallelism   int    `json:"maxParallelism"`
		SlotSharingGroup string `json:"slotSharingGroupId"`
		Status           string `json:"status"`
		Metrics          struct {
			Read  number  `json:"read-records"`
			Write number  `json:"write-records"`
			Busy  *number `json:"accumulated-busy-time"`
		} `json:"metrics"`
	} `json:"vertices"`
	Plan struct {
		Nodes []struct {
			ID          string `json:"id"`
			Parallelism int    `json:"parallelism"`
			Inputs      []struct {
				ID   string `json:"id"`
				Ship string `json:"ship_strategy"`
			} `json:"inputs"`
		} `json:"nodes"`
	} `json:"plan"`
}

func (j jobDetails) details() collect.Details {
	var d collect.Details
	if at, there := j.Timestamps["RUNNING"]; there {
		running := time.UnixMilli(at).UTC()
		d.Running = &running
	}
	for _, node := range j.Plan.Nodes {
		n := collect.Node{ID: node.ID, Parallelism: node.Parallelism}
		for _, in := range node.Inputs {
			n.Inputs = append(n.Inputs, model.Edge{Vertex: in.ID, Ship: model.ParseShipStrategy(in.Ship)})
		}
		d.Nodes = append(d.Nodes, n)
	}
	for _, v := range j.Vertices {
		one := collect.VertexDetails{
			ID: v.ID, MaxParallelism: v.MaxParallelism, SlotSharingGroup: v.SlotSharingGroup, Status: v.Status,
			Counters: model.Counters{
				RecordsIn: float64(v.Metrics.Read), RecordsOut: float64(v.Metrics.Write), BusyTime: model.NaN,
			},
		}
		if v.Metrics.Busy != nil {
			one.Counters.BusyTime = float64(*v.Metrics.Busy)
		}
		d.Vertices = append(d.Vertices, one)
	}
	return d
}

type values struct {
	Min *number `json:"min"`
	Max *number `json:"max"`
	Avg *number `json:"avg"`
	Sum *number `json:"sum"`
}

func (v values) aggregate() collect.Aggregate {
	of := func(n *number) float64 {
		if n == nil {
			return model.NaN
		}
		return float64(*n)
	}
	return collect.Aggregate{Min: of(v.Min), Max: of(v.Max), Avg: of(v.Avg), Sum: of(v.Sum)}
}

// ask answers a request for values as Flink does: with nothing, when one of them is missing.
func ask(all map[string]values, names []string) map[string]collect.Aggregate {
	answer := map[string]collect.Aggregate{}
	for _, name := range names {
		value, there := all[name]
		if !there {
			return nil
		}
		answer[name] = value.aggregate()
	}
	return answer
}

// observe asks a recorded cluster what a cycle asks, and lists the requests for values. Names of metrics that are
// remembered from an earlier cycle are not asked for again.
func (f flink) observe(remembered map[string][]string) (o collect.Observation, calls []string, err error) {
	if o.Job, err = collect.MakeJob(f.JobDetails.details()); err != nil {
		return o, nil, err
	}
	o.Vertices = map[string]collect.VertexAnswer{}
	for _, v := range o.Job.Vertices {
		answer := collect.VertexAnswer{Names: slices.Sorted(maps.Keys(f.VertexMetrics[v.ID]))}
		if names, known := remembered[v.ID]; known && !v.IsSource() {
			answer.Names = names
		}
		if selection, err := collect.Select(v, answer.Names); err == nil && !v.Finished {
			answer.Values = ask(f.VertexMetrics[v.ID], selection.Names())
			calls = append(calls, "vertex "+v.ID+" values "+strings.Join(selection.Names(), ","))
		}
		o.Vertices[v.ID] = answer
	}
	if answer := ask(f.TMMetrics, collect.TaskManagerMetrics(true)); len(answer) > 0 {
		o.TaskManagers = answer
	} else {
		o.TaskManagers = ask(f.TMMetrics, collect.TaskManagerMetrics(false))
	}
	o.JobManager = f.JMMetrics
	return o, calls, nil
}

type samplesState struct {
	Timestamps []time.Time `json:"timestamps"`
	Latest     *sample     `json:"latest"`
}

// storedState is what the store of the Java implementation holds. What is absent there is nil.
type storedState struct {
	ParallelismOverrides map[string]string `json:"parallelismOverrides"`
	ConfigOverrides      *struct {
		Overrides map[string]string `json:"overrides"`
		Removals  []string          `json:"removals"`
	} `json:"configOverrides"`
	ScalingHistory   map[string][]scaling `json:"scalingHistory"`
	ScalingTracking  []restart            `json:"scalingTracking"`
	DelayedScaleDown delayedScaleDown     `json:"delayedScaleDown"`
	CollectedMetrics samplesState         `json:"collectedMetrics"`
}

// compare compares a stored state. The recordings of history have the two rates only that are read again.
func (s storedState) compare(k *check, got model.State) {
	same(k, "stored history", history(s.ScalingHistory), readAgain(got.History))
	same(k, "stored restarts", restarts(s.ScalingTracking), got.Restarts)
	same(k, "stored delays", s.DelayedScaleDown.model(), got.Delayed)
	same(k, "stored overrides", s.ParallelismOverrides, got.Overrides)
	if s.ConfigOverrides != nil || got.Config != nil {
		var want, ours model.ConfigChanges
		if s.ConfigOverrides != nil {
			want.Overrides, want.Removals = s.ConfigOverrides.Overrides, sortedList(s.ConfigOverrides.Removals)
		}
		if got.Config != nil {
			ours = *got.Config
		}
		same(k, "stored config", want, ours)
	}
	s.CollectedMetrics.compare(k, got.Samples)
}

func (s samplesState) compare(k *check, got model.Window) {
	var times []time.Time
	for _, one := range got {
		times = append(times, one.Time)
	}
	same(k, "times of samples", s.Timestamps, times)
	if s.Latest != nil && len(got) > 0 {
		latest, ours := s.Latest.model(), got[len(got)-1]
		latest.Time = ours.Time
		same(k, "newest sample", latest, ours)
	}
}

func readAgain(of map[string][]model.Scaling) map[string][]model.Scaling {
	m := map[string][]model.Scaling{}
	for vertex, list := range of {
		for _, s := range list {
			kept := model.Evaluation{}
			for _, name := range []model.Metric{model.TrueProcessingRate, model.ExpectedProcessingRate} {
				if value, there := s.Metrics[name]; there {
					kept[name] = value
				}
			}
			s.Metrics = kept
			m[vertex] = append(m[vertex], s)
		}
	}
	return m
}

func TestCollect(t *testing.T) {
	type input struct {
		Config                 map[string]string    `json:"config"`
		Now                    time.Time            `json:"now"`
		StoredCollectedMetrics []sample             `json:"storedCollectedMetrics"`
		StoredScalingHistory   map[string][]scaling `json:"storedScalingHistory"`
		StoredScalingTracking  []restart            `json:"storedScalingTracking"`
		Rest                   flink                `json:"rest"`
	}
	type output struct {
		Error              *failure    `json:"error"`
		NotReady           bool        `json:"notReady"`
		Continue           bool        `json:"continue"`
		FullyCollected     bool        `json:"fullyCollected"`
		JobRunningTs       time.Time   `json:"jobRunningTs"`
		Topology           topology    `json:"topology"`
		Sample             sample      `json:"sample"`
		RestartTimeMillis  *int64      `json:"restartTimeMillis"`
		ExcludeVertexIds   []string    `json:"excludeVertexIds"`
		State              storedState `json:"state"`
		RestCallsUnordered []string    `json:"restCallsUnordered"`
	}
	replay(t, "collect", func(k *check, c recorded[input, output]) {
		in := collect.Input{
			Options: readOptions(k, c.Input.Config), Now: c.Input.Now,
			State: model.State{
				Samples: window(c.Input.StoredCollectedMetrics), History: history(c.Input.StoredScalingHistory),
				Restarts: restarts(c.Input.StoredScalingTracking),
			},
		}
		observed, calls, err := c.Input.Rest.observe(nil)
		in.Observed = observed
		var got collect.Result
		if err == nil {
			got, err = collect.Collect(in)
		} else {
			got.State = in.State
		}
		if c.Output.Error.compare(k, err) {
			same(k, "not ready", c.Output.NotReady, errors.Is(err, collect.ErrNotReady))
			c.Output.State.compare(k, got.State)
			return
		}
		same(k, "continue", c.Output.Continue, got.Continue)
		same(k, "fully collected", c.Output.FullyCollected, got.Full)
		same(k, "running", c.Output.JobRunningTs, in.Observed.Job.Running)
		same(k, "excluded", sortedList(c.Output.ExcludeVertexIds), sortedList(got.Excluded))
		sameTopology(k, c.Output.Topology.model(), got.Topology)
		if want := c.Output.Sample.model(); len(got.State.Samples) > 0 {
			ours := got.State.Samples[len(got.State.Samples)-1]
			want.Time = ours.Time
			same(k, "sample", want, ours)
		}
		if c.Output.RestartTimeMillis != nil {
			same(k, "restart time", millis(*c.Output.RestartTimeMillis), got.RestartTime)
		}
		c.Output.State.compare(k, got.State)
		wanted := slices.DeleteFunc(slices.Clone(c.Output.RestCallsUnordered), func(call string) bool {
			return !strings.Contains(call, " values ")
		})
		same(k, "requests for values", sortedList(wanted), sortedList(calls))
	})
}

func sameTopology(k *check, want, got model.Topology) {
	plain := func(t model.Topology) []model.Vertex {
		var list []model.Vertex
		for _, v := range t.Vertices {
			v.Counters = model.Counters{}
			v.Inputs = slices.Clone(v.Inputs)
			slices.SortFunc(v.Inputs, func(a, b model.Edge) int { return strings.Compare(a.Vertex, b.Vertex) })
			list = append(list, v)
		}
		return list
	}
	same(k, "topology", plain(want), plain(got))
}
