package plot

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"
)

// at are some times.
func at(n int) (times []time.Time) {
	for i := range n {
		times = append(times, time.Date(2026, 1, 1, 12, i, 0, 0, time.UTC))
	}
	return times
}

func TestAChartIsWellFormedAndSaysWhatItDraws(t *testing.T) {
	text := Chart{
		ID: "c", Title: "<script>alert(1)</script>", Description: `"quoted" & more`, Unit: "records/s", Times: at(3),
		Lines: []Series{{"in", []float64{100, 2000, math.NaN()}}, {"<can>", []float64{50, math.Inf(1), 1500}}},
	}.SVG()
	in := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := in.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
	for _, want := range []string{
		"&lt;script&gt;", "&#34;quoted&#34; &amp; more", "records/s", ">2k<", ">0<", "&lt;can&gt;", "2026-01-01 12:02:00 UTC",
		`role="img" aria-labelledby="c-t c-d"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "style=") ||
		strings.Contains(text, "%!") {
		t.Error(text)
	}
}

func TestAGapInterruptsALine(t *testing.T) {
	c := Chart{Times: at(4), Steps: true}
	path := c.path(Series{"", []float64{1, 2, math.NaN(), 2}}, 2)
	if strings.Count(path, "M") != 2 || strings.Count(path, "L") != 2 {
		t.Errorf("path %s", path)
	}
}

func TestNothingIsDrawnOfNothing(t *testing.T) {
	for name, c := range map[string]Chart{
		"no times":  {Lines: []Series{{"a", []float64{1}}}},
		"one time":  {Times: at(1), Lines: []Series{{"a", []float64{1}}}},
		"no values": {Times: at(2), Lines: []Series{{"a", []float64{math.NaN(), math.NaN()}}}},
		"no lines":  {Times: at(2)},
	} {
		if text := c.SVG(); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
}
