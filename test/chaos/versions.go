package chaos

import (
	"fmt"
	"strconv"
	"strings"
)

// Chapter is a part of a script that ends at rest, and what it shows.
type Chapter struct {
	// Title is its column's.
	Title string
	// Script is what is done; empty: there is no such chapter.
	Script []Command
}

// VersionRow is a row of the table of versions: what one Flink goes through on one kind of cluster.
type VersionRow struct {
	// Version is a minor version, such as 1.20; Host is the kind of cluster.
	Version, Host string
	// Chapters go on from each other, and stand in the order of the columns.
	Chapters []Chapter
}

// hosts are the kinds of clusters, with what makes a resource one.
var hosts = []struct {
	title string
	is    []Command
}{
	{"application, native", nil},
	{"application, standalone", []Command{{"standalone", 0}}},
	{"session job", []Command{{"hosted", 0}}},
}

// Versions are the rows for minor versions, which are sorted from old to new: each of them on each kind of cluster.
func Versions(minors []string) (rows []VersionRow, err error) {
	before := 0
	for _, minor := range minors {
		n, err := releaseNumber(minor)
		if err != nil {
			return nil, err
		}
		for _, host := range hosts {
			rows = append(rows, VersionRow{minor, host.title, chapters(host.is, n, before)})
		}
		before = n
	}
	return rows, nil
}

// chapters are those of the release of this number; before is that of the minor before, 0 is none.
func chapters(host []Command, n, before int) []Chapter {
	steady := Command{"steady", 0}
	begin := func(n int) []Command {
		return append([]Command{{"release", n}, {"high-availability", 0}, {"upgrade-mode", 0}, {"restart-strategy", 1}},
			Command{"apply", 0}, steady)
	}
	all := []Chapter{
		{"start", append(append([]Command{}, host...), begin(n)...)},
		{"savepoint upgrade", []Command{{"parallelism", 2}, steady}},
		{"last-state upgrade", []Command{{"upgrade-mode", 1}, steady, {"parallelism", 0}, steady}},
		{"JobManager killed", []Command{{"crash-jobmanager", 1}, {"wait", 8}, steady}},
		{"from the minor before", nil},
	}
	if before > 0 {
		script := append([]Command{{"delete", 0}, {"parallelism", 1}}, begin(before)...)
		// A job is suspended while its session cluster changes its version; an application does all by one edit.
		if len(host) > 0 && host[0].Verb == "hosted" {
			script = append(script, Command{"suspend", 0}, steady, Command{"release", n}, steady, Command{"resume", 0}, steady)
		} else {
			script = append(script, Command{"release", n}, steady)
		}
		all[len(all)-1].Script = script
	}
	return all
}

// releaseNumber is 100 times the major version and the minor one: 120 is 1.20, 202 is 2.2.
func releaseNumber(minor string) (int, error) {
	major, rest, _ := strings.Cut(minor, ".")
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(rest)
	if err != nil || err2 != nil || b > 99 {
		return 0, fmt.Errorf("%q is no minor version of Flink, such as 1.20", minor)
	}
	return 100*a + b, nil
}

// namesBefore120 are options that Flink 1.20 gave new names, with their names before it.
var namesBefore120 = map[string]string{
	"execution.checkpointing.dir": "state.checkpoints.dir", savepoints: "state.savepoints.dir",
}

// release sets the version of this number, and its newest image.
func (r *Resource) release(n int) {
	r.setVersion(fmt.Sprintf("flink:%d.%d", n/100, n%100), fmt.Sprintf("v%d_%d", n/100, n%100))
	for option, before120 := range namesBefore120 {
		delete(r.configuration(), before120)
		if n < 120 {
			r.configuration()[before120] = r.configuration()[option]
		}
	}
}

// minorOf is the minor version that a FlinkDeployment names, such as v1_20.
func minorOf(version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(version, "v"), "_", ".")
}
