package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Series is one line.
type Series struct {
	// Name stands in the legend.
	Name string
	// Values are one for each time; NaN and infinity are a gap.
	Values []float64
}

// Chart is lines over time. The zero value draws nothing.
type Chart struct {
	// ID is unique on its page.
	ID string
	// Title and Description say what is drawn.
	Title, Description string
	// Unit stands at the axis.
	Unit string
	// Times are those of the values, the oldest first.
	Times []time.Time
	// Lines are at most four that can be told apart.
	Lines []Series
	// Steps is whether a value holds until the next one.
	Steps bool
}

// Sizes of the picture, in its own units.
const (
	width, height           = 640, 220
	left, right, top, below = 70, 20, 20, 60
)

// escaped makes a text one of XML.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// dashes tell lines apart without a colour.
var dashes = []string{"", "7 4", "2 3", "10 3 2 3"}

// SVG is the picture; empty where there are not two times, or no value.
func (c Chart) SVG() string {
	most := c.most()
	if len(c.Times) < 2 || most < 0 {
		return ""
	}
	most = max(most, 1)
	var out strings.Builder
	text := escaped.Replace
	fmt.Fprintf(&out, `<svg class="plot" viewBox="0 0 %d %d" role="img" aria-labelledby="%s-t %[3]s-d">`, width, height,
		text(c.ID))
	fmt.Fprintf(&out, `<title id="%s-t">%s</title><desc id="%[1]s-d">%[3]s</desc>`, text(c.ID), text(c.Title),
		text(c.Description))
	for _, share := range []float64{0, 0.5, 1} {
		y := height - below - share*(height-below-top)
		fmt.Fprintf(&out, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, left, width-right, y, y)
		fmt.Fprintf(&out, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`, left-8, y+4, figure(share*most))
	}
	fmt.Fprintf(&out, `<text x="%d" y="%d">%s</text>`, 4, 12, text(c.Unit))
	first, last := c.Times[0].UTC(), c.Times[len(c.Times)-1].UTC()
	fmt.Fprintf(&out, `<text x="%d" y="%d">%s</text>`, left, height-below+18, first.Format(time.DateTime))
	fmt.Fprintf(&out, `<text x="%d" y="%d" text-anchor="end">%s UTC</text>`, width-right, height-below+18,
		last.Format(time.DateTime))
	for i, s := range c.Lines {
		fmt.Fprintf(&out, `<path class="line line-%d" d="%s" fill="none" stroke-dasharray="%s"/>`, i%len(dashes),
			c.path(s, most), dashes[i%len(dashes)])
		x := left + i*(width-left-right)/max(len(c.Lines), 1)
		fmt.Fprintf(&out, `<line class="line line-%d" x1="%d" x2="%d" y1="%d" y2="%[4]d" stroke-dasharray="%[5]s"/>`,
			i%len(dashes), x, x+24, height-16, dashes[i%len(dashes)])
		fmt.Fprintf(&out, `<text x="%d" y="%d">%s</text>`, x+30, height-12, text(s.Name))
	}
	out.WriteString(`</svg>`)
	return out.String()
}

// most is the largest value; below 0 where there is none.
func (c Chart) most() float64 {
	most := -1.0
	for _, s := range c.Lines {
		for _, v := range s.Values {
			if isDrawn(v) {
				most = max(most, v)
			}
		}
	}
	return most
}

func isDrawn(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) && v >= 0 }

// path is a line, which a gap interrupts.
func (c Chart) path(s Series, most float64) string {
	var out strings.Builder
	from, span := c.Times[0], max(c.Times[len(c.Times)-1].Sub(c.Times[0]), 1)
	drawn, before := false, ""
	for i, v := range s.Values[:min(len(s.Values), len(c.Times))] {
		if !isDrawn(v) {
			drawn = false
			continue
		}
		x := number(left + float64(c.Times[i].Sub(from))/float64(span)*(width-left-right))
		y := number(height - below - v/most*(height-below-top))
		switch {
		case !drawn:
			out.WriteString("M" + x + " " + y)
		case c.Steps:
			out.WriteString("L" + x + " " + before + "L" + x + " " + y)
		default:
			out.WriteString("L" + x + " " + y)
		}
		drawn, before = true, y
	}
	return out.String()
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// figure is a number of an axis in few digits.
func figure(v float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.of {
			return strconv.FormatFloat(v/unit.of, 'g', 3, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
