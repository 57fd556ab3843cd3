package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Style says how a list is written.
type Style struct {
	// Now is the time of the reader.
	Now time.Time
	// Namespaces adds the column NAMESPACE, Wide the columns that few need.
	Namespaces, Wide bool
	// NoHeaders leaves the first line out.
	NoHeaders bool
	// Tree puts rows below the ones that they belong to.
	Tree bool
	// ASCII draws the tree without other characters.
	ASCII bool
	// Color colours the mark of what waits for a user red, of what moves yellow.
	Color bool
}

// nowWidth is how many characters the last column has unless the list is wide.
const nowWidth = 100

// List is a table of rows.
func List(rows []Row, style Style) string {
	header := []string{"NAME", "LIFECYCLE", "JOB", "SINCE"}
	if style.Namespaces {
		header = append([]string{"NAMESPACE"}, header...)
	}
	if style.Wide {
		header = append(header, "KIND", "JOBMANAGER", "FLINK", "PARALLELISM", "GENERATION", "UPGRADE MODE")
	}
	table := [][]string{append(header, "NOW")}
	branches := Tree(rows)
	if !style.Tree {
		branches = nil
		for _, r := range rows {
			branches = append(branches, Branch{Row: r})
		}
	}
	for _, b := range branches {
		table = append(table, b.cells(style))
	}
	if style.NoHeaders {
		table = table[1:]
	}
	return columns(table)
}

func (b Branch) cells(style Style) []string {
	cells := []string{drawn(b.Last, style.ASCII) + b.Name, dash(b.Lifecycle), dash(b.Job), ago(b.Since, style.Now)}
	if style.Namespaces {
		cells = append([]string{b.Namespace}, cells...)
	}
	now := b.Now
	if w := b.Wait; w != nil && b.Need == NeedTime && !strings.Contains(now, w.Until.Format(time.RFC3339)) {
		now = fmt.Sprintf("until %s: %s", moment(w.Until, style.Now), now)
	}
	if style.Wide {
		cells = append(cells, b.Kind, dash(b.JobManager), dash(b.Flink), number(b.Parallelism), b.generations(),
			dash(b.UpgradeMode))
	} else {
		now = brief(now, nowWidth)
	}
	for i := range cells {
		cells[i] = Printable(cells[i])
	}
	now = Printable(now)
	mark := b.Need.mark()
	if color := colors[b.Need]; style.Color && color != "" {
		mark = color + mark + "\x1b[0m"
	}
	return append(cells, mark+now)
}

// colors are those of marks on a terminal: yellow and red.
var colors = map[Need]string{NeedTime: "\x1b[33m", NeedUser: "\x1b[31m"}

// generations are the one of the spec and, where they differ, the ones that were looked at and that run.
func (r Row) generations() string {
	if r.Judged == r.Generation && r.Deployed == r.Generation {
		return number(r.Generation)
	}
	return fmt.Sprintf("%s (%s/%s)", number(r.Generation), number(r.Judged), number(r.Deployed))
}

func drawn(last []bool, ascii bool) string {
	lines := map[bool][4]string{false: {"├─ ", "└─ ", "│  ", "   "}, true: {"|- ", "`- ", "|  ", "   "}}[ascii]
	var out strings.Builder
	for i, l := range last {
		at := 0
		if i < len(last)-1 {
			at = 2
		}
		if l {
			at++
		}
		out.WriteString(lines[at])
	}
	return out.String()
}

func dash(text string) string { return cmp.Or(text, "-") }

func number(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// columns are rows of cells as lines, each column as wide as it has to be, the last one as it is.
func columns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return out.String()
}

// labelled are lines with a label before the first of each; a label that has no lines is left out.
type labelled struct{ out strings.Builder }

func (l *labelled) add(label string, lines ...string) {
	for _, line := range lines {
		if line != "" {
			fmt.Fprintf(&l.out, "%-11s%s\n", label, Printable(line))
			label = ""
		}
	}
}

// moment is a time as a line shows it: without the day when that is the reader's.
func moment(at, now time.Time) string {
	at = at.In(now.Location())
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04:05")
	}
	return at.Format("Jan 2 15:04:05")
}

