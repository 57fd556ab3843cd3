package screen

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is the terminal's, in characters.
type Size struct {
	// Width and Height; zero or less: 80 by 24.
	Width, Height int
}

func (s Size) orUsual() Size {
	if s.Width <= 0 {
		s.Width = 80
	}
	if s.Height <= 0 {
		s.Height = 24
	}
	return s
}

// Lines is the screen. The title is its first line. When the height is not enough, the events go first, then the pods
// that run as they should, and what is left is cut.
func Lines(title string, state State, size Size) []string {
	size = size.orUsual()
	sections := [][]string{
		{title}, resources(state), functions(state), pods(state.Pods), events(state.Events), trouble(state),
	}
	for count(sections) > size.Height && len(sections[4]) > 0 {
		sections[4] = shorter(sections[4])
	}
	if count(sections) > size.Height {
		sections[3] = pods(troubled(state.Pods))
	}
	var all []string
	for _, section := range sections {
		if len(section) == 0 {
			continue
		}
		if len(all) > 0 {
			all = append(all, "")
		}
		all = append(all, section...)
	}
	if len(all) > size.Height {
		all = append(all[:size.Height-1], "(more: make the terminal higher)")
	}
	for i := range all {
		all[i] = cut(all[i], size.Width)
	}
	return all
}

// count is how many lines the sections take, with a blank one between them.
func count(sections [][]string) int {
	lines := -1
	for _, section := range sections {
		if len(section) > 0 {
			lines += 1 + len(section)
		}
	}
	return lines
}

// shorter takes away the oldest event; a heading alone is nothing.
func shorter(section []string) []string {
	if len(section) <= 2 {
		return nil
	}
	return append([]string{section[0]}, section[2:]...)
}

func resources(state State) []string {
	rows := [][]string{{"RESOURCE", "LIFECYCLE", "JOB", "NOW"}}
	for _, r := range state.Resources {
		rows = append(rows, []string{r.title(), orDash(r.Lifecycle), orDash(r.Job), r.Now})
	}
	if len(rows) == 1 {
		return []string{"no Flink resources"}
	}
	return table(rows)
}

// title leaves out the kind that nearly all have.
func (r Resource) title() string {
	if r.Kind == "FlinkDeployment" {
		return r.Name
	}
	return r.Kind + " " + r.Name
}

func functions(state State) []string {
	if len(state.Functions) == 0 {
		return nil
	}
	rows := [][]string{{"FUNCTION", "NOW", "PODS", "REQUESTS", "LAST"}}
	for _, f := range state.Functions {
		rows = append(
			rows, []string{f.Name, f.Doing(), strconv.Itoa(f.Pods), strconv.FormatInt(f.Requests, 10), orDash(f.Last)},
		)
	}
	return table(rows)
}

func pods(all []Pod) []string {
	if len(all) == 0 {
		return nil
	}
	rows := [][]string{{"POD", "STATUS", "READY", "RESTARTS", "WEB PAGE"}}
	for _, p := range all {
		rows = append(rows, []string{p.Name, p.Phase, p.ready(), strconv.Itoa(p.Restarts), orDash(p.Page)})
	}
	var lines []string
	for i, line := range table(rows) {
		lines = append(lines, line)
		if i == 0 {
			continue
		}
		for _, words := range all[i-1].CrashCause {
			lines = append(lines, "  | "+words)
		}
	}
	return lines
}

func (p Pod) ready() string { return fmt.Sprintf("%d/%d", p.Ready, p.Containers) }

// troubled are the pods that somebody should look at.
func troubled(all []Pod) []Pod {
	var some []Pod
	for _, p := range all {
		if p.Phase != "Running" || p.Ready < p.Containers || len(p.CrashCause) > 0 {
			some = append(some, p)
		}
	}
	return some
}

func events(all []string) []string {
	if len(all) == 0 {
		return nil
	}
	return append([]string{"EVENTS, as examples/listener gets them"}, all...)
}

func trouble(state State) []string {
	if state.Trouble == "" {
		return nil
	}
	return []string{"! " + state.Trouble}
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// table pads all columns but the last.
func table(rows [][]string) []string {
	widths := map[int]int{}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], length(cell))
		}
	}
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-length(cell)+2))
			}
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return lines
}

func length(text string) int { return len([]rune(text)) }

// cut ends a line that is too long by three dots, and makes what would move the cursor a space.
func cut(line string, width int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, line))
	if len(runes) <= width {
		return string(runes)
	}
	if width <= 3 {
		return string(runes[:width])
	}
	return string(runes[:width-3]) + "..."
}
