package fleet

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// figure is a row of the table, and a curve of the plot.
type figure struct {
	name string
	// of is the value of a part; false: there is none.
	of func(r Result, p Part) (float64, bool)
	// format prints it.
	format string
	// aim is what issue and docs/internals/scale.md ask of 10,000 resources; 0: nothing.
	aim float64
}

// observes is what the function that looks uses: its pods alone are there all the time.
const observes = "observe"

func perMinute(n float64, p Part) (float64, bool) {
	return n / p.Took.Minutes(), p.Took > 0
}

var figures = []figure{
	{name: "longest time between two looks, s", format: "%.0f", aim: 75,
		of: func(_ Result, p Part) (float64, bool) { return p.Longest.For.Seconds(), true }},
	{name: "for longer than the aim, resources", format: "%.0f",
		of: func(_ Result, p Part) (float64, bool) { return float64(p.Over), true }},
	{name: "observe, RSS of a pod, MB", format: "%.0f", aim: 200,
		of: func(_ Result, p Part) (float64, bool) { return float64(p.Usage[observes].RSS) / 1e6, true }},
	{name: "observe, pods in all", format: "%.0f",
		of: func(_ Result, p Part) (float64, bool) { return float64(p.Usage[observes].Pods), true }},
	{name: "CPU of all functions, s a minute", format: "%.1f", aim: 20,
		of: func(_ Result, p Part) (float64, bool) {
			sum := time.Duration(0)
			for _, u := range p.Usage {
				sum += u.CPU
			}
			return perMinute(sum.Seconds(), p)
		}},
	{name: "API requests a minute", format: "%.0f", aim: 300,
		of: func(_ Result, p Part) (float64, bool) { return perMinute(float64(p.API.All), p) }},
	{name: "API answers, MB a minute", format: "%.1f",
		of: func(_ Result, p Part) (float64, bool) { return perMinute(float64(p.API.Bytes)/1e6, p) }},
	{name: "API writes", format: "%.0f",
		of: func(_ Result, p Part) (float64, bool) { return float64(p.API.Writes), true }},
	{name: "Flink requests per job and minute", format: "%.2f", aim: 2,
		of: func(r Result, p Part) (float64, bool) {
			if r.Counts.Jobs() == 0 {
				return 0, false
			}
			return perMinute(float64(p.Flink)/float64(r.Counts.Jobs()), p)
		}},
}

// Table is what runs found, beside each other.
func Table(results []Result) string {
	var out strings.Builder
	row := func(name string, cell func(Result) string) {
		fmt.Fprintf(&out, "%-36s", name)
		for _, r := range results {
			fmt.Fprintf(&out, "%9s", cell(r))
		}
		fmt.Fprintln(&out)
	}
	row("resources", func(r Result) string { return thousands(r.N) })
	row("written in, s", func(r Result) string { return fmt.Sprintf("%.0f", r.Stocked.Seconds()) })
	row("an edit beside it, s", func(r Result) string { return orNone(r.Edit.Seconds(), r.Edit > 0, "%.2f") })
	for _, fault := range partsOf(results) {
		fmt.Fprintf(&out, "\n%s\n", firstOf(fault, "healthy"))
		for _, f := range figures {
			row("  "+f.name, func(r Result) string {
				p, there := r.part(fault)
				if !there {
					return "-"
				}
				value, there := f.of(r, p)
				return orNone(value, there, f.format)
			})
		}
	}
	return out.String()
}

// part is that of a fault.
func (r Result) part(fault string) (Part, bool) {
	for _, p := range r.Parts {
		if p.Fault == fault {
			return p, true
		}
	}
	return Part{}, false
}

// partsOf are the faults of all results, in their order.
func partsOf(results []Result) (all []string) {
	for _, r := range results {
		for _, p := range r.Parts {
			if !slices.Contains(all, p.Fault) {
				all = append(all, p.Fault)
			}
		}
	}
	return all
}

// Notes are what the parts say of themselves.
func Notes(results []Result) string {
	var out strings.Builder
	for _, r := range results {
		for _, p := range r.Parts {
			where := fmt.Sprintf("%s, %s: ", thousands(r.N), firstOf(p.Fault, "healthy"))
			if p.Note != "" {
				fmt.Fprintln(&out, where+p.Note)
			}
			if p.Over > 0 {
				fmt.Fprintf(&out, "%slongest without a look: %s, %.0f s\n", where, p.Longest.Resource, p.Longest.For.Seconds())
			}
		}
	}
	return out.String()
}

func orNone(value float64, there bool, format string) string {
	if !there {
		return "-"
	}
	return fmt.Sprintf(format, value)
}

// thousands has commas.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
