package collect

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// sampler computes one sample.
type sampler struct {
	options model.Options
	// before are the samples that are already stored.
	before model.Window
	// noBusyTime are the vertices whose busy time is not known: they are not scaled in this cycle.
	noBusyTime []string
}

// vertex computes the metrics of one vertex, rounded to three decimals.
//
//	metric                         source                                        other
//	LAG                            sum of pending records, else 0                -
//	LOAD                           busy time as a share; NaN when not known      the same
//	ACCUMULATED_BUSY_TIME          that of the job details                       the same
//	NUM_RECORDS_IN                 job details, else records read, else sent     job details
//	NUM_RECORDS_OUT                job details                                   job details
//	NUM_RECORDS_IN_PER_SECOND      -                                             that of Flink, when there
//	OBSERVED_TPR                   see observed                                  -
func (s *sampler) vertex(v model.Vertex, answer VertexAnswer, selection Selection) model.Metrics {
	m := model.Metrics{
		model.AccumulatedBusyTime: v.Counters.BusyTime, model.RecordsIn: v.Counters.RecordsIn,
		model.RecordsOut: v.Counters.RecordsOut,
	}
	values := answer.Values
	if v.Finished {
		values = finished(v.IsSource())
		selection = finishedSelection
	}
	if v.IsSource() {
		lag, _ := sum(values, selection, PendingRecords)
		m[model.Lag] = lag
		m[model.RecordsIn] = recordsIn(v, values, selection)
		if rate, known := s.observed(v.ID, values, selection, lag); known {
			m[model.ObservedRate] = rate
		}
	} else if rate, known := sum(values, selection, RecordsInRate); known && !v.Finished {
		m[model.RecordsInPerSecond] = rate
	}
	m[model.Load] = s.load(v.ID, values, selection)
	for name, value := range m {
		m[name] = model.Round3(value)
	}
	return m
}

// finished are the answers that a vertex would give whose subtasks have all ended: zero everywhere.
func finished(source bool) map[string]Aggregate {
	values := map[string]Aggregate{string(BusyTime): {}}
	if source {
		for _, m := range []FlinkMetric{BackPressure, SourceInRate, SourceIn, SourceOut, PendingRecords} {
			values[string(m)] = Aggregate{}
		}
	}
	return values
}

// finishedSelection names each metric by itself.
var finishedSelection = Selection{
	string(BusyTime): BusyTime, string(BackPressure): BackPressure, string(SourceInRate): SourceInRate,
	string(SourceIn): SourceIn, string(SourceOut): SourceOut, string(PendingRecords): PendingRecords,
}

// load is the busy time as a share of 1. Where it is not known, the vertex is not scaled in this cycle.
func (s *sampler) load(vertex string, values map[string]Aggregate, selection Selection) float64 {
	busy, known := one(values, selection, BusyTime)
	if value := busy.of(s.options.Busy); known && model.IsFinite(value) {
		return max(0, value) / 1000
	}
	s.noBusyTime = append(s.noBusyTime, vertex)
	return model.NaN
}

// recordsIn is the number of records that a source has read. Flink counts what enters a vertex from another one, so
// that the operator inside it is asked.
func recordsIn(v model.Vertex, values map[string]Aggregate, selection Selection) float64 {
	count := v.Counters.RecordsIn
	for _, m := range []FlinkMetric{SourceIn, SourceOut} {
		if total, known := sum(values, selection, m); count == 0 && known {
			count = total
		}
	}
	return max(0, count)
}

// observed is the true processing rate of a source as it shows while it works off a backlog. The threshold counts in
// whole seconds.
//
//	rate read   lag                             back pressure   then it is
//	not known   -                               -               not known
//	0           -                               -               infinite: nothing came in
//	above 0     at least the threshold's worth  below 1         the rate by the time without back pressure
//	above 0     otherwise, or it is 1           -               the mean of what was observed before
func (s *sampler) observed(
	vertex string, values map[string]Aggregate, selection Selection, lag float64,
) (float64, bool) {
	rate, known := sum(values, selection, SourceInRate)
	if !known || math.IsNaN(rate) {
		return 0, false
	}
	rate = max(0, rate)
	if rate == 0 {
		return model.Inf, true
	}
	if lag >= rate*float64(s.options.ObservedLag/time.Second) {
		pressure, there := one(values, selection, BackPressure)
		if there && pressure.Avg < 1000 {
			return rate / (1 - pressure.Avg/1000), true
		}
	}
	return s.before.SeriesOf(vertex).Average(model.ObservedRate, s.options.ObservedLeast), true
}

// global computes the metrics of the whole job. What Flink does not report is left out.
func global(o Observation) (model.Metrics, error) {
	for _, name := range TaskManagerMetrics(false) {
		if _, there := o.TaskManagers[name]; !there {
			return nil, errors.New("Missing required TM metrics") // the text of the Java autoscaler
		}
	}
	m := model.Metrics{}
	total, errTotal := strconv.Atoi(strings.TrimSpace(o.JobManager[slotsTotal]))
	available, errAvailable := strconv.Atoi(strings.TrimSpace(o.JobManager[slotsAvailable]))
	if errTotal == nil && errAvailable == nil {
		m[model.TaskSlotsUsed] = float64(total - available)
	}
	most := func(name string) float64 { return o.TaskManagers[name].Max }
	if _, there := o.TaskManagers[gcTime]; there {
		m[model.GCPressure] = most(gcTime) / 1000
	}
	m[model.HeapMemoryUsed] = most(heapUsed)
	m[model.HeapUsageRatio] = most(heapUsed) / most(heapMax)
	m[model.ManagedMemoryUsed] = most(managedUsed)
	m[model.MetaspaceUsed] = most(metaspaceUsed)
	return m, nil
}
