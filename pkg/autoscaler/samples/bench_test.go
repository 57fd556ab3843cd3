package samples

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
)

// of is a job of so many vertices whose window is full: rates that sway by a twentieth, as counters, loads and rates.
func of(vertices int) Kept {
	r := rand.New(rand.NewPCG(1, 2))
	k := Kept{Job: fmt.Sprintf("%032x", 7), Running: began, Busy: model.AggregatorMax}
	for i := range vertices {
		v := model.Vertex{
			ID: fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()), Parallelism: 8, MaxParallelism: 128,
			SlotSharingGroup: "8f4e5f0e9d3c4bb0a7b4c3f1d2e6a901",
		}
		if i > 0 {
			v.Inputs = []model.Edge{{Vertex: k.Vertices[i-1].ID, Ship: model.ShipHash}}
		}
		k.Vertices = append(k.Vertices, v)
	}
	timing, counts := Timing{Window: 15 * minute}, make([]float64, vertices)
	for n := range 40 {
		s := model.Sample{
			Time:     after(time.Duration(n)*minute + time.Duration(r.IntN(3000))*time.Millisecond),
			Vertices: map[string]model.Metrics{}, Global: model.Metrics{
				model.HeapMemoryUsed: float64(r.IntN(1 << 30)), model.HeapUsageRatio: r.Float64(),
				model.ManagedMemoryUsed: float64(r.IntN(1 << 28)), model.MetaspaceUsed: float64(90<<20 + r.IntN(1<<20)),
				model.GCPressure: float64(r.IntN(100)) / 1000, model.TaskSlotsUsed: 8,
			},
		}
		for i, v := range k.Vertices {
			rate := 20_000 * (1 + (r.Float64()-0.5)/10)
			counts[i] += float64(int(rate * 60))
			m := model.Metrics{
				model.Load: model.Round3(0.5 + r.Float64()/10), model.AccumulatedBusyTime: float64(n*240_000 + r.IntN(9000)),
				model.RecordsIn: counts[i], model.RecordsOut: counts[i] - float64(r.IntN(50)),
			}
			if i == 0 {
				m[model.Lag], m[model.ObservedRate] = float64(r.IntN(5000)), model.Round3(rate*1.6)
			} else {
				m[model.RecordsInPerSecond] = model.Round3(rate)
			}
			s.Vertices[v.ID] = m
		}
		k = k.With(s, timing)
	}
	return k
}

// ≤ 8 KB a write for 20 vertices.
func TestTheSizeOfAWrite(t *testing.T) {
	if n := len(base64.StdEncoding.EncodeToString(Write(of(20)))); n > 8<<10 {
		t.Errorf("20 vertices take %d bytes of a request", n)
	}
}

// others are the other keys of such a job's store: three scalings of each vertex, with what is read of them.
func others(vertices []model.Vertex) model.State {
	r := rand.New(rand.NewPCG(3, 4))
	state := model.State{History: map[string][]model.Scaling{}, Overrides: map[string]string{}}
	for _, v := range vertices {
		state.Overrides[v.ID] = "8"
		for i := range 3 {
			state.History[v.ID] = append(state.History[v.ID], model.Scaling{
				Time: began.Add(-time.Duration(9-i) * time.Hour), Current: 4 + i, New: 5 + i, Metrics: model.Evaluation{
					model.TrueProcessingRate:     {Current: model.NaN, Average: model.Round3(r.Float64() * 1e5)},
					model.ExpectedProcessingRate: {Current: model.Round3(r.Float64() * 1e5), Average: model.NaN},
				},
			})
		}
	}
	for i := range 3 {
		state.Restarts = append(state.Restarts, model.Restart{Time: began.Add(-time.Duration(9-i) * time.Hour)})
	}
	return state
}

// around is what an object has besides its data: names, labels, owner, and two entries of managedFields.
const around = 900

// BenchmarkWrite prints what a write costs: the bytes of the request, those of the value in etcd, which keeps binary
// data as it is, those of the object, which etcd keeps whole for each write, and what a thousand jobs with a write a
// minute come to.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{2, 20, 100} {
		b.Run(fmt.Sprintf("vertices=%d", n), func(b *testing.B) {
			k := of(n)
			object := around
			for key, value := range store.Write(others(k.Vertices)) {
				object += len(key) + len(value)
			}
			b.ReportAllocs()
			var data []byte
			for b.Loop() {
				data = Write(k)
			}
			object += len(data)
			b.ReportMetric(float64(len(data)), "B-value")
			b.ReportMetric(float64(base64.StdEncoding.EncodedLen(len(data))), "B-sent")
			b.ReportMetric(float64(object), "B-object")
			b.ReportMetric(float64(object)*60*1000/1e6, "MB/h-1000-jobs")
			b.ReportMetric(float64(len(k.Window)), "samples")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	data := Write(of(20))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(data); err != nil {
			b.Fatal(err)
		}
	}
}
