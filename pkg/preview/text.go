package preview

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// says are the headlines of the verdicts.
var says = map[Verdict]string{
	Nothing: "no restart: the operator acts on nothing in it", Start: "a first start",
	Upgrade: "what runs is stopped, and started with the new spec", Redeploy: "its own state is given up",
	Suspend: "the job is stopped, and its state is kept", Resume: "the suspended job is started",
	Recover: "what was lost is started again", Rollback: "back to the last stable spec",
	InPlace: "in place: nothing is stopped", Transition: "a side is made or changed",
	Waits: "the change is made later", Refused: "the operator would not act on it until you do something",
	Invalid: "the spec is not accepted: what runs is left alone",
}

// labelWidth is the width of the first column.
const labelWidth = 12

// Text is the view for a terminal.
func (v View) Text() string {
	var out strings.Builder
	word := strings.ToLower(string(v.Verdict))
	if v.Change != "" && v.Verdict != Invalid {
		word = v.Change
	}
	if v.Verdict == Waits || v.Verdict == Refused {
		word += ", " + strings.ToLower(string(v.Verdict))
	}
	fmt.Fprintf(&out, "%s  %s  (%s)\n", v.Resource.Name, word, says[v.Verdict])
	width := 0
	for _, f := range v.Fields {
		width = max(width, utf8.RuneCountInString(f.Path))
	}
	for _, f := range v.Fields {
		fmt.Fprintf(&out, "  %-*s  %s -> %s\n", width, f.Path, f.Old, f.New)
	}
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&out, "  %-*s%s\n", labelWidth, label, text)
		}
	}
	if v.Reason != "" || v.Message != "" {
		line("because", strings.TrimPrefix(v.Reason+": "+v.Message, ": "))
	}
	for _, s := range v.Steps {
		line(s.Label, s.Text)
	}
	line("size", v.sizes())
	for _, d := range v.DependsOn {
		line("depends on", d)
	}
	line("settings", v.Settings)
	for _, u := range v.Unreadable {
		line("not read", u)
	}
	return out.String()
}

// sizes are the figures in one line.
func (v View) sizes() string {
	var parts []string
	add := func(name string, f *Figures, unit func(string) string) {
		if f == nil {
			return
		}
		text := unit(f.After)
		if f.Before != "" && f.Before != f.After {
			text = unit(f.Before) + " -> " + text
		}
		parts = append(parts, name+" "+text)
	}
	plain := func(text string) string { return text }
	add("TaskManagers", v.TaskManagers, plain)
	add("CPU", v.CPU, plain)
	add("memory", v.Memory, gibibytes)
	return strings.Join(parts, ", ")
}

// gibibytes is a number of bytes in GiB.
func gibibytes(bytes string) string {
	n, err := strconv.ParseInt(bytes, 10, 64)
	if err != nil {
		return bytes
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
