package autoscaler_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// fullSet names a folder with all recorded cases; testdata has a part of them, which is always run.
const fullSet = "AUTOSCALER_RECORDINGS"

// number is a JSON number, or one of the words of Java for a value that JSON has no number for.
type number float64

func (n *number) UnmarshalJSON(content []byte) error {
	switch text := strings.Trim(string(content), `"`); text {
	case "NaN":
		*n = number(math.NaN())
	case "Infinity":
		*n = number(math.Inf(1))
	case "-Infinity":
		*n = number(math.Inf(-1))
	default:
		return json.Unmarshal(content, (*float64)(n))
	}
	return nil
}

// recorded is one case: what the Java implementation was given, and what it did.
type recorded[I, O any] struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Input  I      `json:"input"`
	Output O      `json:"output"`
}

// replay runs every case of a file of the recordings, as a subtest each: those of testdata, and those of the full set
// where the environment names one.
func replay[I, O any](t *testing.T, file string, run func(*check, recorded[I, O])) {
	t.Helper()
	folders := []string{"testdata"}
	if full := os.Getenv(fullSet); full != "" {
		folders = append(folders, full)
	}
	for _, folder := range folders {
		count := 0
		for _, line := range lines(t, filepath.Join(folder, file+".jsonl")) {
			var c recorded[I, O]
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			count++
			t.Run(c.ID, func(t *testing.T) {
				judge(t, c.ID, c.Name, checked(func(k *check) { run(k, c) }))
			})
		}
		if count == 0 {
			t.Errorf("%s has no cases of %s", folder, file)
		}
		t.Logf("%d cases of %s in %s", count, file, folder)
	}
}

// check collects how a case differs from what was recorded.
type check struct{ found []string }

// stop ends a case that cannot go on.
type stop struct{}

func (k *check) errorf(format string, args ...any) {
	k.found = append(k.found, fmt.Sprintf(format, args...))
}

func (k *check) fatalf(format string, args ...any) {
	k.errorf(format, args...)
	panic(stop{})
}

// checked runs a case to its end, or to where it cannot go on.
func checked(run func(*check)) (found []string) {
	k := &check{}
	defer func() {
		found = k.found
		if caught := recover(); caught != nil && caught != (stop{}) {
			panic(caught)
		}
	}()
	run(k)
	return k.found
}

// judge fails a case that differs and is not listed, and one that is listed and does not.
func judge(t *testing.T, id, name string, found []string) {
	t.Helper()
	rule, others := differs(id, found)
	if rule != "" && len(found) == 0 {
		t.Errorf("%s is listed as different (%s) and is equal: take it out", id, rule)
	}
	if len(others) > 0 {
		t.Errorf("%s %s\n%s", id, name, strings.Join(others, "\n"))
	}
}

// lines reads a file, or its compressed form.
func lines(t *testing.T, path string) [][]byte {
	t.Helper()
	var content io.Reader
	file, err := os.Open(path)
	if err != nil {
		file, err = os.Open(path + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		if content, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	} else {
		content = file
	}
	defer func() { _ = file.Close() }()
	var found [][]byte
	scanner := bufio.NewScanner(content)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		found = append(found, append([]byte(nil), scanner.Bytes()...))
	}
	if scanner.Err() != nil {
		t.Fatal(scanner.Err())
	}
	return found
}

// same compares what was recorded with what came out. NaN equals NaN, and an empty map or list equals none.
func same(k *check, what string, want, got any) {
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
		k.errorf("%s (-recorded +ours):\n%s", what, diff)
	}
}

// failure is an exception of the Java implementation. Only that there was one is compared.
type failure struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

func (f *failure) compare(k *check, err error) (failed bool) {
	switch {
	case f == nil && err != nil:
		k.fatalf("error %v, none was recorded", err)
	case f != nil && err == nil:
		k.fatalf("no error, recorded is %s: %s", f.Class, f.Message)
	}
	return f != nil
}

type evaluated struct {
	Current number `json:"current"`
	Average number `json:"average"`
}

type evaluation map[model.Metric]*evaluated

func (e evaluation) model() model.Evaluation {
	if e == nil {
		return nil
	}
	m := model.Evaluation{}
	for name, value := range e {
		if value != nil {
			m[name] = model.Evaluated{Current: float64(value.Current), Average: float64(value.Average)}
		}
	}
	return m
}

func evaluations(of map[string]evaluation) map[string]model.Evaluation {
	m := map[string]model.Evaluation{}
	for vertex, e := range of {
		m[vertex] = e.model()
	}
	return m
}

type metrics map[model.Metric]*number

func (m metrics) model() model.Metrics {
	if m == nil {
		return nil
	}
	values := model.Metrics{}
	for name, value := range m {
		if value != nil {
			values[name] = float64(*value)
		}
	}
	return values
}

type sample struct {
	Timestamp     time.Time          `json:"timestamp"`
	VertexMetrics map[string]metrics `json:"vertexMetrics"`
	GlobalMetrics metrics            `json:"globalMetrics"`
}

func (s sample) model() model.Sample {
	m := model.Sample{Time: s.Timestamp, Vertices: map[string]model.Metrics{}, Global: s.GlobalMetrics.model()}
	for vertex, values := range s.VertexMetrics {
		m.Vertices[vertex] = values.model()
	}
	return m
}

func window(samples []sample) model.Window {
	var w model.Window
	for _, s := range samples {
		w = append(w, s.model())
	}
	return w
}

