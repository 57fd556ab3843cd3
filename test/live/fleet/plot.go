package fleet

import (
	"fmt"
	"math"
	"strings"
)

// plotted are the rows of the table that the plot shows.
var plotted = []int{0, 2, 4, 5, 8}

const (
	panelWidth, panelHeight = 300, 200
	margin                  = 48
)

// Plot is an SVG with a panel for each of the main figures of the healthy parts, over the number of resources, both on
// a logarithmic scale. A dashed line is the aim.
func Plot(results []Result) string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+
		"\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", len(plotted)*panelWidth, panelHeight+margin)
	for i, row := range plotted {
		fmt.Fprintf(&out, "<g transform=\"translate(%d,24)\">\n", i*panelWidth)
		panel(&out, figures[row], results)
		fmt.Fprintln(&out, "</g>")
	}
	fmt.Fprintln(&out, "</svg>")
	return out.String()
}

// point is one of a curve.
type point struct{ n, value float64 }

func panel(out *strings.Builder, f figure, results []Result) {
	var points []point
	for _, r := range results {
		if p, there := r.part(""); there && r.N > 0 {
			if value, there := f.of(r, p); there && value > 0 {
				points = append(points, point{float64(r.N), value})
			}
		}
	}
	fmt.Fprintf(out, "<text x=\"%d\" y=\"-8\">%s</text>\n", margin, f.name)
	if len(points) == 0 {
		return
	}
	x, y := scales(points, f.aim)
	fmt.Fprintf(out, "<rect x=\"%d\" y=\"0\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n", margin,
		panelWidth-margin-16, panelHeight-margin)
	if f.aim > 0 {
		fmt.Fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#b33\" stroke-dasharray=\"4 3\"/>\n",
			margin, panelWidth-16, y(f.aim), y(f.aim))
		fmt.Fprintf(out, "<text x=\"4\" y=\"%.1f\" fill=\"#b33\">%g</text>\n", y(f.aim)+4, f.aim)
	}
	var path []string
	for _, p := range points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", x(p.n), y(p.value)))
		fmt.Fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#247\"/>\n", x(p.n), y(p.value))
		fmt.Fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", x(p.n), y(p.value)-6,
			fmt.Sprintf(f.format, p.value))
		fmt.Fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x(p.n), panelHeight-margin+14,
			thousands(int(p.n)))
	}
	fmt.Fprintf(out, "<polyline points=\"%s\" fill=\"none\" stroke=\"#247\"/>\n", strings.Join(path, " "))
}

// scales lead from values to places in a panel.
func scales(points []point, aim float64) (x, y func(float64) float64) {
	lowX, highX := points[0].n, points[0].n
	lowY, highY := points[0].value, points[0].value
	for _, p := range points {
		lowX, highX = min(lowX, p.n), max(highX, p.n)
		lowY, highY = min(lowY, p.value), max(highY, p.value)
	}
	if aim > 0 {
		lowY, highY = min(lowY, aim), max(highY, aim)
	}
	return logarithmic(lowX/1.5, highX*1.5, margin, panelWidth-16),
		logarithmic(lowY/1.5, highY*1.5, panelHeight-margin, 0)
}

// logarithmic leads from low and high to from and to.
func logarithmic(low, high, from, to float64) func(float64) float64 {
	return func(v float64) float64 {
		return from + (to-from)*(math.Log(v)-math.Log(low))/(math.Log(high)-math.Log(low))
	}
}
