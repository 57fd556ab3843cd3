package load

import (
	"fmt"
	"strings"
)

// Change is a time at which the job came to work with another number of subtasks, or more or less came in.
type Change struct {
	// Point is the first one with it.
	Point
	// Before is the one before; the zero value: there is none.
	Before Point
}

// Changes are those of a run, in their order. While the job is being rescaled it works with none: that is none.
func Changes(points []Point) []Change {
	var all []Change
	var last Point
	for _, p := range points {
		if p.Work == 0 {
			continue
		}
		if last.Work != p.Work || last.Rate != p.Rate {
			all = append(all, Change{Point: p, Before: last})
		}
		last = p
	}
	return all
}

// Table is a run for people, a line for each change.
func Table(points []Point) string {
	var out strings.Builder
	fmt.Fprintln(&out, "| after | records come in each second | subtasks work | records wait |")
	fmt.Fprintln(&out, "|---|---|---|---|")
	for _, c := range Changes(points) {
		waiting := "not known"
		if c.Waiting >= 0 {
			waiting = fmt.Sprint(c.Waiting)
		}
		fmt.Fprintf(&out, "| %.0f s | %d | %d | %s |\n", c.At.Seconds(), c.Rate, c.Work, waiting)
	}
	return out.String()
}

const (
	width, height    = 720, 150
	left, top, below = 56, 22, 20
)

// Plot is a run as SVG: how much comes in, with how many subtasks the job works, and how much waits, over time.
func Plot(points []Point) string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" `+
		"font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", width, 3*height)
	for i, panel := range []struct {
		title string
		value func(Point) int
	}{
		{"records that come in each second", func(p Point) int { return p.Rate }},
		{"subtasks that work", func(p Point) int { return p.Work }},
		{"records that wait", func(p Point) int { return max(0, p.Waiting) }},
	} {
		fmt.Fprintf(&out, "<g transform=\"translate(0,%d)\">\n", i*height)
		draw(&out, panel.title, points, panel.value)
		fmt.Fprintln(&out, "</g>")
	}
	fmt.Fprintln(&out, "</svg>")
	return out.String()
}

func draw(out *strings.Builder, title string, points []Point, value func(Point) int) {
	most, end := 1, 1.0
	for _, p := range points {
		most, end = max(most, value(p)), max(end, p.At.Seconds())
	}
	high, wide := float64(height-top-below), float64(width-left-16)
	fmt.Fprintf(out, "<text x=\"%d\" y=\"14\">%s</text>\n", left, title)
	fmt.Fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%.0f\" fill=\"none\" stroke=\"#999\"/>\n",
		left, top, wide, high)
	fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>\n", left-4, top+8, most)
	fmt.Fprintf(out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">0</text>\n", left-4, top+high)
	fmt.Fprintf(out, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"end\">%.0f s</text>\n", left+wide, height-6, end)
	var path []string
	for i, p := range points {
		x, y := left+wide*p.At.Seconds()/end, top+high*(1-float64(value(p))/float64(most))
		if i > 0 { // a step: it was as before until now
			path = append(path, fmt.Sprintf("%.1f,%.1f", x, top+high*(1-float64(value(points[i-1]))/float64(most))))
		}
		path = append(path, fmt.Sprintf("%.1f,%.1f", x, y))
	}
	fmt.Fprintf(out, "<polyline points=\"%s\" fill=\"none\" stroke=\"#247\" stroke-width=\"1.5\"/>\n", strings.Join(path, " "))
}
