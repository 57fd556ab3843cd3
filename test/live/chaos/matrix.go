package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/kn-flink/kn-flink/test/chaos"
)

// Matrix carries the rows of the retention matrix out, from number First on, and writes their table.
func (a *Arena) Matrix(ctx context.Context, o Options) error {
	rows := chaos.Matrix()
	lines := make([]string, len(rows))
	n := int(o.First) - 1
	err := a.all(ctx, o, func() (job, bool) {
		if n >= len(rows) {
			return job{}, false
		}
		n++
		row := rows[n-1]
		title := fmt.Sprintf("row %d, %s", n, strings.Join(row.Values, ", "))
		return job{title: title, name: fmt.Sprintf("row-%d", n), script: row.Script, row: n - 1}, true
	}, func(j job, r Result) {
		values := strings.Join(rows[j.row].Values, " | ")
		lines[j.row] = fmt.Sprintf("| %d | %s | %s | %s |", j.row+1, values, cameBack(r), said(r))
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var table strings.Builder
	table.WriteString(head)
	titlesOf := make([]string, 0, len(chaos.Factors))
	for _, f := range chaos.Factors {
		titlesOf = append(titlesOf, f.Title)
	}
	fmt.Fprintf(&table, "| | %s | came back with | status said |\n", strings.Join(titlesOf, " | "))
	fmt.Fprintf(&table, "|%s\n", strings.Repeat("---|", len(titlesOf)+3))
	for _, line := range lines {
		if line != "" {
			fmt.Fprintln(&table, line)
		}
	}
	return errors.Join(err, os.WriteFile(o.Table, []byte(table.String()), 0o644))
}

// head is what stands above the table.
const head = `# What came back

For contributors and evaluators: see what came back after an edit, by retention, upgrade mode and more.

Each row is a job with state on the local platform, with real Flink, that kept checkpoints until something
happened to it. Every two values of two columns meet in some row; the last eight are those where state was
lost in silence before. "NONE" is NO_EXTERNALIZED_CHECKPOINTS; a
"failing" job throws an exception in every run, from some seconds before the edit until some seconds after it. A
flinkVersion changes to that of the row. "Retention in code" is what the job's code sets: it wins over its
configuration. Written by ` + "`make matrix-retention`" + `.

`

// cameBack says what the job that runs in the end has.
func cameBack(r Result) string {
	switch {
	case !r.Well:
		return "nothing runs"
	case !r.Began:
		return "it never stopped"
	case r.Restored >= r.Owed:
		return "all of it"
	case r.Restored == 0:
		return "nothing"
	}
	return "less"
}

// said is the last status, and what must not be.
func said(r Result) string {
	if len(r.Findings) > 0 {
		return r.Status + ". **" + strings.Join(r.Findings, "; ") + "**"
	}
	return r.Status
}
