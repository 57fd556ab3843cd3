package store

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Write gives the data of a store. What is nil in the state has no key.
func Write(s model.State) map[string]string {
	data := map[string]string{}
	if s.Samples != nil {
		data[SamplesKey] = compressed(samplesText(s.Samples))
	}
	if s.History != nil {
		data[HistoryKey] = compressed(historyText(s.History))
	}
	if s.Restarts != nil {
		data[RestartsKey] = compressed(restartsText(s.Restarts))
	}
	if s.Overrides != nil {
		data[ParallelismKey] = WriteParallelism(s.Overrides)
	}
	if s.Config != nil {
		data[ConfigKey] = configText(*s.Config)
	}
	if s.Delayed != nil {
		data[DelayedKey] = delayedText(s.Delayed)
	}
	return data
}

// printer prints YAML as Java's writer does.
type printer struct{ strings.Builder }

func (p *printer) line(indent int, parts ...string) {
	for range indent {
		p.WriteString("  ")
	}
	for _, part := range parts {
		p.WriteString(part)
	}
	p.WriteByte('\n')
}

// head begins a document. An empty one is a line.
func head(empty bool) *printer {
	p := &printer{}
	if empty {
		p.line(0, "--- {}")
	} else {
		p.line(0, "---")
	}
	return p
}

// metrics prints metrics below a key.
func (p *printer) metrics(indent int, key string, m model.Metrics) {
	if len(m) == 0 {
		p.line(indent, key, ": {}")
		return
	}
	p.line(indent, key, ":")
	for _, name := range model.InOrder() {
		if value, there := m[name]; there {
			p.line(indent+1, string(name), ": ", syntax.FormatFloat(value))
		}
	}
}

func samplesText(window model.Window) string {
	p := head(len(window) == 0)
	for _, s := range window {
		p.line(0, quoted(instantText(s.Time)), ":")
		if len(s.Vertices) == 0 {
			p.line(1, "vertexMetrics: {}")
		} else {
			p.line(1, "vertexMetrics:")
		}
		for _, vertex := range slices.Sorted(maps.Keys(s.Vertices)) {
			p.metrics(2, quoted(vertex), s.Vertices[vertex])
		}
		p.metrics(1, "globalMetrics", s.Global)
	}
	return p.String()
}

func historyText(history map[string][]model.Scaling) string {
	p := head(len(history) == 0)
	for _, vertex := range slices.Sorted(maps.Keys(history)) {
		if len(history[vertex]) == 0 {
			p.line(0, quoted(vertex), ": {}")
			continue
		}
		p.line(0, quoted(vertex), ":")
		for _, s := range history[vertex] {
			p.scaling(s)
		}
	}
	return p.String()
}

func (p *printer) scaling(s model.Scaling) {
	p.line(1, quoted(instantText(s.Time)), ":")
	p.line(2, "currentParallelism: ", strconv.Itoa(s.Current))
	p.line(2, "newParallelism: ", strconv.Itoa(s.New))
	if len(s.Metrics) == 0 {
		p.line(2, "metrics: {}")
		return
	}
	p.line(2, "metrics:")
	for _, name := range model.InOrder() {
		if value, there := s.Metrics[name]; there {
			p.line(3, string(name), ":")
			p.line(4, "current: ", syntax.FormatFloat(value.Current))
			p.line(4, "average: ", syntax.FormatFloat(value.Average))
		}
	}
}

func restartsText(restarts []model.Restart) string {
	p := head(false)
	if len(restarts) == 0 {
		p.line(0, "scalingRecords: {}")
		return p.String()
	}
	p.line(0, "scalingRecords:")
	for _, r := range restarts {
		if !r.Known {
			p.line(1, quoted(instantText(r.Time)), ": {}")
			continue
		}
		p.line(1, quoted(instantText(r.Time)), ":")
		p.line(2, "restartDuration: ", secondsText(int64(r.Duration/time.Second), int64(r.Duration%time.Second)))
	}
	return p.String()
}

func configText(c model.ConfigChanges) string {
	p := head(false)
	if len(c.Overrides) == 0 {
		p.line(0, "overrides: {}")
	} else {
		p.line(0, "overrides:")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Overrides)) {
		p.line(1, plainKey(name), ": ", quoted(c.Overrides[name]))
	}
	if len(c.Removals) == 0 {
		p.line(0, "removals: []")
		return p.String()
	}
	p.line(0, "removals:")
	for _, name := range c.Removals {
		p.line(0, "- ", quoted(name))
	}
	return p.String()
}

func delayedText(delayed map[string]model.DelayedScaleDown) string {
	p := head(false)
	if len(delayed) == 0 {
		p.line(0, "delayedVertices: {}")
		return p.String()
	}
	p.line(0, "delayedVertices:")
	for _, vertex := range slices.Sorted(maps.Keys(delayed)) {
		d := delayed[vertex]
		p.line(1, quoted(vertex), ":")
		p.line(2, "firstTriggerTime: ", timeText(d.FirstTrigger))
		if len(d.Recommendations) == 0 {
			p.line(2, "recommendedParallelisms: []")
			continue
		}
		p.line(2, "recommendedParallelisms:")
		for _, r := range d.Recommendations {
			p.line(2, "- triggerTime: ", timeText(r.Time))
			p.line(3, "parallelism: ", strconv.Itoa(r.Parallelism))
			p.line(3, "outsideUtilizationBound: ", strconv.FormatBool(r.Outside))
		}
	}
	return p.String()
}

// plainKey is the name of an option: in quotes, where a reader could take it for something else.
func plainKey(name string) string {
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '.' && c != '-' && c != '_' && (c < '0' || c > '9')) {
			return quoted(name)
		}
	}
	return name
}

// instantText is a time as Java prints one: in UTC, its fraction in groups of three digits.
func instantText(at time.Time) string {
	at = at.UTC()
	text := at.Format("2006-01-02T15:04:05")
	switch n := at.Nanosecond(); {
	case n == 0:
	case n%1_000_000 == 0:
		text += fmt.Sprintf(".%03d", n/1_000_000)
	case n%1_000 == 0:
		text += fmt.Sprintf(".%06d", n/1_000)
	default:
		text += fmt.Sprintf(".%09d", n)
	}
	return text + "Z"
}

func timeText(at time.Time) string { return secondsText(at.Unix(), int64(at.Nanosecond())) }

// secondsText are seconds with nine decimals; nothing at all is 0.0.
func secondsText(seconds, nanos int64) string {
	if seconds == 0 && nanos == 0 {
		return "0.0"
	}
	sign := ""
	if seconds < 0 || nanos < 0 {
		sign, seconds, nanos = "-", -seconds, -nanos
	}
	return fmt.Sprintf("%s%d.%09d", sign, seconds, nanos)
}

// quoted is a text in double quotes. Java's reader and ours understand the escapes of JSON in it.
func quoted(text string) string {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return strconv.QuoteToASCII(text)
		}
	}
	return `"` + text + `"`
}
