package autoscaler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/collect"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// benchStart is when the job of a benchmark began to run.
var benchStart = time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)

func vertexID(i int) string { return fmt.Sprintf("%032x", i+1) }

func same4(value float64) collect.Aggregate {
	return collect.Aggregate{Min: value, Max: value, Avg: value, Sum: value}
}

// chain is what Flink answers about a job of so many vertices, one after the other, each by key, after some minutes.
func chain(vertices, minute int) collect.Observation {
	o := collect.Observation{
		Job: collect.Job{Running: benchStart}, Vertices: map[string]collect.VertexAnswer{},
		JobManager: map[string]string{"taskSlotsTotal": "8", "taskSlotsAvailable": "4"},
		TaskManagers: map[string]collect.Aggregate{
			"Status.JVM.Memory.Heap.Used": same4(1e9), "Status.JVM.Memory.Heap.Max": same4(2e9),
			"Status.JVM.Memory.Metaspace.Used": same4(1e8), "Status.Flink.Memory.Managed.Used": same4(0),
		},
	}
	for i := range vertices {
		read := float64(minute) * 6e4 * 1.001
		v := model.Vertex{
			ID: vertexID(i), Parallelism: 4, MaxParallelism: 720,
			Counters: model.Counters{RecordsIn: read, RecordsOut: read, BusyTime: float64(minute) * 4 * 57_123},
		}
		answers := map[string]collect.Aggregate{
			"busyTimeMsPerSecond": same4(952.05), "numRecordsInPerSecond": same4(1001.1),
		}
		if i > 0 {
			v.Inputs = []model.Edge{{Vertex: vertexID(i - 1), Ship: model.ShipHash}}
		} else {
			answers = map[string]collect.Aggregate{
				"busyTimeMsPerSecond": same4(952.05), "backPressuredTimeMsPerSecond": same4(0),
				"Source__s.numRecordsInPerSecond": same4(1001.1), "Source__s.numRecordsIn": same4(read),
				"Source__s.numRecordsOut": same4(read), "Source__s.pendingRecords": same4(1000),
			}
		}
		answer := collect.VertexAnswer{Values: answers}
		for name := range answers {
			answer.Names = append(answer.Names, name)
		}
		o.Job.Vertices, o.Vertices[v.ID] = append(o.Job.Vertices, v), answer
	}
	return o
}

// chainAt is the cycle of such a job after some minutes.
func chainAt(vertices, minute int, state model.State) autoscaler.Input {
	return autoscaler.Input{
		Now: benchStart.Add(time.Duration(minute) * time.Minute), Running: true, State: state,
		Config:   conf.Config{"job.autoscaler.enabled": "true", "job.autoscaler.utilization.max": "0.8"},
		Observed: chain(vertices, minute),
	}
}

// fullWindow is the cycle of a job with 20 vertices whose window of 15 minutes is full, with a sample each minute.
func fullWindow(b testing.TB) autoscaler.Input {
	b.Helper()
	var state model.State
	for minute := range 20 {
		r := autoscaler.Run(chainAt(20, minute, state))
		if r.Err != nil {
			b.Fatal(r.Err)
		}
		state = r.State
	}
	state.History = map[string][]model.Scaling{}
	for i := range 20 {
		metrics := model.Evaluation{}
		for j, m := range model.InOrder()[:13] {
			metrics[m] = model.Evaluated{Current: 1234.567 * float64(j), Average: 7654.321 / float64(j+1)}
		}
		for j := range 3 {
			state.History[vertexID(i)] = append(state.History[vertexID(i)], model.Scaling{
				Time: benchStart.Add(time.Duration(j-9) * time.Hour), Current: j + 1, New: j + 2, Metrics: metrics,
			})
		}
	}
	return chainAt(20, 20, state)
}

func BenchmarkCycle(b *testing.B) {
	in := fullWindow(b)
	if r := autoscaler.Run(in); r.End != autoscaler.EndDecided || !r.Decision.Scaled() {
		b.Fatalf("%s %s", r.End, r.Decision.Outcome)
	}
	b.ReportAllocs()
	for b.Loop() {
		autoscaler.Run(in)
	}
}

func BenchmarkReadStore(b *testing.B) {
	data := store.Write(fullWindow(b).State)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := store.Read(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteStore(b *testing.B) {
	state := fullWindow(b).State
	b.ReportAllocs()
	for b.Loop() {
		store.Write(state)
	}
}
