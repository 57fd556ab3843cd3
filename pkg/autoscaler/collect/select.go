package collect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// FlinkMetric is a metric of Flink that is asked for.
type FlinkMetric string

// The metrics of a vertex. Each stands for the names that Flink gives it.
const (
	BusyTime       FlinkMetric = "BUSY_TIME_PER_SEC"
	BackPressure   FlinkMetric = "BACKPRESSURE_TIME_PER_SEC"
	SourceInRate   FlinkMetric = "SOURCE_TASK_NUM_RECORDS_IN_PER_SEC"
	SourceIn       FlinkMetric = "SOURCE_TASK_NUM_RECORDS_IN"
	SourceOut      FlinkMetric = "SOURCE_TASK_NUM_RECORDS_OUT"
	PendingRecords FlinkMetric = "PENDING_RECORDS"
	RecordsInRate  FlinkMetric = "NUM_RECORDS_IN_PER_SEC"
	sourcePrefix               = "Source__"
	pendingSuffix              = ".pendingRecords"
)

// wanted is one metric that a vertex is asked for.
type wanted struct {
	metric FlinkMetric
	// name is the whole name, or how it ends below sourcePrefix.
	name string
	// below tells that the name belongs to the source operator inside the vertex.
	below bool
	// required tells that there is no sample without it.
	required bool
}

// ofSource and ofOther are what a source and any other vertex is asked for.
//
//	metric           name                                             source     other
//	busy time        busyTimeMsPerSecond                              required   required
//	back pressure    backPressuredTimeMsPerSecond                     required   -
//	rate read        Source__….numRecordsInPerSecond                  required   -
//	records read     Source__….numRecordsIn                           required   -
//	records sent     Source__….numRecordsOut                          wanted     -
//	lag              all that end in .pendingRecords                  wanted     -
//	rate read        numRecordsInPerSecond                            -          wanted
var (
	ofSource = []wanted{
		{metric: BusyTime, name: "busyTimeMsPerSecond", required: true},
		{metric: BackPressure, name: "backPressuredTimeMsPerSecond", required: true},
		{metric: SourceInRate, name: ".numRecordsInPerSecond", below: true, required: true},
		{metric: SourceIn, name: ".numRecordsIn", below: true, required: true},
		{metric: SourceOut, name: ".numRecordsOut", below: true},
	}
	ofOther = []wanted{
		{metric: BusyTime, name: "busyTimeMsPerSecond", required: true},
		{metric: RecordsInRate, name: "numRecordsInPerSecond"},
	}
)

// CommonMetrics are the names of what a vertex that is no source is asked for.
func CommonMetrics() []string {
	names := make([]string, 0, len(ofOther))
	for _, w := range ofOther {
		names = append(names, w.name)
	}
	return names
}

func (w wanted) is(name string) bool {
	if w.below {
		return strings.HasPrefix(name, sourcePrefix) && strings.HasSuffix(name, w.name)
	}
	return name == w.name
}

// MissingMetricError reports a vertex that lacks a required metric.
type MissingMetricError struct {
	// Metric is what is missing.
	Metric FlinkMetric
	// Vertex is the hex ID of the vertex.
	Vertex string
}

// Error has the text of the Java autoscaler.
func (e *MissingMetricError) Error() string {
	return fmt.Sprintf("Could not find required metric %s for %s", e.Metric, e.Vertex)
}

// Selection are the names to ask a vertex for, each with the metric that it stands for. Several pending records count
// as one lag.
type Selection map[string]FlinkMetric

// Names are the names in their order, for the parameter get of the request.
func (s Selection) Names() []string {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Select chooses what a vertex is asked for from the names of all its metrics. Of several that match, the first in
// alphabetical order counts. It returns a MissingMetricError when a required one is not there.
func Select(v model.Vertex, names []string) (Selection, error) {
	list := ofOther
	if v.IsSource() {
		list = ofSource
	}
	names = slices.Sorted(slices.Values(names))
	selection := Selection{}
	for _, w := range list {
		i := slices.IndexFunc(names, w.is)
		switch {
		case i >= 0:
			selection[names[i]] = w.metric
		case w.required:
			return nil, &MissingMetricError{Metric: w.metric, Vertex: v.ID}
		}
	}
	if v.IsSource() {
		for _, name := range names {
			if strings.HasSuffix(name, pendingSuffix) {
				selection[name] = PendingRecords
			}
		}
	}
	return selection, nil
}
