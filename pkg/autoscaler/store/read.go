package store

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// Discarded is a value that could not be read. It counts as absent and is not to be kept.
type Discarded struct {
	// Key is that of the data.
	Key string
	// Err says what is wrong with the value.
	Err error
}

// Read reads the data of a store.
//
//	value                    absent     cannot be read
//	parallelismOverrides     none       error
//	configOverrides          none       no changes; kept as it is
//	all others               empty      empty; discarded
func Read(data map[string]string) (model.State, []Discarded, error) {
	var state model.State
	var discarded []Discarded
	note := func(key string, err error) {
		if err != nil {
			discarded = append(discarded, Discarded{Key: key, Err: err})
		}
	}
	var err error
	state.Samples, err = readSamples(data)
	note(SamplesKey, err)
	state.History, err = readHistory(data)
	note(HistoryKey, err)
	state.Restarts, err = readRestarts(data)
	note(RestartsKey, err)
	state.Delayed, err = readDelayed(data)
	note(DelayedKey, err)
	if text, stored := data[ConfigKey]; stored {
		changes := ReadConfig(text)
		state.Config = &changes
	}
	if text, stored := data[ParallelismKey]; stored {
		if state.Overrides, err = ReadParallelism(text); err != nil {
			return state, discarded, fmt.Errorf("%s of the autoscaler's store cannot be read: %w", ParallelismKey, err)
		}
	}
	return state, discarded, nil
}

// document is the YAML of a value, compressed or not. It is empty where the value is absent or null.
func document(data map[string]string, key string) (node, error) {
	text, stored := data[key]
	if !stored {
		return node{kind: mapping}, nil
	}
	plain, err := uncompressed(text)
	if err != nil {
		return node{}, err
	}
	root, err := parse(plain)
	if err != nil {
		return node{}, err
	}
	if root.isNull() {
		return node{kind: mapping}, nil
	}
	return root, nil
}

func readSamples(data map[string]string) (model.Window, error) {
	root, err := document(data, SamplesKey)
	if err != nil {
		return nil, err
	}
	var window model.Window
	for at, content := range root.entries(&err) {
		sample := model.Sample{Time: instantKey(at, &err), Vertices: map[string]model.Metrics{}}
		for field, value := range content.entries(&err) {
			switch field {
			case "vertexMetrics":
				for vertex, metrics := range value.entries(&err) {
					sample.Vertices[vertexKey(vertex, &err)] = metricsOf(metrics, &err)
				}
			case "globalMetrics":
				sample.Global = metricsOf(value, &err)
			default:
				fail(&err, "unknown field %q", field)
			}
		}
		window = window.With(sample)
	}
	if err != nil {
		return nil, err
	}
	return window, nil
}

func readHistory(data map[string]string) (map[string][]model.Scaling, error) {
	root, err := document(data, HistoryKey)
	if err != nil {
		return nil, err
	}
	history := map[string][]model.Scaling{}
	for vertex, scalings := range root.entries(&err) {
		id := vertexKey(vertex, &err)
		history[id] = nil
		for at, content := range scalings.entries(&err) {
			s := scalingOf(content, &err)
			s.Time = instantKey(at, &err)
			history[id] = append(history[id], s)
		}
		sortByTime(history[id], func(s model.Scaling) int64 { return s.Time.UnixNano() })
	}
	if err != nil {
		return nil, err
	}
	return history, nil
}

func scalingOf(content node, err *error) model.Scaling {
	s := model.Scaling{Metrics: model.Evaluation{}}
	for field, value := range content.entries(err) {
		switch field {
		case "currentParallelism":
			s.Current = value.int(err)
		case "newParallelism":
			s.New = value.int(err)
		case "metrics":
			for name, both := range value.entries(err) {
				s.Metrics[metricKey(name, err)] = evaluatedOf(both, err)
			}
		default:
			fail(err, "unknown field %q", field)
		}
	}
	return s
}

func evaluatedOf(content node, err *error) model.Evaluated {
	e := model.Evaluated{Current: model.NaN, Average: model.NaN}
	for field, value := range content.entries(err) {
		number, known := value.number(err)
		if !known {
			number = 0 // what Java leaves in a field of its own
		}
		switch field {
		case "current":
			e.Current = number
		case "average":
			e.Average = number
		default:
			fail(err, "unknown field %q", field)
		}
	}
	return e
}

func readRestarts(data map[string]string) ([]model.Restart, error) {
	root, err := document(data, RestartsKey)
	if err != nil {
		return nil, err
	}
	var restarts []model.Restart
	for field, records := range root.entries(&err) {
		if field != "scalingRecords" {
			fail(&err, "unknown field %q", field)
			continue
		}
		for at, content := range records.entries(&err) {
			r := model.Restart{Time: instantKey(at, &err)}
			for name, value := range content.entries(&err) {
				if name != "restartDuration" {
					fail(&err, "unknown field %q", name)
					continue
				}
				r.Duration, r.Known = value.duration(&err)
			}
			restarts = append(restarts, r)
		}
	}
	if err != nil {
		return nil, err
	}
	sortByTime(restarts, func(r model.Restart) int64 { return r.Time.UnixNano() })
	return restarts, nil
}

func readDelayed(data map[string]string) (map[string]model.DelayedScaleDown, error) {
	root, err := document(data, DelayedKey)
	if err != nil {
		return nil, err
	}
	delayed := map[string]model.DelayedScaleDown{}
	for field, vertices := range root.entries(&err) {
		if field != "delayedVertices" {
			continue // Java passes over it
		}
		for vertex, content := range vertices.entries(&err) {
			delayed[vertexKey(vertex, &err)] = delayedOf(content, &err)
		}
	}
	if err != nil {
		return nil, err
	}
	return delayed, nil
}

func delayedOf(content node, err *error) model.DelayedScaleDown {
	var d model.DelayedScaleDown
	for field, value := range content.entries(err) {
		switch field {
		case "firstTriggerTime":
			d.FirstTrigger = value.instant(err)
		case "recommendedParallelisms":
			for _, item := range value.list(err) {
				d.Recommendations = append(d.Recommendations, recommendationOf(item, err))
			}
		default:
			fail(err, "unknown field %q", field)
		}
	}
	return d
}

func recommendationOf(content node, err *error) model.Recommendation {
	var r model.Recommendation
	for field, value := range content.entries(err) {
		switch field {
		case "triggerTime":
			r.Time = value.instant(err)
		case "parallelism":
			r.Parallelism = value.int(err)
		case "outsideUtilizationBound":
			r.Outside = value.bool(err)
		default:
			fail(err, "unknown field %q", field)
		}
	}
	return r
}
