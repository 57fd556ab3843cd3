package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/kn-flink/kn-flink/test/chaos"
)

// VersionTable carries the rows of the matrix of versions out, from number First on, and writes their table. A chapter
// that does not go well is a failure, and ends its row.
func (a *Arena) VersionTable(ctx context.Context, o Options) error {
	rows, err := chaos.Versions(o.Versions)
	if err != nil {
		return err
	}
	lines := make([]string, len(rows))
	var unwell []string
	n := int(o.First) - 1
	err = a.all(ctx, o, func() (job, bool) {
		if n >= len(rows) {
			return job{}, false
		}
		n++
		row := rows[n-1]
		j := job{title: "Flink " + row.Version + ", " + row.Host, name: fmt.Sprintf("version-%d", n), row: n - 1}
		for _, c := range row.Chapters {
			if len(c.Script) == 0 {
				continue
			}
			j.script = append(j.script, c.Script...)
			j.ends = append(j.ends, len(j.script)-1)
		}
		return j, true
	}, func(j job, r Result) {
		row, cells := rows[j.row], []string{}
		for n, c := range row.Chapters {
			cells = append(cells, cell(c, n, r))
			if said := cells[n]; said != well && said != none {
				unwell = append(unwell, fmt.Sprintf("%s, %s: %s", j.title, c.Title, said))
			}
		}
		lines[j.row] = fmt.Sprintf("| %s | %s | %s |", row.Version, row.Host, strings.Join(cells, " | "))
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, line := range unwell {
		fmt.Println(line)
	}
	return errors.Join(err, os.WriteFile(o.Table, []byte(versionTable(rows, lines)), 0o644))
}

// What a cell says of a chapter that went well, of one that there is not, and of one that was not begun.
const (
	well     = "yes"
	none     = "-"
	notBegun = "not begun"
)

// cell is what became of chapter n of a row.
func cell(c chaos.Chapter, n int, r Result) string {
	switch {
	case len(c.Script) == 0:
		return none
	case n >= len(r.Chapters):
		return notBegun
	case r.Chapters[n] == "":
		return well
	}
	return "**" + strings.ReplaceAll(r.Chapters[n], "|", "/") + "**"
}

func versionTable(rows []chaos.VersionRow, lines []string) string {
	var table strings.Builder
	table.WriteString(versionHead)
	titles := []string{"Flink", "host"}
	for _, c := range rows[0].Chapters {
		titles = append(titles, c.Title)
	}
	fmt.Fprintf(&table, "| %s |\n|%s\n", strings.Join(titles, " | "), strings.Repeat("---|", len(titles)))
	for _, line := range lines {
		if line != "" {
			fmt.Fprintln(&table, line)
		}
	}
	return table.String()
}

// versionHead is what stands above the table.
const versionHead = `# Flink versions

For evaluators: see with which Flink versions what was tried, and that it works.

Each row is a job with state on the local platform, with real Flink and high availability on Kubernetes. It starts, is
upgraded by a savepoint and by its last state, and loses its JobManager; then it starts again with the minor version
before, and is upgraded to that of the row by a savepoint. "yes" says that it runs again with all that was kept, by the
job's own ledger, and that status says so. Written by ` + "`make matrix`" + `.

Flink supports Java 17, which all of this table runs on, from 1.18 on
([FLINK-15736](https://issues.apache.org/jira/browse/FLINK-15736)); older versions run with the packages opened that
1.18 opens.

`
