package console

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/plot"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// HasAutoscaler is whether the autoscaler is on for the job.
func (j Job) HasAutoscaler() bool {
	return slices.ContainsFunc(j.Conditions, func(c view.Condition) bool { return c.Type == summary.Autoscaling })
}

// Rates draws what comes in and what the sources can process.
func (j Job) Rates() template.HTML {
	c := plot.Chart{
		ID: "rates", Title: "Rates of the first source", Unit: "records/s",
		Description: "What comes in and what it can process, at the kept decisions. The table below has the figures.",
		Lines:       []plot.Series{{Name: "comes in"}, {Name: "can be processed"}},
	}
	for _, d := range j.Decisions {
		comes, can := math.NaN(), math.NaN()
		if len(d.Vertices) > 0 {
			comes, can = float64(d.Vertices[0].Seen.Target), float64(d.Vertices[0].Seen.Capacity)
		}
		c.Times = append(c.Times, d.Time)
		c.Lines[0].Values = append(c.Lines[0].Values, comes)
		c.Lines[1].Values = append(c.Lines[1].Values, can)
	}
	return template.HTML(c.SVG()) // it escapes each text
}

// Sizes draws the parallelism of the first four vertices.
func (j Job) Sizes() template.HTML {
	c := plot.Chart{
		ID: "sizes", Title: "Parallelism", Unit: "subtasks", Steps: true,
		Description: "The parallelism after each of the kept decisions. The table below has the figures.",
	}
	at := map[string]int{}
	for i, d := range j.Decisions {
		c.Times = append(c.Times, d.Time)
		for _, v := range d.Vertices {
			n, there := at[v.Vertex]
			if !there {
				if len(c.Lines) == 4 {
					continue
				}
				n = len(c.Lines)
				at[v.Vertex] = n
				c.Lines = append(c.Lines, plot.Series{Name: "vertex " + v.Vertex[:min(len(v.Vertex), 8)]})
			}
			for len(c.Lines[n].Values) < i {
				c.Lines[n].Values = append(c.Lines[n].Values, math.NaN())
			}
			c.Lines[n].Values = append(c.Lines[n].Values, float64(v.New))
		}
	}
	return template.HTML(c.SVG()) // it escapes each text
}

// figureOf is a figure of a table; "-" when it is not known.
func figureOf(v model.Rate) string {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return "-"
	}
	return strconv.FormatFloat(math.Round(float64(v)*100)/100, 'f', -1, 64)
}

// changeOf is the parallelism of a vertex in a decision, and what it became.
func changeOf(v autoscaler.VertexExplanation) string {
	if v.New == v.Current {
		return strconv.Itoa(v.Current)
	}
	return fmt.Sprintf("%d → %d", v.Current, v.New)
}

func newestDecisions(all []autoscaler.Explanation) []autoscaler.Explanation { return lastOf(all, 10) }