type vertex struct {
	ID                  string            `json:"id"`
	Parallelism         int               `json:"parallelism"`
	MaxParallelism      int               `json:"maxParallelism"`
	NumSourcePartitions int               `json:"numSourcePartitions"`
	SlotSharingGroupID  string            `json:"slotSharingGroupId"`
	Finished            bool              `json:"finished"`
	Inputs              map[string]string `json:"inputs"`
}

type topology struct {
	Vertices []vertex `json:"vertices"`
}

func (v vertex) model() model.Vertex {
	m := model.Vertex{
		ID: v.ID, Parallelism: v.Parallelism, MaxParallelism: v.MaxParallelism, SourcePartitions: v.NumSourcePartitions,
		SlotSharingGroup: v.SlotSharingGroupID, Finished: v.Finished,
	}
	for _, from := range sorted(v.Inputs) {
		m.Inputs = append(m.Inputs, model.Edge{Vertex: from, Ship: model.ParseShipStrategy(v.Inputs[from])})
	}
	return m
}

func (t topology) model() model.Topology {
	var vertices []model.Vertex
	for _, v := range t.Vertices {
		vertices = append(vertices, v.model())
	}
	return model.MakeTopology(vertices)
}

type scaling struct {
	Timestamp          time.Time  `json:"timestamp"`
	CurrentParallelism int        `json:"currentParallelism"`
	NewParallelism     int        `json:"newParallelism"`
	Metrics            evaluation `json:"metrics"`
}

func scalings(of []scaling) []model.Scaling {
	var list []model.Scaling
	for _, s := range of {
		list = append(list, model.Scaling{
			Time: s.Timestamp, Current: s.CurrentParallelism, New: s.NewParallelism, Metrics: s.Metrics.model(),
		})
	}
	return list
}

func history(of map[string][]scaling) map[string][]model.Scaling {
	m := map[string][]model.Scaling{}
	for vertex, list := range of {
		m[vertex] = scalings(list)
	}
	return m
}

type restart struct {
	Timestamp             time.Time `json:"timestamp"`
	RestartDurationMillis *int64    `json:"restartDurationMillis"`
}

func restarts(of []restart) []model.Restart {
	var list []model.Restart
	for _, r := range of {
		m := model.Restart{Time: r.Timestamp}
		if r.RestartDurationMillis != nil {
			m.Known, m.Duration = true, time.Duration(*r.RestartDurationMillis)*time.Millisecond
		}
		list = append(list, m)
	}
	return list
}

type delayedScaleDown map[string]struct {
	FirstTriggerTime        time.Time `json:"firstTriggerTime"`
	RecommendedParallelisms []struct {
		TriggerTime             time.Time `json:"triggerTime"`
		Parallelism             int       `json:"parallelism"`
		OutsideUtilizationBound bool      `json:"outsideUtilizationBound"`
	} `json:"recommendedParallelisms"`
}

func (d delayedScaleDown) model() map[string]model.DelayedScaleDown {
	m := map[string]model.DelayedScaleDown{}
	for vertex, delayed := range d {
		one := model.DelayedScaleDown{FirstTrigger: delayed.FirstTriggerTime}
		for _, r := range delayed.RecommendedParallelisms {
			one.Recommendations = append(one.Recommendations, model.Recommendation{
				Time: r.TriggerTime, Parallelism: r.Parallelism, Outside: r.OutsideUtilizationBound,
			})
		}
		m[vertex] = one
	}
	return m
}

type event struct {
	Type           string            `json:"type"`
	Reason         string            `json:"reason"`
	Message        string            `json:"message"`
	MessageKey     *string           `json:"messageKey"`
	IntervalMillis *int64            `json:"intervalMillis"`
	Labels         map[string]string `json:"labels"`
}

// sameEvents compares events without their order, nor that of the entries and lines in their messages: the Java
// implementation lists them in hash order.
func sameEvents(k *check, want []event, got []model.Event) {
	plain := map[string]int{}
	for _, e := range want {
		m := model.Event{Type: model.EventType(e.Type), Reason: e.Reason, Message: e.Message, Labels: e.Labels}
		if e.MessageKey != nil {
			m.Key = *e.MessageKey
		}
		if e.IntervalMillis != nil {
			m.Suppressed, m.Interval = true, time.Duration(*e.IntervalMillis)*time.Millisecond
		}
		plain[eventText(m)]++
	}
	ours := map[string]int{}
	for _, e := range got {
		ours[eventText(e)]++
	}
	same(k, "events", plain, ours)
}

func eventText(e model.Event) string {
	if e.Reason == model.ReasonError {
		e.Message = "" // the text of an exception is Java's
	}
	return fmt.Sprintf("%s %s key=%q %t %s %v\n%s", e.Type, e.Reason, e.Key, e.Suppressed, e.Interval, e.Labels,
		unordered(e.Message))
}

// unordered sorts what Java lists in hash order.
func unordered(message string) string {
	head, entries, found := strings.Cut(message, "{")
	if found {
		parts := strings.Split("{"+entries, "}")
		return head + strings.Join(sortedList(parts), "}")
	}
	const removals = "Remove the following config entries if present: ["
	before, after, found := strings.Cut(message, removals)
	if !found {
		return message
	}
	gone := sortedList(strings.Split(strings.TrimSuffix(after, "]"), ", "))
	return strings.Join(sortedList(strings.Split(before, "\n")), "\n") + removals + strings.Join(gone, ", ")
}

func decoded[T any](k *check, content []byte) T {
	var value T
	if err := json.Unmarshal(content, &value); err != nil {
		k.fatalf("%v", err)
	}
	return value
}
