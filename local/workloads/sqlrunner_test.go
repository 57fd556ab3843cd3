package workloads

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/local/tenant"
)

// sqlRunner are the sources of the program that runs SQL scripts.
const sqlRunner = "../../examples/sql-runner/src/main/java"

// onThisMachine are the replacements in an example that has the image of the runner.
func onThisMachine(t *testing.T) []string {
	t.Helper()
	return []string{
		"registry.example.com/sql-runner:1", "flink:2.2",
		"/opt/flink/usrlib/sql-runner.jar", filepath.Join(home(t, "2.2", sqlRunner), "examples/streaming/SqlRunner.jar"),
	}
}

// TestAScriptIsSplitIntoItsStatements: as the runner and Flink take it.
func TestAScriptIsSplitIntoItsStatements(t *testing.T) {
	java, err := flink.FindJava()
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct{ name, script, want string }{
		{"one without an end", "SELECT 1", "1: SELECT 1\n"},
		{"nothing in it", " ;; -- SELECT 1;\n/* SELECT 2; */;", ""},
		{"lines", "\n\nSELECT 1;\nSELECT\n2;SELECT 3;", "3: SELECT 1\n4: SELECT 2\n5: SELECT 3\n"},
		{"a comment to the end of its line", "SELECT 1 -- it's; one\n;SELECT 2", "1: SELECT 1\n2: SELECT 2\n"},
		{"a comment of two lines", "/* it's;\n` */ SELECT 1;", "2: SELECT 1\n"},
		{"a hint stays", "SELECT 1 /*+ OPTIONS('a'=';') */;", "1: SELECT 1 /*+ OPTIONS('a'=';') */\n"},
		{"a string", "SET 'a' = 'it''s; -- /* '; SELECT 1", "1: SET 'a' = 'it''s; -- /* '\n1: SELECT 1\n"},
		{"a quoted name", "SELECT `a;'b` FROM t; SELECT 1", "1: SELECT `a;'b` FROM t\n1: SELECT 1\n"},
		{
			"a set of statements",
			"EXECUTE STATEMENT SET\nBEGIN\nINSERT INTO a SELECT 1;\nINSERT INTO b SELECT 2;\nEND;\nSELECT 3;",
			"1: EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END\n6: SELECT 3\n",
		},
		{
			"an END of its own in a set",
			"BEGIN INSERT INTO a SELECT case WHEN b THEN 1 end; INSERT INTO c SELECT 2; END; SELECT 3",
			"1: BEGIN INSERT INTO a SELECT case WHEN b THEN 1 end; INSERT INTO c SELECT 2; END\n1: SELECT 3\n",
		},
		{
			"words that only contain END", "SELECT begin_at, window_end FROM weekend; SELECT 1",
			"1: SELECT begin_at, window_end FROM weekend\n1: SELECT 1\n",
		},
	}
	dir := t.TempDir()
	split := func(files ...string) (string, error) {
		arguments := append([]string{sqlRunner + "/org/example/Script.java"}, files...)
		out, err := exec.CommandContext(t.Context(), filepath.Join(java.Home, "bin", "java"), arguments...).CombinedOutput()
		return strings.ReplaceAll(string(out), dir+"/", ""), err
	}
	write := func(name, script string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	var files []string
	var want strings.Builder
	for i, row := range rows {
		files = append(files, write(fmt.Sprint(i), row.script))
		for line := range strings.Lines(row.want) {
			fmt.Fprintf(&want, "%d:%s", i, line)
		}
	}
	if got, err := split(files...); err != nil || got != want.String() {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want.String())
	}
	got, err := split(write("open", "SELECT 1;\nSELECT 'a;"))
	if err == nil || !strings.Contains(got, "line 2: ' is not closed") {
		t.Errorf("a string without an end: %v\n%s", err, got)
	}
}

var printedRow = regexp.MustCompile(`\+I\[-?\d+, \d+\]`)

// TestASQLScriptRuns: a script that Flink refuses is told in status, with the line of its statement. Corrected, and
// with another restartNonce, it runs.
func TestASQLScriptRuns(t *testing.T) {
	const name = "sql-runner"
	objects := ns.File(t, "sql-runner.yaml", onThisMachine(t)...)
	job, script := objects[0], objects[1]
	right, _, _ := unstructured.NestedString(script.Object, "data", "orders.sql")
	write := func(text string) {
		if err := unstructured.SetNestedField(script.Object, text, "data", "orders.sql"); err != nil {
			t.Fatal(err)
		}
		ns.Apply(t, script)
	}
	write(strings.Replace(right, "FROM orders WHERE", "FROM nowhere WHERE", 1))
	ns.Apply(t, job)
	ns.Until(t, name, "says what is wrong", func(v tenant.View) bool {
		return strings.Contains(v.Message, "the statement at line 19 of ") &&
			strings.Contains(v.Message, "'nowhere' not found")
	})
	write(right)
	if err := unstructured.SetNestedField(job.Object, int64(1), "spec", "restartNonce"); err != nil {
		t.Fatal(err)
	}
	ns.Apply(t, job)
	if v := ns.Stable(t, name, nil); v.Message != "" {
		t.Errorf("it runs, and status still has an error: %s", v.Message)
	}
	ns.Eventually(t, "rows are printed", func(context.Context) (bool, error) {
		return printedRow.MatchString(ns.Printed(t, "app="+name+",component=taskmanager")), nil
	})
}
