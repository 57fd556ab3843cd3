//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// figure is one line of the report.
type figure struct {
	name, value, aim string
	// missed says that the value is not what is aimed at.
	missed bool
}

// report collects figures while the tests run, and is printed at the end.
type report struct {
	mu      sync.Mutex
	figures []figure
}

func (r *report) add(f figure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.figures = append(r.figures, f)
}

// duration adds the median of some measurements beside its aim; an aim of zero is only a print.
func (r *report) duration(name string, aim time.Duration, values ...time.Duration) {
	if len(values) == 0 {
		return
	}
	middle := median(values)
	f := figure{name: name, value: seconds(middle), missed: aim > 0 && middle > aim}
	if len(values) > 1 {
		f.value += fmt.Sprintf("  (%d, %s to %s)", len(values), seconds(slices.Min(values)), seconds(slices.Max(values)))
	}
	if aim > 0 {
		f.aim = "≤ " + seconds(aim)
	}
	r.add(f)
}

// count adds a number beside its largest wanted value; a negative one is only a print.
func (r *report) count(name string, value float64, aim float64, unit string) {
	f := figure{
		name: name, value: strings.TrimSpace(fmt.Sprintf("%.4g %s", value, unit)), missed: aim >= 0 && value > aim,
	}
	if aim >= 0 {
		f.aim = strings.TrimSpace(fmt.Sprintf("≤ %.4g %s", aim, unit))
	}
	r.add(f)
}

// print writes the table to the standard output and to .e2e/report.txt.
func (r *report) print() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.figures) == 0 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-68s %-34s %s\n", "figure", "median (number, range)", "aim")
	for _, f := range r.figures {
		note := ""
		if f.missed {
			note = "   MISSED"
		}
		fmt.Fprintf(&b, "%-68s %-34s %s%s\n", f.name, f.value, f.aim, note)
	}
	fmt.Print(b.String())
	file := filepath.Join("..", "..", ".e2e", "report.txt")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		err = os.WriteFile(file, []byte(b.String()), 0o644)
		if err != nil {
			fmt.Println("the report could not be kept:", err)
		}
	}
}

func median(values []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