// Text is the view for a terminal. Long lines are cut unless all is wanted.
func (j Job) Text(now time.Time, all bool) string {
	width := 160
	if all {
		width = 1 << 20
	}
	var l labelled
	l.out.WriteString(j.headline(now))
	if j.Now != "" {
		l.add(map[Need]string{NeedTime: "Waiting", NeedUser: "Stalled"}[j.Need], brief(j.Now, width))
	}
	if j.Wait != nil {
		l.add("", brief(j.Wait.line(now), width))
	}
	l.add("Operation", brief(j.Operation, width))
	l.add("Needs", cut(j.Needs, width)...)
	l.add("State", j.stateLines(now)...)
	l.add("Gates", cut(j.gateLines(now), width)...)
	l.add("Facts", cut(j.Facts, width)...)
	if j.Error != "" && !strings.Contains(j.Now, j.Error) {
		l.add("Error", brief(j.Error, width))
	}
	l.add("Conditions", j.conditionLines(now, all)...)
	l.add("Pods", j.podLines()...)
	l.add("Below", strings.Split(List(j.Related, Style{Now: now, NoHeaders: true, Wide: false}), "\n")...)
	shown := j.Events
	if !all {
		shown = shown[max(0, len(shown)-5):]
	}
	for i, e := range shown {
		l.add([]string{"Events", ""}[min(i, 1)], brief(e.line(now), width))
	}
	l.add("Unreadable", j.Unreadable...)
	return l.out.String()
}

// line says until when, and what follows.
func (w Wait) line(now time.Time) string {
	line := "until " + moment(w.Until, now)
	if w.Then != "" {
		line += ", then " + w.Then
	}
	return line
}

func cut(lines []string, width int) []string {
	short := slices.Clone(lines)
	for i := range short {
		short[i] = brief(short[i], width)
	}
	return short
}

func (j Job) headline(now time.Time) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s  %s  %s", j.Name, j.Row.Kind, j.Namespace)
	if j.Flink != "" {
		fmt.Fprintf(&out, "  Flink %s", j.Flink)
	}
	fmt.Fprintf(&out, "  generation %s\n%s", j.generations(), dash(j.Lifecycle))
	if j.Since != nil {
		fmt.Fprintf(&out, " for %s", ago(j.Since, now))
	}
	if j.Row.Job != "" {
		fmt.Fprintf(&out, ", job %s", j.Row.Job)
	}
	if j.Situation != "" {
		fmt.Fprintf(&out, "  (situation %s)", j.Situation)
	}
	return PrintableLines(out.String()) + "\n\n"
}

func (j Job) stateLines(now time.Time) []string {
	lines := []string{map[string]string{"True": "safe", "False": "NOT safe", "Unknown": "not known to be safe"}[j.Safe]}
	for _, s := range j.State {
		line := s.What + ": " + s.Path
		if s.Taken != nil {
			line += ", taken " + moment(*s.Taken, now)
		}
		if s.Reason != "" {
			line += " (" + s.Reason + ")"
		}
		if s.What == "known checkpoint" {
			line += "; the job may have a newer one"
		}
		lines = append(lines, line)
	}
	return lines
}

func (j Job) conditionLines(now time.Time, all bool) []string {
	var words, lines []string
	for _, c := range j.Conditions {
		words = append(words, c.Type+" "+c.Status)
		line := fmt.Sprintf("%s %s %s: %s", c.Type, c.Status, c.Reason, c.Message)
		if c.Since != nil {
			line = moment(*c.Since, now) + " " + line
		}
		lines = append(lines, line)
	}
	if all {
		return lines
	}
	return []string{strings.Join(words, " · ")}
}

func (j Job) podLines() []string {
	var lines []string
	for _, p := range j.Pods {
		lines = append(lines, strings.TrimPrefix(p.Sentence(), "pod "+j.Namespace+"/"))
	}
	return lines
}

func (e Event) line(now time.Time) string {
	mark := ""
	if e.Warning {
		mark = "! "
	}
	times := ""
	if e.Count > 1 {
		times = fmt.Sprintf(" (%d times)", e.Count)
	}
	return fmt.Sprintf("%s  %s%s: %s%s", moment(e.Time, now), mark, e.Reason, e.Message, times)
}

// Events is a table of events.
func Events(events []Event, now time.Time, noHeaders bool) string {
	table := [][]string{{"TIME", "TYPE", "OF", "REASON", "MESSAGE"}}
	if noHeaders {
		table = nil
	}
	for _, e := range events {
		kind := "Normal"
		if e.Warning {
			kind = "Warning"
		}
		message := e.Message
		if e.Count > 1 {
			message += fmt.Sprintf(" (%d times)", e.Count)
		}
		table = append(table, []string{
			moment(e.Time, now), kind, Printable(e.Of.Kind + "/" + e.Of.Name), Printable(e.Reason), Printable(message),
		})
	}
	return columns(table)
}
